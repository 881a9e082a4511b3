// A finding of a target that loads programs from a cache: where it shows only then, it says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/open_target.h"
#include "fuzz/findings/make_finding.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

// Right on the first instance, which fills a cache, and wrong on the one that is loaded from it.
class BadlyCached : public Target {
 public:
  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return right_->profile(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    Outcome outcome = right_->run(test, second);
    if (!outcome.a_again) return outcome;
    for (Tensor& output : outcome.a_again->outputs) output.set_double(0, 1.5 * output.get_double(0));
    return outcome;
  }

 private:
  std::string name_ = "stand-in?cache=warm";
  std::unique_ptr<Target> right_ = *open_target("portable", {});
};

TEST(MakeFinding, AWarmCacheThatDiffersFromAColdOneIsSaid) {
  BadlyCached target;
  const Case test = testing::case_of(R"({"inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "y", "op": "aten.exp.default", "args": ["%x"]}], "outputs": ["%y"]})",
                                     R"({"x": [1, 2]})");
  const Examination seen = examine(target, test);
  ASSERT_TRUE(is_finding(seen.judgement.verdict));
  const Finding finding = make_finding(target, test, seen, {}).finding;
  EXPECT_THAT(finding.explanation, ::testing::HasSubstr("right with a cold cache, wrong from a warm one"));
}

}  // namespace
}  // namespace parallax
