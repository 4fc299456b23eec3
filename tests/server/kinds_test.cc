// SPDX-License-Identifier: Apache-2.0
//
// Each kind, data type and output against Norm on whole arrays, bit for bit, however the message is cut.
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "cut.h"
#include "handled.h"
#include "normd/convert.h"

namespace normd {
namespace {

constexpr int64_t kHidden = 11;  // no multiple of any target's lanes
constexpr int64_t kRows = 5;
constexpr size_t kValues = kHidden * kRows;

std::vector<float> Wave(size_t count, size_t step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * step % 101) * 0.37F - 9;
  return values;
}

std::string Rounded(const std::vector<float>& values, DataType type) {
  std::string bytes(values.size() * static_cast<size_t>(BytesOf(type)), '\0');
  RoundFloats(values, type, bytes.data());
  return bytes;
}

std::string Widened(const std::string& bytes, DataType type) {
  std::vector<float> values(bytes.size() / static_cast<size_t>(BytesOf(type)));
  WidenToFloats(bytes.data(), type, values);
  return BytesOf(values);
}

std::string ListBytes(const google::protobuf::RepeatedField<float>& values) {
  return BytesOf(std::vector<float>(values.begin(), values.end()));
}

using Case = std::tuple<NormKind, DataType, bool>;  // with a residual or without

class KindsTest : public testing::TestWithParam<Case> {
 protected:
  KindsTest() {
    for (float& value : running_var_) value += 10;
    SetParameters();
    request_.add_outputs(v1::NORMALIZED);
    if (kind_ == NormKind::kLayerNorm) request_.add_outputs(v1::MEAN);
    if (kind_ != NormKind::kBatchNorm) request_.add_outputs(v1::RSTD);
    if (with_residual_) request_.add_outputs(v1::RESIDUAL_SUM);
    RunNorm();
  }

  void SetParameters() {
    request_.set_data_type(static_cast<v1::DataType>(type_));
    request_.set_hidden(kHidden);
    v1::Parameters* parameters = request_.mutable_parameters();
    parameters->set_kind(static_cast<v1::Kind>(kind_));
    parameters->set_epsilon(0.25);
    parameters->mutable_gamma()->Add(gamma_.begin(), gamma_.end());
    if (kind_ == NormKind::kRmsNorm) {
      parameters->set_gamma_offset(1);
    } else {
      parameters->mutable_beta()->Add(beta_.begin(), beta_.end());
    }
    if (kind_ != NormKind::kBatchNorm) return;
    parameters->mutable_running_mean()->Add(running_mean_.begin(), running_mean_.end());
    parameters->mutable_running_var()->Add(running_var_.begin(), running_var_.end());
  }

  void RunNorm() {
    NormParameters parameters = {.kind = kind_, .hidden = kHidden, .gamma = gamma_, .epsilon = 0.25};
    if (kind_ == NormKind::kRmsNorm) {
      parameters.gamma_offset = 1;
    } else {
      parameters.beta = beta_;
    }
    if (kind_ == NormKind::kBatchNorm) {
      parameters.running_mean = running_mean_;
      parameters.running_var = running_var_;
    }
    NormOperands operands = {.rows = kRows, .data_type = type_, .x = {data_.data()}, .y = {y_.data()}};
    if (with_residual_) operands.residual.data = residual_.data();
    if (with_residual_) operands.residual_sum.data = residual_sum_.data();
    if (kind_ == NormKind::kLayerNorm) operands.mean = mean_.data();
    if (kind_ != NormKind::kBatchNorm) operands.rstd = rstd_.data();
    const auto norm = Norm::Create(parameters);
    ASSERT_TRUE(norm.ok() && norm->Run(operands).ok());
  }

  void SetPayloads() {
    request_.set_data(data_);
    if (with_residual_) request_.set_residual(residual_);
  }

  void ExpectSameBits(const absl::StatusOr<v1::NormalizeResponse>& response) {
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->data_type(), request_.data_type());
    EXPECT_EQ(response->data(), y_);
    EXPECT_EQ(response->has_residual_sum(), with_residual_);
    EXPECT_EQ(response->residual_sum(), residual_sum_);
    ExpectSameStatistics(*response);
  }

  void ExpectSameStatistics(const v1::NormalizeResponse& response) {
    EXPECT_EQ(ListBytes(response.mean()), kind_ == NormKind::kLayerNorm ? BytesOf(mean_) : "");
    EXPECT_EQ(ListBytes(response.rstd()), kind_ != NormKind::kBatchNorm ? BytesOf(rstd_) : "");
  }

  const NormKind kind_ = std::get<0>(GetParam());
  const DataType type_ = std::get<1>(GetParam());
  const bool with_residual_ = std::get<2>(GetParam());
  std::vector<float> gamma_ = Wave(kHidden, 7), beta_ = Wave(kHidden, 13);
  std::vector<float> running_mean_ = Wave(kHidden, 29), running_var_ = Wave(kHidden, 17);
  std::vector<float> tokens_ = Wave(kValues, 37), stream_ = Wave(kValues, 53);
  std::string data_ = Rounded(tokens_, type_), residual_ = Rounded(stream_, type_);
  std::string y_ = data_, residual_sum_ = with_residual_ ? data_ : "";
  std::vector<float> mean_ = Wave(kRows, 1), rstd_ = Wave(kRows, 1);
  LayerRegistry layers_{nullptr};
  NormalizeHandler handler_{&layers_};
  v1::NormalizeRequest request_;
};

TEST_P(KindsTest, CutInTwoAtEachByte) {
  SetPayloads();
  const std::string message = request_.SerializeAsString();
  for (size_t at = 0; at <= message.size(); ++at) {
    SCOPED_TRACE(at);
    ExpectSameBits(HandleSlices(&handler_, CutMessage(message, {at}).slices()));
  }
}

TEST_P(KindsTest, CutAtRandom) {
  SetPayloads();
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    request_.set_request_id(std::string(random.Below(8), 'i'));  // moves the payloads
    const CutMessage cut = CutAtRandom(request_.SerializeAsString(), &random);
    ExpectSameBits(HandleSlices(&handler_, cut.slices()));
  }
}

TEST_P(KindsTest, EachByteASliceAndTheResidualBehindTheData) {
  request_.set_data(data_);
  v1::NormalizeRequest behind;
  if (with_residual_) behind.set_residual(residual_);
  const std::string message = request_.SerializeAsString() + behind.SerializeAsString();
  const CutMessage cut(message, std::vector<size_t>(message.size(), 1));
  ExpectSameBits(HandleSlices(&handler_, cut.slices()));
}

TEST_P(KindsTest, Values) {
  request_.mutable_values()->Add(tokens_.begin(), tokens_.end());
  if (with_residual_) request_.mutable_residual_values()->Add(stream_.begin(), stream_.end());
  const auto response = Handle(&handler_, request_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->has_data() || response->has_residual_sum());
  EXPECT_EQ(ListBytes(response->values()), Widened(y_, type_));
  EXPECT_EQ(ListBytes(response->residual_sum_values()), Widened(residual_sum_, type_));
  ExpectSameStatistics(*response);
}

TEST_P(KindsTest, ResidualSumAlone) {
  if (!with_residual_) return;
  SetPayloads();
  request_.clear_outputs();
  request_.add_outputs(v1::RESIDUAL_SUM);
  const auto response = Handle(&handler_, request_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->has_data());
  EXPECT_EQ(response->residual_sum(), residual_sum_);
}

TEST_P(KindsTest, InAStream) {
  SetPayloads();
  const std::string bytes = request_.SerializeAsString();
  const std::string_view slice = bytes;
  Answer answer;
  Call call;
  call.message = {&slice, 1};
  ASSERT_TRUE(handler_.Handle(call, Framing::kStream, &answer).ok());
  v1::NormalizeStreamResponse response;
  ASSERT_TRUE(response.ParseFromString(TakeBytes(&answer)));
  ExpectSameBits(response.result());
}

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  const auto [kind, type, with_residual] = info.param;
  return absl::StrCat(v1::Kind_Name(static_cast<v1::Kind>(kind)), "_",
                      v1::DataType_Name(static_cast<v1::DataType>(type)), with_residual ? "_residual" : "");
}

INSTANTIATE_TEST_SUITE_P(
    All, KindsTest,
    testing::Combine(testing::Values(NormKind::kLayerNorm, NormKind::kRmsNorm, NormKind::kBatchNorm),
                     testing::Values(DataType::kFloat32, DataType::kFloat16, DataType::kBfloat16),
                     testing::Bool()),
    NameOf);

class LayersTest : public testing::Test {
 protected:
  v1::NormalizeResponse Answered(const v1::NormalizeRequest& request) {
    const auto response = Handle(&handler_, request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : v1::NormalizeResponse();
  }

  LayerRegistry layers_{nullptr};
  NormalizeHandler handler_{&layers_};
};

TEST_F(LayersTest, BuiltInRmsNormHasAnyHidden) {
  auto request = RequestOf({3, 4, 0, 0}, 4);
  auto inline_request = request;
  request.set_layer("rms_norm");
  inline_request.clear_layer();
  inline_request.mutable_parameters()->set_kind(v1::RMS_NORM);
  EXPECT_EQ(Answered(request).data(), Answered(inline_request).data());
}

TEST_F(LayersTest, RmsNormOfACheckpoint) {
  Layer layer;
  layer.name = "model/norm";
  layer.kind = NormKind::kRmsNorm;
  layer.hidden = 2;
  layer.epsilon = 0;
  layer.gamma = {2, 3};
  ASSERT_TRUE(layers_.Add(layer).ok());
  auto request = RequestOf({5, -5}, 0);
  request.set_layer("model/norm");
  EXPECT_EQ(Answered(request).data(), BytesOf({2, -3}));
}

TEST_F(LayersTest, HiddenOfAnyParameter) {
  auto request = RequestOf({5, -5}, 0);
  request.clear_layer();
  v1::Parameters* parameters = request.mutable_parameters();
  parameters->set_kind(v1::BATCH_NORM);
  parameters->set_epsilon(0);
  for (const float mean : {1.0F, -1.0F}) parameters->add_running_mean(mean);
  for (const float var : {4.0F, 16.0F}) parameters->add_running_var(var);
  EXPECT_EQ(Answered(request).data(), BytesOf({2, -1}));
}

// Without a gamma the offset needs an array of hidden floats; hidden alone is not to ask for it.
TEST_F(LayersTest, HiddenWithoutRowsTakesNoMemory) {
  auto request = RequestOf({}, int64_t{1} << 60, {0});
  request.clear_layer();
  request.mutable_parameters()->set_kind(v1::RMS_NORM);
  request.mutable_parameters()->set_gamma_offset(1);
  EXPECT_EQ(Answered(request).data(), "");
}

TEST_F(LayersTest, NoRowsHaveASumOfNoBytes) {
  auto request = RequestOf({}, 8, {0, 0});
  request.clear_data();
  request.add_outputs(v1::RESIDUAL_SUM);
  EXPECT_TRUE(Answered(request).has_residual_sum());
}

}  // namespace
}  // namespace normd
