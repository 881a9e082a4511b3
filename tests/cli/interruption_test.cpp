// Signals that end a run with what it has so far.
#include "cli/interruption.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace parallax {
namespace {

class InterruptionDeathTest : public testing::TestWithParam<int> {};

// timeout(1) sends its signal twice in a row.
TEST_P(InterruptionDeathTest, SignalsInARowAreOneRequest) {
  EXPECT_EXIT(
      {
        catch_interruptions();
        if (was_interrupted()) std::_Exit(1);
        for (int k = 0; k < 3; ++k) std::raise(GetParam());
        std::_Exit(was_interrupted() ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
}

TEST_P(InterruptionDeathTest, ALaterSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        catch_interruptions();
        std::raise(GetParam());
        ::usleep(2'100'000);
        std::raise(GetParam());
        std::_Exit(0);
      },
      testing::KilledBySignal(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Each, InterruptionDeathTest, testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace parallax
