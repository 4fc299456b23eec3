// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <CLI/CLI.hpp>

#include "normd/target.h"

namespace normd {
namespace {

constexpr char kAbout[] =
    "normd normalizes batches of variable-length token tensors over gRPC (normd.v1.Normalizer).\n"
    "Without arguments it listens on 127.0.0.1:8001, with its status page on http://127.0.0.1:8002, and "
    "serves\n"
    "the built-in layers.";

constexpr char kExamples[] =
    "Examples:\n"
    "  normd --listen 127.0.0.1:8001 --listen unix:/run/normd.sock\n"
    "  normd --checkpoint minilm=model.safetensors\n\n"
    "Every option can be set by the environment variable beside it; the command line wins. SIGTERM drains "
    "and exits 0.";

void AddOptions(CLI::App* app, Options* options) {
  app->add_option("--listen", options->server.listen,
                  "Address to listen on, host:port or unix:/path; may be repeated (default 127.0.0.1:8001)")
      ->envname("NORMD_LISTEN")
      ->type_name("ADDRESS");
  app->add_option("--http", options->http,
                  "Address of the HTTP port, host:port, with the status page, /metrics, /livez and /readyz; "
                  "\"off\" for none (default 127.0.0.1:8002, or off where --listen is given)")
      ->envname("NORMD_HTTP")
      ->type_name("ADDRESS");
  app->add_option("--checkpoint", options->checkpoints,
                  "Serve every norm layer of a safetensors file as NAME/tensor.path; may be repeated")
      ->envname("NORMD_CHECKPOINT")
      ->type_name("NAME=FILE");
  app->add_option("--target", options->target,
                  "Instruction set to run (default the best; this CPU offers: " + TargetsOfThisCpu() + ")")
      ->envname("NORMD_TARGET")
      ->type_name("NAME");
  app->add_option("--max-message-bytes", options->server.max_message_bytes,
                  "Largest message accepted, in bytes")
      ->envname("NORMD_MAX_MESSAGE_BYTES")
      ->check(CLI::Range(int64_t{1024}, int64_t{INT32_MAX}))
      ->capture_default_str()
      ->type_name("BYTES");
  app->add_option("--polling-threads", options->server.polling_threads,
                  "Threads, each with a queue of its own; more than one costs latency")
      ->envname("NORMD_POLLING_THREADS")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->type_name("N");
  app->add_option("--drain-grace", options->drain_grace_seconds,
                  "Seconds that calls in flight may take to finish after SIGTERM")
      ->envname("NORMD_DRAIN_GRACE")
      ->check(CLI::Range(0, 86400))
      ->capture_default_str()
      ->type_name("SECONDS");
}

void AddLogOptions(CLI::App* app, Options* options) {
  app->add_option("--log-format", options->log_format, "How a line of the log is written: text or json")
      ->envname("NORMD_LOG_FORMAT")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str()
      ->type_name("FORMAT");
  app->add_option("--log-level", options->log_level,
                  "Least that is logged: debug (every request), info, warning (failed requests, at most 10 a "
                  "second) or error")
      ->envname("NORMD_LOG_LEVEL")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str()
      ->type_name("LEVEL");
}

// Where nothing was said: two servers on one machine are told apart by --listen, and must not meet here.
void FillIn(Options* options) {
  if (options->http.empty() && options->server.listen.empty()) options->http = "127.0.0.1:8002";
  if (options->http == "off") options->http.clear();
  if (options->server.listen.empty()) options->server.listen = {"127.0.0.1:8001"};
}

std::string ValueOf(const CLI::Option& option, const Options& options) {
  if (option.get_name() == "--listen") return CLI::detail::join(options.server.listen, " ");
  if (option.get_name() == "--http") return options.http.empty() ? "off" : options.http;
  return option.count() > 0 ? CLI::detail::join(option.results(), " ") : option.get_default_str();
}

// Secrets are given as files, so that every option can be shown.
void ListSettings(const CLI::App& app, Options* options) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string& name = option->get_name();
    if (name != "--help" && name != "--version")
      options->settings.emplace_back(name, ValueOf(*option, *options));
  }
}

}  // namespace

std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code) {
  Options options;
  CLI::App app(kAbout, "normd");
  app.footer(kExamples);
  app.set_version_flag("--version", "normd " NORMD_VERSION);
  AddOptions(&app, &options);
  AddLogOptions(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  FillIn(&options);
  ListSettings(app, &options);
  return options;
}

}  // namespace normd
