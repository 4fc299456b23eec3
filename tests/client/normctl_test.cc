// SPDX-License-Identifier: Apache-2.0
//
// normctl as its user sees it: arguments in, output and exit code out.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "fake_server.h"
#include "npy.h"

namespace normd {
namespace {

struct Seen {
  int exit_code;
  std::string out;
  std::string err;
};

Seen Normctl(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "normctl");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = RunNormctl(static_cast<int>(arguments.size()), arguments.data());
  return {exit_code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

class NormctlTest : public testing::Test {
 protected:
  FakeServer server_;
  const char* address_ = server_.address().c_str();
};

TEST(NormctlLocal, ShowsTheWorkedExample) {
  const Seen seen = Normctl({"normalize", "--local", "--values", "3.2,-1.8,0.5,2.1"});
  EXPECT_EQ(seen.out, "mean   1\nsigma  1.8802\ny      1.17011 -1.48923 -0.26593 0.58506\n");
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
}

TEST(NormctlLocal, ShowsEachRowInItsSequence) {
  const Seen seen =
      Normctl({"normalize", "--local", "--values", "-1,1;0,2", "--epsilon", "0", "--token-counts", "0,2"});
  EXPECT_EQ(seen.out,
            "\nsequence 1, token 0\nmean   0\nsigma  1\ny      -1.00000 1.00000\n"
            "\nsequence 1, token 1\nmean   1\nsigma  1\ny      -1.00000 1.00000\n");
}

TEST(NormctlLocal, ComputesOnTheTargetThatIsAsked) {
  const Seen seen = Normctl({"normalize", "--local", "--values", "1,2", "--target", "scalar", "--json"});
  EXPECT_EQ(nlohmann::json::parse(seen.out)["where"], "in this process, target scalar");
  const Seen refused = Normctl({"normalize", "--local", "--values", "1,2", "--target", "abacus"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("scalar"), std::string::npos) << refused.err;
}

TEST(NormctlLocal, ReadsAndWritesFiles) {
  const std::string in = testing::TempDir() + "normctl_in.npy", out = testing::TempDir() + "normctl_out.npy";
  ASSERT_TRUE(WriteNpy(in, {.shape = {2, 1, 2}, .values = {-1, 1, 3, 3}}).ok());
  const Seen seen = Normctl({"normalize", "--local", in.c_str(), out.c_str(), "--epsilon", "0"});
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  const auto array = ReadNpy(out);
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 1, 2}));
  EXPECT_EQ(array->values, (std::vector<float>{-1, 1, 0, 0}));
}

TEST(NormctlLocal, ComputesRmsNorm) {
  const Seen seen = Normctl({"normalize", "--local", "--values", "5,-5", "--kind", "rms_norm", "--epsilon",
                             "0", "--gamma-offset", "1"});
  EXPECT_EQ(seen.out, "rms    5\ny      2.00000 -2.00000\n") << seen.err;
  const Seen layer = Normctl({"normalize", "--local", "--values", "5,-5", "--layer", "rms_norm", "--json"});
  EXPECT_FALSE(nlohmann::json::parse(layer.out).contains("mean"));
}

TEST(NormctlLocal, AddsAResidualAndWritesTheSum) {
  const std::string in = testing::TempDir() + "normctl_in16.npy",
                    out = testing::TempDir() + "normctl_out16.npy";
  const std::string sum = testing::TempDir() + "normctl_sum16.npy";
  ASSERT_TRUE(WriteNpy(in, {.shape = {1, 2}, .values = {-1, 1}, .data_type = DataType::kFloat16}).ok());
  const Seen seen = Normctl({"normalize", "--local", in.c_str(), out.c_str(), "--residual", in.c_str(),
                             "--residual-sum", sum.c_str(), "--epsilon", "0"});
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  EXPECT_EQ(seen.out.substr(0, 17), "(1, 2) float16 ->");
  for (const auto& [path, expected] : {std::pair(out, 1.0F), std::pair(sum, 2.0F)}) {
    const auto array = ReadNpy(path);
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->data_type, DataType::kFloat16);
    EXPECT_EQ(array->values, (std::vector<float>{-expected, expected}));
  }
}

// 257 has nine significant bits, of which bfloat16 holds eight; the file stays one of float32.
TEST(NormctlLocal, ComputesInTheDataTypeThatIsAsked) {
  const std::string in = testing::TempDir() + "normctl_inb.npy",
                    out = testing::TempDir() + "normctl_outb.npy";
  const std::string sum = testing::TempDir() + "normctl_sumb.npy";
  ASSERT_TRUE(WriteNpy(in, {.shape = {2}, .values = {257, 0}}).ok());
  const Seen seen = Normctl({"normalize", "--local", in.c_str(), out.c_str(), "--data-type", "bfloat16",
                             "--residual", in.c_str(), "--residual-sum", sum.c_str()});
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  EXPECT_EQ(ReadNpy(sum)->values, (std::vector<float>{512, 0}));
  EXPECT_EQ(ReadNpy(sum)->data_type, DataType::kFloat32);
}

TEST(NormctlLocal, SaysWhichArgumentsDoNotGoTogether) {
  const auto error = [](std::vector<const char*> arguments) {
    const Seen seen = Normctl(std::move(arguments));
    EXPECT_EQ(seen.exit_code, 1);
    return seen.err;
  };
  EXPECT_EQ(error({"normalize", "--local", "in.npy"}),
            "normctl: got 1 positional arguments; expected 2: IN.npy OUT.npy with --local\n");
  EXPECT_EQ(error({"normalize", "--values", "1"}),
            "normctl: got 0 positional arguments; expected 1: ADDRESS with --values\n");
  EXPECT_EQ(error({"normalize", "--local", "--values", "1", "--layer", "layer_norm", "--epsilon", "1"}),
            "normctl: --layer and --epsilon were both given; expected one\n");
  EXPECT_EQ(error({"normalize", "--local", "--values", "1", "--layer", "rms_norm", "--kind", "rms_norm"}),
            "normctl: --layer and --kind were both given; expected one\n");
  EXPECT_EQ(error({"normalize", "--local", "--values", "1", "--residual-sum", "sum.npy"}),
            "normctl: --residual-sum goes with --residual\n");
  EXPECT_EQ(error({"normalize", "--local", "--values", "1;2", "--token-counts", "1"}),
            "normctl: --token-counts add up to 1; expected the 2 rows there are\n");
  EXPECT_EQ(error({"normalize", "--local", "--values", "1", "--token-counts", "9223372036854775807,9"}),
            "normctl: --token-counts add up to more than the 1 rows there are\n");
}

TEST(NormctlLocal, HelpsAndRefusesUnknownWords) {
  const Seen help = Normctl({"bench", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("normctl bench 127.0.0.1:8001 -z 10s"), std::string::npos) << help.out;
  EXPECT_EQ(Normctl({"frobnicate"}).exit_code, 1);
  EXPECT_EQ(Normctl({}).exit_code, 1);
}

TEST_F(NormctlTest, NormalizesThroughAServer) {
  const Seen seen = Normctl({"normalize", address_, "--values", "1,2"});
  EXPECT_EQ(seen.out, "mean   10\nsigma  0.05\ny      2.00000 3.00000\n");
  EXPECT_EQ(server_.normalizer().last_request().layer(), "layer_norm");
}

TEST_F(NormctlTest, SendsTheKindAndTheDataType) {
  const Seen seen = Normctl({"normalize", address_, "--values", "1,2", "--kind", "rms_norm", "--gamma-offset",
                             "1", "--data-type", "float16"});
  EXPECT_EQ(seen.out, "rms    0.05\ny      1.00000 2.00000\n") << seen.err;
  const v1::NormalizeRequest request = server_.normalizer().last_request();
  EXPECT_EQ(request.data_type(), v1::FLOAT16);
  EXPECT_EQ(request.parameters().kind(), v1::RMS_NORM);
  EXPECT_EQ(request.parameters().gamma_offset(), 1);
  EXPECT_EQ(request.data(), std::string("\0\x3c\0\x40", 4));
}

TEST_F(NormctlTest, SaysWhereTheLayersAreListed) {
  const Seen seen = Normctl({"normalize", address_, "--values", "1,2", "--layer", "missing"});
  EXPECT_EQ(seen.err,
            "normctl: no layer of that name; the layers it has: normctl layers " + server_.address() + "\n");
  EXPECT_EQ(seen.exit_code, 1);
}

TEST_F(NormctlTest, ListsLayers) {
  EXPECT_EQ(
      Normctl({"layers", address_}).out,
      "layer                              kind  hidden  epsilon           parameters         checkpoint\n"
      "layer_norm                   layer_norm     any    1e-05                 none           built in\n"
      "minilm/embeddings.LayerNorm  layer_norm     384    1e-12  gamma, beta float32  model.safetensors\n");
}

TEST_F(NormctlTest, TellsHealthByItsExitCode) {
  EXPECT_EQ(Normctl({"health", address_}).out, server_.address() + " is serving\n");
  EXPECT_EQ(Normctl({"health", address_}).exit_code, 0);
  EXPECT_EQ(Normctl({"health", address_, "--service", "down"}).exit_code, 1);
  EXPECT_EQ(Normctl({"health", address_, "--service", "unknown"}).exit_code, 1);
}

TEST_F(NormctlTest, ShowsWhatTheServerIs) {
  EXPECT_NE(Normctl({"info", address_}).out.find("version            9.8.7\n"), std::string::npos);
}

TEST_F(NormctlTest, BenchesAndReportsAsJson) {
  const Seen seen =
      Normctl({"bench", address_, "-n", "49", "-c", "3", "--warmup", "3", "--hidden", "8", "-O", "json"});
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  const auto json = nlohmann::json::parse(seen.out);
  EXPECT_EQ(json["ok"], 49);
  EXPECT_EQ(json["shares_ns"]["server"]["max"], 400);
  EXPECT_EQ(json["server"], "normd 9.8.7, target scalar");
}

TEST_F(NormctlTest, ABenchWhoseCallsFailExitsWith4) {
  const Seen seen = Normctl({"bench", address_, "-n", "5", "--warmup", "1", "--layer", "missing"});
  EXPECT_EQ(seen.exit_code, 4);
  EXPECT_NE(seen.out.find("5 NOT_FOUND, the first: no layer of that name\n"), std::string::npos) << seen.out;
}

TEST(Normctl, SaysHowToStartAServer) {
  for (const char* command : {"layers", "health", "info", "bench"}) {
    const Seen seen = Normctl({command, "unix:/nowhere/socket"});
    EXPECT_EQ(seen.err,
              "normctl: cannot reach unix:/nowhere/socket: no such file or directory; is normd running? "
              "start it with: "
              "normd --listen unix:/nowhere/socket\n");
    EXPECT_EQ(seen.exit_code, 1) << command;
  }
}

}  // namespace
}  // namespace normd
