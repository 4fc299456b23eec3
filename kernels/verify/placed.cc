// SPDX-License-Identifier: Apache-2.0
#include "placed.h"

#include <cstring>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

constexpr std::byte kCanaryByte{0xA5};
constexpr float kCanary = -7.25F;
constexpr size_t kMargin = 128;
constexpr size_t kAlignment = 64;

size_t SizeOf(DataType data_type) { return static_cast<size_t>(FormatOf(data_type).bits()) / 8; }

}  // namespace

PlacedRows::PlacedRows(DataType data_type, int64_t rows, int64_t hidden, Spot spot,
                       std::span<const float> values)
    : data_type_(data_type),
      rows_(rows),
      hidden_(hidden),
      stride_(hidden + spot.gap),
      memory_(
          static_cast<size_t>(rows * stride_) * SizeOf(data_type) + 2 * kMargin + kAlignment + spot.offset,
          kCanaryByte) {
  const auto address = reinterpret_cast<uintptr_t>(memory_.data()) + kMargin;
  begin_ = kMargin + (kAlignment - address % kAlignment) % kAlignment + spot.offset;
  const std::vector<std::byte> bytes = BytesOfBits(data_type, EncodeAll(data_type, values));
  for (int64_t r = 0; r < rows && !values.empty(); ++r) {
    std::memcpy(memory_.data() + RowBegin(r), bytes.data() + static_cast<size_t>(r) * row_bytes(),
                row_bytes());
  }
  before_ = memory_;
}

size_t PlacedRows::row_bytes() const { return static_cast<size_t>(hidden_) * SizeOf(data_type_); }

size_t PlacedRows::RowBegin(int64_t row) const {
  return begin_ + static_cast<size_t>(row * stride_) * SizeOf(data_type_);
}

std::vector<uint32_t> PlacedRows::Stored() const {
  std::vector<std::byte> bytes(static_cast<size_t>(rows_) * row_bytes());
  for (int64_t r = 0; r < rows_; ++r) {
    std::memcpy(bytes.data() + static_cast<size_t>(r) * row_bytes(), memory_.data() + RowBegin(r),
                row_bytes());
  }
  return BitsOfBytes(data_type_, bytes);
}

bool PlacedRows::SamePart(size_t begin, size_t end) const {
  return std::memcmp(memory_.data() + begin, before_.data() + begin, end - begin) == 0;
}

bool PlacedRows::UnchangedOutside() const {
  size_t end = 0;  // of the row before
  for (int64_t r = 0; r < rows_; ++r) {
    if (!SamePart(end, RowBegin(r))) return false;
    end = RowBegin(r) + row_bytes();
  }
  return SamePart(end, memory_.size());
}

PlacedOperands::PlacedOperands(const Trial& trial, const Layout& layout)
    : trial_(trial),
      layout_(layout),
      x_(trial.data_type, trial.rows(), trial.hidden, layout.x, trial.x),
      residual_(trial.data_type, trial.residual.empty() ? 0 : trial.rows(), trial.hidden, layout.residual,
                trial.residual),
      y_(trial.data_type, trial.rows(), trial.hidden, layout.y, {}),
      sum_(trial.data_type, trial.wants_sum ? trial.rows() : 0, trial.hidden, layout.sum, {}),
      mean_(static_cast<size_t>(trial.wants_mean ? trial.rows() : 0) + 1, kCanary),
      rstd_(static_cast<size_t>(trial.wants_rstd ? trial.rows() : 0) + 1, kCanary) {}

NormOperands PlacedOperands::View() {
  const auto pointer = [](const std::vector<float>& given) { return given.empty() ? nullptr : given.data(); };
  NormOperands operands{.rows = trial_.rows(),
                        .data_type = trial_.data_type,
                        .x = {x_.data(), x_.stride()},
                        .y = {y().data(), y().stride()},
                        .given_mean = pointer(trial_.given_mean),
                        .given_rstd = pointer(trial_.given_rstd)};
  if (!trial_.residual.empty()) operands.residual = {residual_.data(), residual_.stride()};
  if (trial_.wants_sum) operands.residual_sum = {residual_sum().data(), residual_sum().stride()};
  if (trial_.wants_mean) operands.mean = mean_.data();
  if (trial_.wants_rstd) operands.rstd = rstd_.data();
  return operands;
}

Bits PlacedOperands::Outputs() {
  const auto rows_of = [](const std::vector<float>& all) {
    return BitsOf(std::span(all).first(all.size() - 1));
  };
  return {y().Stored(), trial_.wants_sum ? residual_sum().Stored() : std::vector<uint32_t>(), rows_of(mean_),
          rows_of(rstd_)};
}

PlacedRows& PlacedOperands::At(Place place, PlacedRows& own) {
  if (place == Place::kX) return x_;
  return place == Place::kResidual ? residual_ : own;
}

bool PlacedOperands::WrittenAt(Place place) const {
  return layout_.y_place == place || (trial_.wants_sum && layout_.sum_place == place);
}

absl::Status PlacedOperands::CheckOnlyOutputsWritten() {
  for (const auto& [name, place, rows] :
       {std::tuple("x", Place::kX, &x_), {"the residual", Place::kResidual, &residual_}}) {
    if (!WrittenAt(place) && !rows->Unchanged())
      return absl::InternalError(absl::StrCat(name, " was written"));
  }
  for (const PlacedRows* rows : {&x_, &residual_, &y_, &sum_}) {
    if (!rows->UnchangedOutside()) return absl::InternalError("something was written beside rows");
  }
  if (mean_.back() == kCanary && rstd_.back() == kCanary) return absl::OkStatus();
  return absl::InternalError("something was written beside the statistics");
}

absl::StatusOr<Bits> RunTrial(const Target& target, const Trial& trial, const Layout& layout) {
  const NormOptions options{
      .target = &target, .tasks = layout.tasks, .streaming_bytes = layout.streaming_bytes};
  const auto norm = Norm::Create(trial.parameters.View(trial.hidden), options);
  if (!norm.ok()) return norm.status();
  PlacedOperands operands(trial, layout);
  if (auto status = norm->Run(operands.View()); !status.ok()) return status;
  if (auto status = operands.CheckOnlyOutputsWritten(); !status.ok()) return status;
  return operands.Outputs();
}

}  // namespace normd
