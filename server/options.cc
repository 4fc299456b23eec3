// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cpus.h"
#include "normd/target.h"

namespace normd {
namespace {

constexpr char kAbout[] =
    "normd normalizes batches of variable-length token tensors over gRPC (normd.v1.Normalizer).\n"
    "Without arguments it listens on 127.0.0.1:8001, with its status page on http://127.0.0.1:8002, and "
    "serves\n"
    "the built-in layers layer_norm and rms_norm.";

constexpr char kExamples[] =
    "Examples:\n"
    "  normd --listen 127.0.0.1:8001 --listen unix:/run/normd.sock\n"
    "  normd --checkpoint minilm=model.safetensors\n"
    "  normd --print-config > normd.toml; normd --config normd.toml\n\n"
    "The command line wins over the environment variable beside an option, and that over the file of "
    "--config.\n"
    "gRPC reads a message whole before the server sees it: what clients can make it hold is bounded by\n"
    "--memory-quota, and by --max-message-bytes times --max-concurrent-streams for each connection.\n"
    "SIGTERM drains and exits 0; a second one exits at once.";

std::string EnvironmentOf(const std::string& name) {
  return absl::StrCat("NORMD_", absl::AsciiStrToUpper(absl::StrReplaceAll(name, {{"-", "_"}})));
}

// The parser would have the file win over the environment.
class ConfigBelowEnvironment : public CLI::ConfigTOML {
 public:
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(input);
    std::erase_if(read, [](const CLI::ConfigItem& item) {
      return item.parents.empty() && std::getenv(EnvironmentOf(item.name).c_str()) != nullptr;
    });
    return read;
  }
};

// Adds options, each with its twin in the environment, to one group of the help.
class Group {
 public:
  Group(CLI::App* app, const char* title) : app_(app), title_(title) {}

  template <class Value>
  CLI::Option* Add(const std::string& name, Value& value, const std::string& type, const std::string& about) {
    return app_->add_option("--" + name, value, about)
        ->envname(EnvironmentOf(name))
        ->type_name(type)
        ->group(title_);
  }
  template <class Value>
  void AddNumber(const std::string& name, Value& value, Value least, Value most, const std::string& type,
                 const std::string& about) {
    Add(name, value, type, about)->check(CLI::Range(least, most))->capture_default_str();
  }

 private:
  CLI::App* app_;
  const char* title_;
};

constexpr int64_t kMostBytes = int64_t{1} << 50;
constexpr int kMostSeconds = 86400;

void AddWhatIsServed(CLI::App* app, Options* options) {
  Group group(app, "What is served, and where");
  group
      .Add("listen", options->server.listen, "ADDRESS",
           "Address to listen on, host:port or unix:/path; may be repeated")
      ->default_str("127.0.0.1:8001");
  group.Add(
      "http", options->http, "ADDRESS",
      "Address of the HTTP port, host:port, with the status page, /metrics, /livez and /readyz; \"off\" for "
      "none (default 127.0.0.1:8002, or off where --listen is given)");
  group.Add("checkpoint", options->checkpoints, "NAME=FILE",
            "Serve every norm layer of a safetensors file as NAME/tensor.path; may be repeated");
}

void AddSecurity(CLI::App* app, Options* options) {
  Group group(app, "Security");
  Pem& tls = options->server.tls;
  CLI::Option* const cert = group.Add(
      "tls-cert", tls.certificates, "FILE",
      "Certificate in PEM, and those that lead to its authority; with it, TCP is TLS and Unix sockets stay "
      "plain. Files of this group are read again when they change");
  CLI::Option* const key =
      group.Add("tls-key", tls.key, "FILE", "Its private key in PEM, without a passphrase");
  cert->needs(key);
  key->needs(cert);
  group
      .Add("tls-client-ca", tls.authorities, "FILE",
           "Authorities in PEM: over TLS, clients need a certificate that comes from one of them")
      ->needs(cert);
  group.Add(
      "token-file", options->server.token_file, "FILE",
      "Token of 16 to 4096 printable characters: calls must carry it as \"authorization: Bearer TOKEN\", "
      "on every address; health checks need none, and reflection is off");
}

void AddSpeed(CLI::App* app, Options* options) {
  Group group(app, "Speed");
  group.Add("target", options->target, "NAME",
            "Instruction set to run, the best where empty; this CPU offers: " + TargetsOfThisCpu());
  options->server.threads = UsableCpus();
  group.AddNumber("threads", options->server.threads, 1, 1024, "N",
                  "Threads that compute messages of more than 512 KiB; by default the CPUs that affinity and "
                  "cgroup allow");
  group.AddNumber(
      "polling-threads", options->server.polling_threads, 1, 256, "N",
      "Threads that poll, each with a queue of its own, and compute what is smaller; more than one "
      "costs latency");
  group.AddNumber(
      "spin", options->server.spin_microseconds, 0, 1000000, "MICROSECONDS",
      "Poll so long for the next call before going to sleep; helps where a CPU is free, and hurts "
      "where none is");
}

void AddLimits(CLI::App* app, Options* options) {
  Group group(app, "Limits");
  GrpcServerOptions& server = options->server;
  group.AddNumber("max-message-bytes", server.max_message_bytes, int64_t{1024}, int64_t{INT32_MAX}, "BYTES",
                  "Largest message accepted");
  group.AddNumber("max-requests-in-flight", server.max_requests_in_flight, int64_t{1}, int64_t{1} << 30, "N",
                  "Requests at a time; one more is RESOURCE_EXHAUSTED, with the time to retry after");
  group.AddNumber("max-bytes-in-flight", server.max_bytes_in_flight, int64_t{1024}, kMostBytes, "BYTES",
                  "Bytes of requests and their answers at a time (a message counts twice); more are "
                  "RESOURCE_EXHAUSTED");
  group.AddNumber(
      "memory-quota", server.memory_quota_bytes, int64_t{1} << 20, kMostBytes, "BYTES",
      "Memory for messages that gRPC has not handed over yet; near it reading slows down, and past "
      "it calls are cancelled");
  group.AddNumber("max-concurrent-streams", server.max_concurrent_streams, 1, 1 << 20, "N",
                  "Calls at a time on one connection; further ones wait at the client");
  group.AddNumber("max-metadata-bytes", server.max_metadata_bytes, 1024, 1 << 20, "BYTES",
                  "Metadata of one call; more is RESOURCE_EXHAUSTED");
  app->add_flag("--accept-compression", server.accept_compression,
                "Accept messages in gzip or deflate: 200 KB of them can hold 200 MB")
      ->envname(EnvironmentOf("accept-compression"))
      ->group("Limits");
}

void AddLife(CLI::App* app, Options* options) {
  Group group(app, "Life");
  group.AddNumber(
      "drain-delay", options->drain_delay_seconds, 0, kMostSeconds, "SECONDS",
      "After SIGTERM, go on serving for so long with health checks saying NOT_SERVING, until load "
      "balancers have seen it");
  group.AddNumber("drain-grace", options->drain_grace_seconds, 0, kMostSeconds, "SECONDS",
                  "Calls in flight may then take so long to finish");
  group.AddNumber("max-connection-age", options->server.max_connection_age_seconds, 0, kMostSeconds,
                  "SECONDS",
                  "Ask clients to connect anew after so long, so that they find new servers; 0: never");
  group.AddNumber("max-connection-age-grace", options->server.max_connection_age_grace_seconds, 0,
                  kMostSeconds, "SECONDS", "Calls on such a connection may then take so long to finish");
}

void AddLog(CLI::App* app, Options* options) {
  Group group(app, "Log");
  group.Add("log-format", options->log_format, "FORMAT", "How a line of the log is written: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  group
      .Add("log-level", options->log_level, "LEVEL",
           "Least that is logged: debug (every request), info, warning (failed requests, at most 10 a "
           "second) or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str();
}

void AddConfiguration(CLI::App* app, bool* print) {
  app->config_formatter(std::make_shared<ConfigBelowEnvironment>());
  // The parser does not look at a configuration option's environment itself.
  const char* const file = std::getenv("NORMD_CONFIG");
  app->set_config("--config", file == nullptr ? "" : file, "Read options from a TOML file: threads = 2",
                  /*config_required=*/file != nullptr)
      ->envname("NORMD_CONFIG")
      ->type_name("FILE");
  app->allow_config_extras(CLI::config_extras_mode::error);
  app->add_flag("--print-config", *print, "Print the options as such a file, and exit")->configurable(false);
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
    if (option->get_configurable()) options->settings.emplace_back(name, ValueOf(*option, *options));
  }
}

}  // namespace

std::optional<Options> ParseOptions(int argc, const char* const* argv, int* exit_code) {
  Options options;
  bool print = false;
  CLI::App app(kAbout, "normd");
  app.footer(kExamples);
  app.set_version_flag("--version", "normd " NORMD_VERSION);
  AddWhatIsServed(&app, &options);
  AddSecurity(&app, &options);
  AddSpeed(&app, &options);
  AddLimits(&app, &options);
  AddLife(&app, &options);
  AddLog(&app, &options);
  AddConfiguration(&app, &print);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (print) {
    std::cout << app.config_to_str(/*default_also=*/true, /*write_description=*/true);
    *exit_code = 0;
    return std::nullopt;
  }
  FillIn(&options);
  ListSettings(app, &options);
  return options;
}

}  // namespace normd
