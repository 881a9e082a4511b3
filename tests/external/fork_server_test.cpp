// Workers that are forked off a process which has imported their module: they end as workers of their own do.
#include "backends/external/fork_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "places.h"
#include "tests/support/running_process.h"

namespace parallax {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr milliseconds limit{60'000};
const std::string adapters = PARALLAX_SOURCE_DIR "/adapters";

Result<std::shared_ptr<ForkServer>> start_server(const std::string& module) {
  return ForkServer::start({"python3", adapters, "worker.fork_server", module}, limit);
}

// What a worker says of itself, or how it ended.
Json said(Process& worker, const std::string& asked = "") {
  const LineOrFailure answer = worker.exchange(asked, limit);
  if (const auto* line = std::get_if<std::string>(&answer)) return *parse_json(*line);
  const auto* end = std::get_if<ProcessEnd>(&answer);
  return end ? Json(end->text()) : Json("no answer");
}

class ForkServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = start_server("tests.stand_in_worker");
    ASSERT_TRUE(started) << started.error().text();
    server = *std::move(started);
  }
  Process fork(const std::vector<std::string>& arguments = {}, const ProcessLimits& limits = {}) {
    auto worker = server->fork(arguments, limits);
    if (!worker) throw std::runtime_error(worker.error().text());
    return *std::move(worker);
  }
  std::shared_ptr<ForkServer> server;
};

TEST_F(ForkServerTest, AWorkerIsStartedAsAProcessOfItsOwnIs) {
  ProcessLimits limits;
  limits.memory_bytes = std::size_t{64} << 30;
  Process first = fork({"--level=3", "--name=a b"}, limits);
  Process second = fork();
  const Json a = said(first);
  const Json b = said(second);
  EXPECT_EQ(a["arguments"], (Json{"--level=3", "--name=a b"}));
  EXPECT_EQ(b["arguments"], Json::array());
  EXPECT_EQ(a["memory"], limits.memory_bytes);
  EXPECT_EQ(b["memory"], -1);
  EXPECT_EQ(a["parent"], b["parent"]);
  EXPECT_EQ((std::set<Json>{a["pid"], b["pid"], a["parent"], Json(::getpid())}.size()), 4U);
  EXPECT_EQ(a["group"], a["pid"]);
  EXPECT_EQ(first.error_tail(), "a word to standard error\n");
  EXPECT_FALSE(first.is_stale());
}

TEST_F(ForkServerTest, AWorkerEndsWithTheServer) {
  Process worker = fork();
  const Json told = said(worker);
  ::kill(told["parent"].get<pid_t>(), SIGKILL);
  EXPECT_TRUE(ends_soon(told["pid"].get<pid_t>()));
}

TEST_F(ForkServerTest, TellsHowAWorkerEnded) {
  for (const auto& [asked, end] : {std::pair("abort", "SIGABRT"), {"exit", "exit 3"}, {"close", "end of output"}}) {
    Process worker = fork();
    EXPECT_EQ(said(worker, asked), end);
    EXPECT_TRUE(worker.is_stale());
  }
  Process after = fork();
  EXPECT_TRUE(said(after).is_object());
}

TEST_F(ForkServerTest, AWorkerThatIsNotWantedAnyMoreIsGone) {
  pid_t pid = 0;
  {
    Process worker = fork();
    pid = said(worker)["pid"].get<pid_t>();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(ForkServerTest, AServerThatIsGoneForksNoMoreAndItsWorkersCountAsKilled) {
  Process worker = fork();
  ::kill(said(worker)["parent"].get<pid_t>(), SIGKILL);
  EXPECT_THAT(server->fork({}, {}).error().text(), HasSubstr("the fork server is gone"));
  EXPECT_EQ(said(worker, "exit"), "SIGKILL");
}

TEST(ForkServerStart, SaysWhyAModuleIsNotForked) {
  EXPECT_THAT(start_server("tests.no_such_module").error().text(), HasSubstr("ModuleNotFoundError"));
  ::setenv("STAND_IN_STARTS_A_THREAD", "1", 1);
  EXPECT_THAT(start_server("tests.stand_in_worker").error().text(), HasSubstr("threads"));
  ::unsetenv("STAND_IN_STARTS_A_THREAD");
}

TEST(StartWorker, ForksFromTheSecondOfAModuleOn) {
  const std::vector<std::string> command = {"python3", adapters, "tests.stand_in_worker", "--a"};
  const auto start = [&] {
    auto worker = start_worker(command, {}, limit);
    if (!worker) throw std::runtime_error(worker.error().text());
    return *std::move(worker);
  };
  Process first = start();
  EXPECT_EQ(said(first)["parent"], ::getpid());
  Process second = start();
  const Json forked = said(second);
  EXPECT_NE(forked["parent"], ::getpid());
  EXPECT_EQ(forked["arguments"], Json{"--a"});
  ::kill(forked["parent"].get<pid_t>(), SIGKILL);
  Process third = start();
  EXPECT_EQ(said(third)["parent"], ::getpid());
}

}  // namespace
}  // namespace parallax
