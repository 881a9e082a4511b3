// Several methods of one program through the target "portable": they share the buffers of an instance, and a target
// that gives each method buffers of its own is wrong.
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/external/protocol.h"
#include "backends/runtime/compiled_target.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"
#include "graph/runs.h"
#include "oracle/judge.h"
#include "tests/support/methods_case.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

Case prefill_and_decode() { return parse_case(testing::methods_case).value(); }

std::unique_ptr<Target> portable_target() { return make_compiled_target("portable", {}).value(); }

// What a target gives in whose program every method starts from the first data of the buffers.
class Forgetful final : public Target {
 public:
  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return right_->profile(); }
  bool takes_several_runs() const override { return true; }
  bool takes_methods() const override { return true; }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    Outcome outcome = right_->run(test, second);
    for (std::size_t run = 1; run <= test.later.size(); ++run) {
      if (test.later[run - 1].method == 0) continue;
      const Case alone = case_of_run(test, run).value();
      outcome.later[run - 1] = *right_->run(alone, nullptr).a;
    }
    outcome.later_again = outcome.later;
    return outcome;
  }

 private:
  std::string name_ = "forgetful";
  std::unique_ptr<Target> right_ = portable_target();
};

TEST(Methods, ShareTheBuffers) {
  const Examination seen = examine(*portable_target(), prefill_and_decode());
  EXPECT_EQ(seen.judgement.verdict, Verdict::Match) << seen.judgement.reason;
  ASSERT_EQ(seen.outcome.later.size(), 3U);
  EXPECT_EQ(seen.outcome.later[0].outputs[0].get_double(0), 14);
  EXPECT_EQ(seen.outcome.later[1].outputs[0].get_double(1), 226);
  EXPECT_EQ(seen.outcome.later[2].outputs[0].get_double(0), 110);
  ASSERT_TRUE(seen.outcome.later[1].buffers[1]);
  EXPECT_EQ(seen.outcome.later[1].buffers[1]->get_integer(0), 4);
}

TEST(Methods, ShareTheBuffersOfTheirInstanceAlone) {
  Case test = prefill_and_decode();
  test.later[1].instance = 1;
  const Examination seen = examine(*portable_target(), test);
  EXPECT_EQ(seen.judgement.verdict, Verdict::Match) << seen.judgement.reason;
  EXPECT_EQ(seen.outcome.later[1].outputs[0].get_double(0), 100);
}

TEST(Methods, BuffersOfTheirOwnAreFound) {
  Forgetful forgetful;
  const Judgement judgement = examine(forgetful, prefill_and_decode()).judgement;
  EXPECT_EQ(judgement.verdict, Verdict::Mismatch);
  ASSERT_TRUE(judgement.divergence);
  EXPECT_EQ(judgement.divergence->run, (RunId{RunKind::Later, 2}));
  EXPECT_EQ(judgement.divergence->place.name, "sum");
}

TEST(Methods, AreRefusedByATargetThatTakesNone) {
  class OneMethod final : public Target {
   public:
    const std::string& name() const override { return name_; }
    const Profile& profile() const override { return right_->profile(); }
    bool takes_several_runs() const override { return true; }
    Outcome run(const Case&, const std::vector<Tensor>*) override { return {}; }

   private:
    std::string name_ = "one-method";
    std::unique_ptr<Target> right_ = portable_target();
  } target;
  const Judgement judgement = examine(target, prefill_and_decode()).judgement;
  EXPECT_EQ(judgement.verdict, Verdict::Unsupported);
  EXPECT_EQ(judgement.reason, "one-method takes no case with several methods");
}

// Of a reply that names what the method's runs hand back.
TEST(Methods, AReplyIsReadUnderTheNamesOfWhatARunCalls) {
  const Case test = prefill_and_decode();
  const std::string sum = R"("outputs": [{"type": "f32[2]", "data": [0, 0]}])";
  const auto reply = [&](const std::string& second) {
    return R"({"id": 1, "status": "ok", )" + sum + R"(, "later": [{)" + sum + R"(, "inputs": {")" + second +
           R"(": null}}, {)" + sum + "}, {" + sum + "}]}";
  };
  EXPECT_EQ(decode_run(reply("y"), 1, test).status, Status::Ok);
  EXPECT_TRUE(is_protocol_failure(decode_run(reply("x"), 1, test)));
}

TEST(Methods, GeneratedCasesMatch) {
  int with_methods = 0;
  int judged = 0;
  GenerateOptions options = testing::portable_options();
  options.profile = GenerateProfile::Shipped;
  options.max_nodes = 12;
  const auto portable = portable_target();
  for (uint64_t stream = 0; stream < 400; ++stream) {
    Choices choices(38, stream);
    const Case test = generate(choices, options);
    if (test.methods.empty()) continue;
    ++with_methods;
    ASSERT_TRUE(check_runs(test)) << stream;
    const std::string written = to_json(test);
    const Result<Case> read = parse_case(written);
    ASSERT_TRUE(read) << stream << ": " << read.error().text();
    EXPECT_EQ(to_json(*read), written) << stream;
    const Judgement judgement = examine(*portable, test).judgement;
    judged += judgement.verdict == Verdict::Match;
    EXPECT_FALSE(is_finding(judgement.verdict)) << stream << ": " << judgement.reason;
  }
  EXPECT_GT(with_methods, 5);
  EXPECT_GT(judged, with_methods / 2);
}

}  // namespace
}  // namespace parallax
