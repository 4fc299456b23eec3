// SPDX-License-Identifier: Apache-2.0
#include "cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace normd {
namespace {

// A tree with /proc/self/cgroup and the files of cgroups.
class CpusTest : public testing::Test {
 protected:
  CpusTest()
      : root_(testing::TempDir() + "/cpus_" + testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(root_);
  }
  ~CpusTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(CpusTest, NoCgroupNoQuota) {
  EXPECT_EQ(CgroupCpus(root_), 0);
  EXPECT_EQ(UsableCpus(root_), UsableCpus("/nowhere"));
  EXPECT_GE(UsableCpus(root_), 1);
}

TEST_F(CpusTest, VersionTwo) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(CgroupCpus(root_), 0);
  Write("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(CgroupCpus(root_), 3);
  Write("/sys/fs/cgroup/cpu.max", "310000 100000\n");
  EXPECT_EQ(CgroupCpus(root_), 4);
  Write("/sys/fs/cgroup/cpu.max", "1000 100000\n");
  EXPECT_EQ(CgroupCpus(root_), 1);
}

TEST_F(CpusTest, VersionTwoTakesTheTightestAbove) {
  Write("/proc/self/cgroup", "0::/pods/one/two\n");
  Write("/sys/fs/cgroup/pods/cpu.max", "200000 100000\n");
  Write("/sys/fs/cgroup/pods/one/cpu.max", "max 100000\n");
  Write("/sys/fs/cgroup/pods/one/two/cpu.max", "700000 100000\n");
  EXPECT_EQ(CgroupCpus(root_), 2);
}

TEST_F(CpusTest, VersionOne) {
  Write("/proc/self/cgroup", "7:memory:/x\n4:cpu,cpuacct:/docker/abc\n");
  Write("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "250000\n");
  Write("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CgroupCpus(root_), 3);
  Write("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(CgroupCpus(root_), 0);
}

TEST_F(CpusTest, VersionOneInAContainerHasTheLimitAtTheTop) {
  Write("/proc/self/cgroup", "4:cpu,cpuacct:/docker/not-visible-here\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(CgroupCpus(root_), 2);
}

TEST_F(CpusTest, NonsenseIsNoQuota) {
  Write("/proc/self/cgroup", "nonsense\n0::/\n4:cpu:/\n");
  for (const std::string text : {"", "x", "0 0", "-5 100", "100", "nan nan"}) {
    Write("/sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(CgroupCpus(root_), 0) << text;
  }
}

TEST_F(CpusTest, AffinityBoundsTheQuota) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/cpu.max", "99900000 100000\n");
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(UsableCpus(root_), CPU_COUNT(&before));
  Write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(UsableCpus(root_), 1);
}

}  // namespace
}  // namespace normd
