// The entry points of fuzzing engines, as programs that replay files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/choices.h"
#include "fuzz/campaign/case_fuzzer.h"
#include "fuzz/findings/fuzzer_hash.h"
#include "places.h"
#include "tests/support/sample_case.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

struct Replayed {
  int code = -1;    // of a program that ended by itself
  int signal = -1;  // of one that did not
  std::string err;
};

class FuzzTargets : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / fmt::format("parallax_{}_{}", test->name(), ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // `environment` is variables as `env` takes them. Executed in place of the shell, so that the status is the
  // program's.
  Replayed replay(const std::string& target, const std::string& bytes, const std::string& environment = "") const {
    const fs::path input = folder_ / "input", err = folder_ / "stderr";
    std::ofstream(input, std::ios::binary) << bytes;
    const std::string command = "exec env " + environment +
                                " PARALLAX_ROOT='" PARALLAX_SOURCE_DIR "' '" PARALLAX_REPLAYERS "/" + target +
                                "_replay' '" + input.string() + "' 2>'" + err.string() + "'";
    const int status = std::system(command.c_str());
    std::ifstream file(err);
    Replayed replayed{-1, -1, {std::istreambuf_iterator<char>(file), {}}};
    if (WIFEXITED(status)) replayed.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) replayed.signal = WTERMSIG(status);
    return replayed;
  }

  fs::path folder_;
};

std::string text_of(const std::vector<uint8_t>& tape) { return {tape.begin(), tape.end()}; }

TEST_F(FuzzTargets, TakeAnEmptyInput) {
  for (const char* target : {"compiler_portable", "planner", "case_reader", "plan_reader", "audit_reader"}) {
    const Replayed replayed = replay(target, "");
    EXPECT_EQ(replayed.code, 0) << target << ": " << replayed.err;
  }
}

// A tape on which a planted bug shows stops the program with the story and the line; without the plant it does not.
TEST_F(FuzzTargets, APlantedFindingStopsTheProgramWithItsLine) {
  auto fuzzer = CaseFuzzer::open({"portable", {"F01"}, GenerateProfile::Alias});
  ASSERT_TRUE(fuzzer.has_value()) << fuzzer.error().text();
  std::vector<uint8_t> tape;
  for (uint64_t k = 0; k < 5000 && tape.empty(); ++k) {
    Choices choices(3, k);
    fuzzer->draw(choices);
    if (fuzzer->examine_tape(choices.tape())) tape = choices.tape();
  }
  ASSERT_FALSE(tape.empty());
  const std::string profile = "PARALLAX_PROFILE=alias ";
  const Replayed stopped = replay("compiler_portable", text_of(tape), profile + "PARALLAX_PLANT=F01");
  EXPECT_EQ(stopped.signal, SIGABRT) << stopped.err;
  const std::size_t line = stopped.err.find("ASSERTION FAILED: FuzzerHash=");
  ASSERT_NE(line, std::string::npos) << stopped.err;
  const std::string said = stopped.err.substr(line, stopped.err.find('\n', line) - line);
  EXPECT_THAT(said, HasSubstr(" mismatch | portable | "));
  EXPECT_EQ(said, fuzzer_hash_line(said.substr(said.find("mismatch"))));
  EXPECT_THAT(stopped.err, HasSubstr("planted: F01"));
  EXPECT_THAT(stopped.err, HasSubstr(R"("parallax":1)"));

  const Replayed passed = replay("compiler_portable", text_of(tape), profile);
  EXPECT_EQ(passed.code, 0) << passed.err;
}

TEST_F(FuzzTargets, SayWhatIsWrongWithTheEnvironment) {
  const Replayed unset = replay("external", "", "-u PARALLAX_TARGET");
  EXPECT_EQ(unset.code, 2);
  EXPECT_THAT(unset.err, HasSubstr("PARALLAX_TARGET is not set"));
  const Replayed unknown = replay("external", "", "PARALLAX_TARGET=no-such-target");
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("no-such-target"));
  const Replayed profile = replay("compiler_portable", "", "PARALLAX_PROFILE=sideways");
  EXPECT_EQ(profile.code, 2);
  EXPECT_THAT(profile.err, HasSubstr("PARALLAX_PROFILE=sideways"));
}

TEST_F(FuzzTargets, ExternalDrivesTheTargetOfTheEnvironment) {
  Choices choices(4, 4);
  auto fuzzer = CaseFuzzer::open({"portable"});
  ASSERT_TRUE(fuzzer.has_value());
  fuzzer->draw(choices);
  const Replayed replayed = replay("external", text_of(choices.tape()), "PARALLAX_TARGET=portable");
  EXPECT_EQ(replayed.code, 0) << replayed.err;
}

TEST_F(FuzzTargets, ReadersTakeWhatIsValidAndRefuseWhatIsNot) {
  const std::string whole(full_case);
  for (const std::string& text : {whole, whole.substr(0, whole.size() / 2), std::string("{\"plan\": 1}")}) {
    for (const char* target : {"case_reader", "plan_reader", "audit_reader"}) {
      const Replayed replayed = replay(target, text);
      EXPECT_EQ(replayed.code, 0) << target << ": " << replayed.err;
      EXPECT_THAT(replayed.err, Not(HasSubstr("ASSERTION FAILED")));
    }
  }
}

std::string random_tape(uint64_t stream) {
  Choices bytes(12, stream);
  std::string tape;
  for (int i = 0; i < 400; ++i) tape += static_cast<char>(bytes.below(256));
  return tape;
}

TEST_F(FuzzTargets, PlannersTapesHoldWhatTheyPromise) {
  for (uint64_t k = 0; k < 20; ++k) {
    const Replayed replayed = replay("planner", random_tape(k));
    EXPECT_EQ(replayed.code, 0) << "stream " << k << "\n" << replayed.err;
  }
}

// A slip in what every packer places blocks with is seen within a few tapes.
TEST_F(FuzzTargets, ASlipInThePackersStopsThePlanner) {
  for (const char* mutant : {"M04", "M07"}) {
    Replayed replayed;
    for (uint64_t k = 0; k < 20 && replayed.signal != SIGABRT; ++k) {
      replayed = replay("planner", random_tape(k), std::string("PARALLAX_PLANT=") + mutant);
    }
    EXPECT_EQ(replayed.signal, SIGABRT) << mutant;
    EXPECT_THAT(replayed.err, HasSubstr(" planner | ")) << mutant;
    EXPECT_THAT(replayed.err, HasSubstr("\"plan\": 1")) << mutant;
  }
  EXPECT_EQ(replay("planner", "", "PARALLAX_PLANT=M99").code, 2);
}

}  // namespace
}  // namespace parallax
