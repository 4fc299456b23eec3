// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "differential_run.h"

namespace normd {
namespace {

TEST(DifferentialTest, ReadersAgreeWithProtobuf) {
  constexpr int64_t kMessages = 100000;
  const DifferentialResult result = RunDifferential(kMessages, 20);
  EXPECT_EQ(result.difference, "");
  // Messages that are nearly all valid, or nearly all not, would prove little.
  EXPECT_GT(result.accepted, kMessages / 3);
  EXPECT_GT(result.rejected, kMessages / 10);
}

}  // namespace
}  // namespace normd
