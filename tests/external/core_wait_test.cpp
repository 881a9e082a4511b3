// On a made-up folder of processes: who waited for a core, and whose waiting counts.
#include "backends/external/core_wait.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace parallax {
namespace {

using std::chrono::nanoseconds;

class CoreWaitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    proc_ =
        std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(proc_);
  }
  void TearDown() override { std::filesystem::remove_all(proc_); }

  // A process with one thread, what its life has waited, and whom it started.
  void process(int number, int waited, const std::string& children = "") {
    const std::filesystem::path folder = proc_ / std::to_string(number);
    std::filesystem::create_directories(folder / "task" / std::to_string(number));
    std::ofstream(folder / "schedstat") << fmt::format("1000 {} 3\n", waited);
    std::ofstream(folder / "task" / std::to_string(number) / "children") << children;
  }

  std::filesystem::path proc_;
};

TEST_F(CoreWaitTest, CountsFromTheFirstLook) {
  process(7, 500);
  CoreWait wait(7, proc_);
  EXPECT_EQ(wait.waited(), nanoseconds(0));
  process(7, 530);
  wait.look();
  EXPECT_EQ(wait.waited(), nanoseconds(30));
}

TEST_F(CoreWaitTest, CountsACompilerThatTheWorkerWaitsFor) {
  process(7, 500, "8 ");
  process(8, 40);
  CoreWait wait(7, proc_);
  process(7, 500, "8 9 ");
  process(8, 45, "10");
  process(9, 100);
  process(10, 1000);
  wait.look();
  EXPECT_EQ(wait.waited(), nanoseconds(1000));  // side by side
  process(9, 103);
  wait.look();
  EXPECT_EQ(wait.waited(), nanoseconds(1003));
}

TEST_F(CoreWaitTest, KeepsWhatWhoHasEndedHadWaited) {
  process(7, 0, "8");
  process(8, 0);
  CoreWait wait(7, proc_);
  process(8, 60);
  wait.look();
  std::filesystem::remove_all(proc_ / "8");
  process(7, 2);
  wait.look();
  EXPECT_EQ(wait.waited(), nanoseconds(62));
}

TEST_F(CoreWaitTest, NobodyWaitsWhereTheSystemDoesNotTell) {
  CoreWait wait(7, proc_);
  wait.look();
  EXPECT_EQ(wait.waited(), nanoseconds(0));
}

}  // namespace
}  // namespace parallax
