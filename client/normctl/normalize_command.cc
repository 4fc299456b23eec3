// SPDX-License-Identifier: Apache-2.0
//
// normctl normalize
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "command.h"
#include "normalize.h"
#include "text.h"

namespace normd {
namespace {

constexpr char kFooter[] = R"(
Tokens come from a .npy file (float32, the last dimension is hidden) or from --values.

  normctl normalize --local --values 3.2,-1.8,0.5,2.1
  normctl normalize 127.0.0.1:8001 --values '1,2,3;4,5,9' --token-counts 1,1
  normctl normalize 127.0.0.1:8001 in.npy out.npy --layer minilm/embeddings.LayerNorm)";

int WriteResult(const NormalizeTask& task, NormalizeOutcome outcome, bool json) {
  const bool to_file = !task.output.empty();
  if (json) {
    std::cout << OutcomeJson(outcome, !to_file);
  } else if (!to_file) {
    std::cout << OutcomeText(outcome);
  }
  if (!to_file) return 0;
  if (!json) {
    std::cout << "(" << absl::StrJoin(task.tokens.shape, ", ") << ") float32 -> " << Printable(task.output)
              << ", normalized " << outcome.where << "\n";
  }
  const absl::Status status = WriteNpy(task.output, {task.tokens.shape, std::move(outcome.result.tokens)});
  return status.ok() ? 0 : Fail(status);
}

int Run(const NormalizeFlags& flags) {
  const auto task = MakeTask(flags);
  if (!task.ok()) return Fail(task.status());
  auto outcome = flags.local ? NormalizeLocally(*task) : NormalizeRemotely(*task);
  if (!outcome.ok()) return Fail(outcome.status(), task->address);
  return WriteResult(*task, *std::move(outcome), flags.json);
}

}  // namespace

void AddNormalize(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("normalize", "normalize tokens through a server, or in this process");
  const auto flags = std::make_shared<NormalizeFlags>();
  command.add_option("ARGUMENTS", flags->arguments, "[ADDRESS] IN.npy OUT.npy, or [ADDRESS] with --values");
  WithEnvironment(
      command.add_option("--values", flags->values, "numbers: ',' between values, ';' between tokens"));
  command.add_flag("--local", flags->local, "compute in this process, without a server");
  // The kernels read the variable themselves: as the option's twin it would stand in the way of every call to
  // a server from a shell that has it set.
  command.add_option("--target", flags->target,
                     "with --local: the instruction set to use (Env:NORMD_TARGET)");
  WithEnvironment(command.add_option("--layer", flags->layer, "the layer's name, default layer_norm"));
  WithEnvironment(
      command.add_option("--epsilon", flags->epsilon, "layer_norm with this epsilon, instead of a layer"));
  WithEnvironment(command.add_option("--hidden", flags->hidden, "values a token"))
      ->check(CLI::NonNegativeNumber);
  WithEnvironment(
      command.add_option("--token-counts", flags->token_counts, "tokens in each sequence, as 3,5"));
  command.add_flag("--json", flags->json, "print the result, or with files its statistics, as JSON");
  command.footer(kFooter);
  command.callback([flags, &exit_code] { exit_code = Run(*flags); });
}

}  // namespace normd
