// A child process that misbehaves is a value, and it is always gone afterwards.
#include "backends/external/process.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <thread>

#include "tests/support/running_process.h"

namespace parallax {
namespace {

using std::chrono::milliseconds;

Process start(const std::string& script, const ProcessLimits& limits = {}) {
  auto process = Process::start({"sh", "-c", script}, limits);
  if (!process) throw std::runtime_error(process.error().text());
  return *std::move(process);
}

// "line …", "timeout", "overflow" or what ended it.
std::string text(const LineOrFailure& answer) {
  if (const auto* line = std::get_if<std::string>(&answer)) return "line " + *line;
  if (std::holds_alternative<ProcessTimeout>(answer)) return "timeout";
  if (std::holds_alternative<ProcessOverflow>(answer)) return "overflow";
  return std::get<ProcessEnd>(answer).text();
}

std::string ask(const std::string& script, milliseconds limit = milliseconds(20'000)) {
  Process process = start(script);
  return text(process.exchange("hello", limit));
}

TEST(Process, AnswersLineByLine) {
  Process process = start("while read line; do echo \"got $line\"; done");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(text(process.exchange(std::to_string(i), milliseconds(20'000))), "line got " + std::to_string(i));
    EXPECT_FALSE(process.is_stale());
  }
}

TEST(Process, ReportsHowTheChildEnded) {
  struct Row {
    const char* script;
    const char* end;
  };
  const Row rows[] = {
      {"read line; kill -KILL $$", "SIGKILL"},
      {"read line; kill -SEGV $$", "SIGSEGV"},
      {"kill -ABRT $$", "SIGABRT"},
      {"read line; exit 3", "exit 3"},
      {"exit 0", "exit 0"},
      {"printf half; exit 1", "exit 1"},
  };
  for (const Row& row : rows) EXPECT_EQ(ask(row.script), row.end) << row.script;
}

TEST(Process, AChildThatClosesItsOutputIsKilled) {
  EXPECT_EQ(ask("read line; exec >&-; while true; do sleep 1; done"), "end of output");
}

TEST(Process, SilenceIsATimeout) { EXPECT_EQ(ask("while true; do :; done", milliseconds(200)), "timeout"); }

TEST(Process, AnEndlessLineIsCutOff) {
  Process process = start("exec cat /dev/zero", {.reply_bytes = std::size_t{1} << 20});
  EXPECT_EQ(text(process.exchange("x", milliseconds(20'000))), "overflow");
}

TEST(Process, ALargeMessageToAChildThatDoesNotReadIsATimeoutAndToADeadOneAnEnd) {
  const std::string large(std::size_t{8} << 20, 'x');
  Process idle = start("exec sleep 100");
  EXPECT_EQ(text(idle.exchange(large, milliseconds(200))), "timeout");
  Process dead = start("exit 5");
  EXPECT_EQ(text(dead.exchange(large, milliseconds(20'000))), "exit 5");
}

TEST(Process, BothSidesMayWriteMuchAtOnce) {
  // The child answers before it has read everything: neither side may wait for the other.
  Process process = start("head -c 4000000 /dev/zero | tr '\\0' a; echo; cat > /dev/null");
  const LineOrFailure answer = process.exchange(std::string(std::size_t{4} << 20, 'x'), milliseconds(20'000));
  ASSERT_TRUE(std::holds_alternative<std::string>(answer)) << text(answer);
  EXPECT_EQ(std::get<std::string>(answer).size(), 4'000'000u);
}

TEST(Process, WhatNobodyAskedForMakesItStale) {
  Process process = start("read line; echo one; echo two; read line");
  EXPECT_EQ(text(process.exchange("x", milliseconds(20'000))), "line one");
  for (int i = 0; i < 2000 && !process.is_stale(); ++i) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(process.is_stale());
}

TEST(Process, KeepsTheTailOfStandardErrorOfTheLastExchange) {
  Process process = start("read a; echo first >&2; echo ok; read b; echo second >&2; kill -SEGV $$");
  EXPECT_EQ(text(process.exchange("a", milliseconds(20'000))), "line ok");
  EXPECT_EQ(process.error_tail(), "first\n");
  EXPECT_EQ(text(process.exchange("b", milliseconds(20'000))), "SIGSEGV");
  EXPECT_EQ(process.error_tail(), "second\n");
}

TEST(Process, EndlessStandardErrorIsEmptiedAsItGrows) {
  Process process = start("head -c 200000000 /dev/zero >&2; sleep 0.3; echo end >&2; echo done; read line");
  EXPECT_EQ(text(process.exchange("x", milliseconds(60'000))), "line done");
  EXPECT_TRUE(process.error_tail(1 << 30).ends_with("end\n"));
  EXPECT_LT(process.error_tail(1 << 30).size(), 40u << 20);
}

TEST(Process, AnErrorNamesWhatCannotBeStarted) {
  EXPECT_EQ(Process::start({"/nowhere/python"}, {}).error().reason,
            "cannot start /nowhere/python: No such file or directory");
  EXPECT_FALSE(Process::start({}, {}).has_value());
  EXPECT_FALSE(Process::start({""}, {}).has_value());
}

TEST(Process, LeavesNoChildAndNoGrandchildBehind) {
  const std::string file = testing::TempDir() + "parallax_grandchild";
  {
    Process process = start("sleep 1000 & echo $! > " + file + "; exec sleep 1000");
    EXPECT_EQ(text(process.exchange("x", milliseconds(1000))), "timeout");
  }
  pid_t grandchild = 0;
  std::ifstream(file) >> grandchild;
  ASSERT_GT(grandchild, 0);
  // Its new parent may take a moment to reap it; a zombie still answers to signal 0.
  for (int i = 0; i < 2000 && ::kill(grandchild, 0) == 0; ++i) std::this_thread::sleep_for(milliseconds(5));
  std::string state;
  std::ifstream(("/proc/" + std::to_string(grandchild) + "/stat")) >> state >> state >> state;
  EXPECT_TRUE(state.empty() || state == "Z") << state;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, EndsWithWhoStartedIt) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    Process child = start("echo $$; while :; do :; done");
    const std::string said = text(child.exchange("", milliseconds(20'000)));  // "line 123"
    [[maybe_unused]] const ssize_t written = ::write(ends[1], said.data(), said.size());
    ::raise(SIGKILL);
  }
  ::close(ends[1]);
  ::waitpid(parent, nullptr, 0);
  std::string said(32, '\0');
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], said.data(), said.size()), 0)));
  ::close(ends[0]);
  ASSERT_TRUE(said.starts_with("line ")) << said;
  EXPECT_TRUE(ends_soon(static_cast<pid_t>(std::stoi(said.substr(5)))));
}

TEST(Process, ClosesItsDescriptors) {
  const auto open_files = [] {
    int count = 0;
    DIR* folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
  };
  const int before = open_files();
  for (int i = 0; i < 3; ++i) {
    Process first = start("read line; echo ok");
    Process second = std::move(first);
    first = std::move(second);
    EXPECT_EQ(text(first.exchange("x", milliseconds(20'000))), "line ok");
    EXPECT_FALSE(Process::start({"/nowhere/python"}, {}).has_value());
  }
  EXPECT_EQ(open_files(), before);
}

TEST(Process, TheMemoryLimitHolds) {
  Process process = start("read line; exec python3 -c 'bytearray(1 << 31)'", {.memory_bytes = std::size_t{1} << 30});
  EXPECT_EQ(text(process.exchange("x", milliseconds(60'000))), "exit 1");
  EXPECT_NE(process.error_tail().find("MemoryError"), std::string::npos) << process.error_tail();
}

TEST(Process, WhoIsGivenUpIsNotWaitedFor) {
  int asked = 0;
  Process process = start("sleep 60", {.given_up = [&] { return ++asked > 2; }});
  EXPECT_TRUE(std::holds_alternative<ProcessGivenUp>(process.exchange("", std::chrono::seconds(50))));
  EXPECT_EQ(process.processor_seconds(), 0);
}

TEST(Process, TellsItsProcessorTime) {
  Process process = start("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read x");
  ASSERT_TRUE(std::holds_alternative<std::string>(process.exchange("", std::chrono::seconds(50))));
  EXPECT_GT(process.processor_seconds(), 0.02);
}

}  // namespace
}  // namespace parallax
