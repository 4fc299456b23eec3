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
Tokens come from a .npy file (float32 or float16, the last dimension is hidden) or from --values.

  normctl normalize --local --values 3.2,-1.8,0.5,2.1
  normctl normalize 127.0.0.1:8001 --values '1,2,3;4,5,9' --token-counts 1,1
  normctl normalize 127.0.0.1:8001 in.npy out.npy --layer minilm/embeddings.LayerNorm
  normctl normalize --local in.npy out.npy --kind rms_norm --residual r.npy --residual-sum sum.npy)";

const char* NameOf(DataType data_type) {
  if (data_type == DataType::kBfloat16) return "bfloat16";
  return data_type == DataType::kFloat16 ? "float16" : "float32";
}

absl::Status WriteFiles(const NormalizeTask& task, Normalized result) {
  const auto write = [&](const std::string& path, std::vector<float>& values) {
    if (path.empty()) return absl::OkStatus();
    return WriteNpy(path, {task.tokens.shape, std::move(values), task.tokens.data_type});
  };
  const absl::Status status = write(task.output, result.tokens);
  return status.ok() ? write(task.residual_sum_output, result.residual_sum) : status;
}

std::string WrittenText(const NormalizeTask& task, const std::string& where) {
  return absl::StrCat("(", absl::StrJoin(task.tokens.shape, ", "), ") ", NameOf(task.data_type), " -> ",
                      Printable(task.output), ", normalized ", where, "\n");
}

int WriteResult(const NormalizeTask& task, NormalizeOutcome outcome, bool json) {
  const bool to_file = !task.output.empty();
  if (json) {
    std::cout << OutcomeJson(outcome, !to_file);
  } else if (!to_file) {
    std::cout << OutcomeText(outcome);
  }
  const absl::Status status = WriteFiles(task, std::move(outcome.result));
  if (!status.ok()) return Fail(status);
  if (to_file && !json) std::cout << WrittenText(task, outcome.where);
  return 0;
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
  WithEnvironment(command.add_option("--kind", flags->kind, "a norm without gain, instead of a layer"))
      ->check(CLI::IsMember({"layer_norm", "rms_norm"}));
  WithEnvironment(command.add_option("--epsilon", flags->epsilon, "of that norm, default 1e-5"));
  WithEnvironment(
      command.add_option("--gamma-offset", flags->gamma_offset, "of an rms_norm: added to its gain of 1"));
  WithEnvironment(command.add_option("--data-type", flags->data_type, "to compute in, default the file's"))
      ->check(CLI::IsMember({"float32", "float16", "bfloat16"}));
  WithEnvironment(command.add_option("--residual", flags->residual, "FILE.npy to add before the norm"));
  WithEnvironment(
      command.add_option("--residual-sum", flags->residual_sum, "FILE.npy for tokens + residual"));
  WithEnvironment(command.add_option("--hidden", flags->hidden, "values a token"))
      ->check(CLI::NonNegativeNumber);
  WithEnvironment(
      command.add_option("--token-counts", flags->token_counts, "tokens in each sequence, as 3,5"));
  command.add_flag("--json", flags->json, "print the result, or with files its statistics, as JSON");
  AddSecurity(command, flags->security);
  command.footer(kFooter);
  command.callback([flags, &exit_code] { exit_code = Run(*flags); });
}

}  // namespace normd
