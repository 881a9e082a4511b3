// The Vulkan backend: every row against the oracle over drawn shapes and dtypes, whole graphs, and what a planted fault
// of the planner shows on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "backends/vulkan/kernel.h"
#include "fuzz/single_op.h"
#include "ops/registry.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using testing::case_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Null, and the test is skipped, where there is no driver.
class Vulkan : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto context = vulkan::Context::open({});
    if (!context) GTEST_SKIP() << context.error().reason;
  }

  static std::unique_ptr<Target> target(const std::string& options = "", std::vector<std::string> faults = {}) {
    return open_target("vulkan?in-process=yes" + options, {.faults = std::move(faults)}).value();
  }
};

bool is_right(const Examination& examination) {
  const Verdict verdict = examination.judgement.verdict;
  return verdict == Verdict::Match || verdict == Verdict::Undecided || verdict == Verdict::ReferenceRefused;
}

constexpr std::array dtypes = {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I64,
                               DType::I32, DType::I16, DType::I8,   DType::U8,  DType::Bool};

TEST_F(Vulkan, ComputesEveryOpOfItsTablesAsTheOracleHasIt) {
  const std::unique_ptr<Target> vulkan = target();
  std::map<std::string, int> delegated;
  for (const DType dtype : dtypes) {
    const SingleOpPool pool(dtype);
    for (const Op& op : all_ops()) {
      if (!vulkan::has_kernel(op)) continue;
      int& count = delegated[op.name];
      for (uint64_t stream = 0; stream < 4; ++stream) {
        SCOPED_TRACE(::testing::Message() << op.name << ", " << name(dtype) << ", stream " << stream);
        const auto test = pool.draw_case(op, stream);
        if (!test) continue;
        const Examination examination = examine(*vulkan, *test);
        if (examination.outcome.status == Status::Unsupported) continue;
        EXPECT_TRUE(is_right(examination)) << name(examination.judgement.verdict) << ": "
                                           << examination.judgement.reason << examination.outcome.message << "\n"
                                           << to_json(*test);
        count += examination.outcome.delegated > 0;
      }
    }
  }
  // Drawn calls of these are views.
  for (const char* op : {"aten.contiguous.default", "aten.flatten.using_ints", "aten.reshape.default"})
    delegated.erase(op);
  for (const auto& [op, count] : delegated) EXPECT_GT(count, 0) << op << " was never run on the device";
}

// The report: a copy that becomes an alias, and a slot that is used again before the alias is read (SEEDS.md, S1).
constexpr std::string_view elided_copy = R"({"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
    {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]},
    {"out": "b", "op": "aten.clone.default", "args": ["%a"]},
    {"out": "c", "op": "aten.exp.default", "args": ["%a"]},
    {"out": "d", "op": "aten.neg.default", "args": ["%c"]},
    {"out": "e", "op": "aten.exp.default", "args": ["%d"]},
    {"out": "f", "op": "aten.neg.default", "args": ["%b"]}],
  "outputs": ["%e", "%f"]})";

TEST_F(Vulkan, ExplainsWhoOverwroteTheBytesOfAnAlias) {
  const Case test = case_of(std::string(elided_copy), R"({"x": [-0.5, 1.1]})");
  EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
  const std::unique_ptr<Target> broken = target("", {"F01"});
  EXPECT_EQ(examine(*broken, test).judgement.verdict, Verdict::Mismatch);
  std::string told;
  for (const Diagnosis& diagnosis : broken->explain(test)) told += diagnosis.detector + ": " + diagnosis.summary + "\n";
  EXPECT_THAT(told, HasSubstr("sanitizer: "));
  EXPECT_THAT(told, HasSubstr("its alias b"));
}

TEST_F(Vulkan, RaisesWhatTheDataMakesEagerRaise) {
  const Case division = case_of(R"({"inputs": {"x": {"type": "i32[3]"}, "y": {"type": "i32[3]"}}, "nodes": [
      {"out": "q", "op": "aten.div.Tensor_mode", "args": ["%x", "%y"], "kwargs": {"rounding_mode": "floor"}}],
      "outputs": ["%q"]})",
                                R"({"x": [1, 2, 3], "y": [1, 0, 2]})");
  EXPECT_THAT(target()->run(division, nullptr).message, HasSubstr("integer division by zero"));
  const Case index = case_of(R"({"inputs": {"x": {"type": "f32[3]"}, "i": {"type": "i64[2]"}}, "nodes": [
      {"out": "g", "op": "aten.index.Tensor", "args": ["%x", ["%i"]]}], "outputs": ["%g"]})",
                             R"({"x": [1, 2, 3], "i": [-3, 3]})");
  EXPECT_THAT(target()->run(index, nullptr).message, HasSubstr("index 3 is out of range for a dim of size 3"));
}

TEST_F(Vulkan, GivesTheSameBitsForEveryWorkgroupAndBarrierMode) {
  const Case test = case_of(std::string(elided_copy), R"({"x": [-0.5, 1.1]})");
  const Outcome usual = target()->run(test, nullptr);
  for (const char* options : {"&workgroup=1", "&workgroup=32", "&workgroup=1024", "&barriers=full"}) {
    const Outcome other = target(options)->run(test, nullptr);
    ASSERT_EQ(other.status, Status::Ok) << other.message;
    EXPECT_EQ(other.a->outputs, usual.a->outputs) << options;
  }
}

TEST_F(Vulkan, RefusesOptionsThatTheDeviceDoesNotHave) {
  const auto refusal = [](const std::string& name) {
    const auto opened = open_target(name, {});
    return opened ? "" : opened.error().text();
  };
  EXPECT_THAT(refusal("vulkan?device=no-such-device"), HasSubstr("no device is called 'no-such-device'; there is "));
  EXPECT_THAT(refusal("vulkan?workgroup=100000"), HasSubstr("takes from 1 to "));
  EXPECT_THAT(refusal("vulkan?workgroup=many"), HasSubstr("'many' is none"));
  EXPECT_THAT(refusal("vulkan?barriers=some"), HasSubstr("minimal or full"));
  EXPECT_THAT(refusal("vulkan?colour=blue"), HasSubstr("no option 'colour'"));
}

TEST_F(Vulkan, SaysNothingUnderTheValidationLayer) {
  if (const auto layer = vulkan::Context::open({"", true}); !layer) GTEST_SKIP() << layer.error().reason;
  const Case test = case_of(std::string(elided_copy), R"({"x": [-0.5, 1.1]})");
  const Outcome outcome = target("&validate=yes")->run(test, nullptr);
  EXPECT_EQ(outcome.status, Status::Ok) << outcome.message;
}

}  // namespace
}  // namespace parallax
