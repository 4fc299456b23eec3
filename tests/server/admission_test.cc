// SPDX-License-Identifier: Apache-2.0
#include "admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normd {
namespace {

using testing::HasSubstr;

TEST(AdmissionTest, RequestsUpToTheLimit) {
  Admission admission(2, 100);
  EXPECT_TRUE(admission.Enter(0).ok());
  EXPECT_TRUE(admission.Enter(0).ok());
  const absl::Status third = admission.Enter(0);
  EXPECT_EQ(third.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(third.message()),
              HasSubstr("limit of 2 requests in flight (--max-requests-in-flight)"));
  EXPECT_EQ(admission.requests(), 2);
  admission.Leave(0);
  EXPECT_TRUE(admission.Enter(0).ok());
}

TEST(AdmissionTest, BytesUpToTheLimit) {
  Admission admission(10, 100);
  EXPECT_TRUE(admission.Enter(60).ok());
  EXPECT_TRUE(admission.Enter(40).ok());
  const absl::Status more = admission.Enter(1);
  EXPECT_EQ(more.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(more.message()),
              HasSubstr("at most 100 bytes in flight (--max-bytes-in-flight), got 101"));
  EXPECT_EQ(admission.bytes(), 100);
  admission.Leave(40);
  EXPECT_TRUE(admission.Enter(40).ok());
  EXPECT_FALSE(admission.Enter(1).ok());
}

TEST(AdmissionTest, RefusedOnesTakeNoRoom) {
  Admission admission(1, 10);
  EXPECT_FALSE(admission.Enter(11).ok());
  EXPECT_EQ(admission.requests(), 0);
  EXPECT_EQ(admission.bytes(), 0);
  EXPECT_TRUE(admission.Enter(10).ok());
}

}  // namespace
}  // namespace normd
