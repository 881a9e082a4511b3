// The Vulkan backend: every row against the oracle over drawn shapes and dtypes, whole graphs, and what a planted fault
// of the planner shows on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "backends/examine.h"
#include "backends/lost_target.h"
#include "backends/open_target.h"
#include "backends/runtime/builds.h"
#include "backends/vulkan/device_kernel.h"
#include "backends/vulkan/vulkan_backend.h"
#include "backends/vulkan/vulkan_device.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/single_op.h"
#include "graph/case_json.h"
#include "ops/registry.h"
#include "tests/support/graph_text.h"
#include "tests/support/planted_graph.h"

namespace parallax {
namespace {

using testing::case_of;
using testing::expect_shown;
using ::testing::HasSubstr;
using testing::is_right;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::PlantedGraph;

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

constexpr std::array dtypes = {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I64,
                               DType::I32, DType::I16, DType::I8,   DType::U8,  DType::Bool};

TEST_F(Vulkan, ComputesEveryOpOfItsTablesAsTheOracleHasIt) {
  const std::unique_ptr<Target> vulkan = target();
  std::map<std::string, int> delegated;
  for (const DType dtype : dtypes) {
    const SingleOpPool& pool = SingleOpPool::of(dtype);
    for (const Op& op : all_ops()) {
      if (!vulkan::has_kernel(op) || !op.sample) continue;
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
  // Drawn calls of these are views, or need the places of maxima, which is tested below.
  for (const char* op : {"aten.contiguous.default", "aten.flatten.using_ints", "aten.reshape.default",
                         "aten.max_pool2d_with_indices_backward.default"})
    delegated.erase(op);
  for (const auto& [op, count] : delegated) EXPECT_GT(count, 0) << op << " was never run on the device";
}

// The report: a copy becomes an alias, and its slot is used again before the alias is read
// (corpus/cases/seeds/s1-clone.json).
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
  for (const Diagnosis& diagnosis : broken->explain(test))
    told += std::string(name(diagnosis.detector)) + ": " + diagnosis.summary + "\n";
  EXPECT_THAT(told, HasSubstr("sanitizer: "));
  EXPECT_THAT(told, HasSubstr("its alias b"));
}

// copy(v18, v20) is v20 in the end, and what v18 was made with is read by nobody.
TEST_F(Vulkan, LeavesOutGroupsThatNobodyReads) {
  const Case test = case_of(R"({"inputs": {"x": {"type": "f32[3,2]"}}, "nodes": [
      {"out": "a", "op": "aten.exp.default", "args": ["%x"]},
      {"out": "t", "op": "aten.triu.default", "args": ["%a", -2]},
      {"out": "b", "op": "aten.mul.Tensor", "args": ["%x", "%x"]},
      {"out": "c", "op": "aten.copy.default", "args": ["%t", "%b"]}], "outputs": ["%c"]})",
                            R"({"x": [1, 2, 3, 4, 5, 6]})");
  EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
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
  const Case mask = case_of(R"({"inputs": {"x": {"type": "f32[3]"}, "m": {"type": "bool[3]"}, "v": {"type": "f32[2]"}},
      "nodes": [{"out": "p", "op": "aten.index_put.default", "args": ["%x", ["%m"], "%v"]}], "outputs": ["%p"]})",
                            R"({"x": [1, 2, 3], "m": [true, true, true], "v": [4, 5]})");
  EXPECT_THAT(target()->run(mask, nullptr).message, HasSubstr("the data count 3, not 2"));
  const Case repeats = case_of(R"({"inputs": {"r": {"type": "i64[3]"}}, "nodes": [
      {"out": "i", "op": "aten.repeat_interleave.Tensor", "args": ["%r"], "kwargs": {"output_size": 4}}],
      "outputs": ["%i"]})",
                               R"({"r": [2, 0, 1]})");
  EXPECT_THAT(target()->run(repeats, nullptr).message, HasSubstr("the data count 3, not 4"));
}

// What the generator does not make: masks among indices, searches, gradients of maxima. The rows of a second feed are
// not sorted, and where a number stands in those is not decided.
TEST_F(Vulkan, ChoosesByMasksAndSearchesSortedRows) {
  const Case masks =
      case_of(R"({"inputs": {"x": {"type": "f32[2,3]"}, "m": {"type": "bool[3]"}, "w": {"type": "bool[2,3]"},
      "v": {"type": "f32[2,2]"}, "u": {"type": "f32[3]"}, "one": {"type": "f32[1]"}}, "nodes": [
      {"out": "a", "op": "aten.index_put.default", "args": ["%x", [null, "%m"], "%v"]},
      {"out": "b", "op": "aten.index_put.default", "args": ["%x", [null, "%m"], "%v", true]},
      {"out": "c", "op": "aten.index_put.default", "args": ["%x", ["%w"], "%u"]},
      {"out": "d", "op": "aten.index_put.default", "args": ["%a", [null, "%m"], "%one"]}],
      "outputs": ["%a", "%b", "%c", "%d"]})",
              R"({"x": [1, 2, 3, 4, 5, -0.0], "m": [true, false, true],
      "w": [true, false, true, false, false, true], "v": [10, 20, 30, 40], "u": [7, 8, 9], "one": [6]})");
  const Case searches = case_of(R"({"inputs": {"s": {"type": "f32[2,4]"}, "x": {"type": "f32[2,3]"},
      "o": {"type": "i64[2,4]"}, "b": {"type": "i32[4]"}}, "nodes": [
      {"out": "r", "op": "aten.searchsorted.Tensor", "args": ["%s", "%x"]},
      {"out": "q", "op": "aten.searchsorted.Tensor", "args": ["%s", "%x"], "kwargs": {"side": "right", "out_int32": true}},
      {"out": "p", "op": "aten.searchsorted.Tensor", "args": ["%s", "%x"], "kwargs": {"sorter": "%o"}},
      {"out": "k", "op": "aten.bucketize.Tensor", "args": ["%x", "%b"], "kwargs": {"right": true}},
      {"out": "l", "op": "aten.bucketize.Scalar", "args": [2.5, "%b"]},
      {"out": "n", "op": "aten.searchsorted.Scalar", "args": ["%b", 3]}],
      "outputs": ["%r", "%q", "%p", "%k", "%l", "%n"]})",
                                R"({"s": [-1.5, 0, 0, 2.5, 1, 2, 3, 4], "x": [0, 3, -7, 2, 2.5, 9],
      "o": [0, 1, 2, 3, 0, 1, 2, 3], "b": [1, 2, 3, 5]})");
  const Case gradients =
      case_of(R"({"inputs": {"x": {"type": "f32[1,2,3,3]"}, "g": {"type": "f32[1,2,2,2]"}}, "nodes": [
      {"out": "m", "op": "aten.max_pool2d_with_indices.default", "args": ["%x", [2, 2], [1, 1], [0, 0], [1, 1], false]},
      {"out": "v", "op": "getitem", "args": ["%m", 0]},
      {"out": "i", "op": "getitem", "args": ["%m", 1]},
      {"out": "d", "op": "aten.max_pool2d_with_indices_backward.default",
       "args": ["%g", "%x", [2, 2], [1, 1], [0, 0], [1, 1], false, "%i"]}], "outputs": ["%v", "%i", "%d"]})",
              R"({"x": [1, 2, 3, 4, 9, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1], "g": [1, 2, 3, 4, 5, 6, 7, 8]})");
  for (const Case* test : {&masks, &searches, &gradients}) {
    const Examination examination = examine(*target(), *test);
    EXPECT_TRUE(is_right(examination)) << examination.judgement.reason << examination.outcome.message;
    EXPECT_EQ(examination.outcome.delegated, static_cast<int>(test->graph.nodes.size()));
  }
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

// What a user sees of it is exit code 3 and the line.
TEST_F(Vulkan, SaysWhyItCannotGoOn) {
  const auto refusal = [](const std::string& options) {
    const auto opened = open_target("vulkan?in-process=yes&" + options, {});
    return opened ? Error{} : opened.error();
  };
  EXPECT_THAT(refusal("fail=feature").reason, HasSubstr(" has no shaderInt64"));
  EXPECT_EQ(refusal("fail=feature").kind, ErrorKind::NoTarget);
  EXPECT_THAT(refusal("fail=luck").reason, HasSubstr("feature, memory, shader or submission"));
  const Case test = case_of(std::string(elided_copy), R"({"x": [-0.5, 1.1]})");
  const auto lost = [&](const std::string& options) {
    const Outcome outcome = target("&" + options)->run(test, nullptr);
    EXPECT_EQ(outcome.status, Status::Unsupported);
    const std::optional<Error> error = lost_target(outcome);
    return error ? error->reason : "";
  };
  EXPECT_THAT(lost("fail=memory"), HasSubstr("a buffer of 16777216 bytes: VK_ERROR_OUT_OF_DEVICE_MEMORY"));
  EXPECT_THAT(lost("fail=shader"), HasSubstr("told to fail"));
  EXPECT_THAT(lost("fail=submission"), HasSubstr("a submission: VK_ERROR_DEVICE_LOST"));
}

// A row that is a part of a larger one, and sums of rows of five elements, all negative.
constexpr std::string_view parts_and_rows = R"({"inputs": {"x": {"type": "f32[3,5]"}}, "nodes": [
    {"out": "s", "op": "aten.slice.Tensor", "args": ["%x", 1, 1, 4, 1]},
    {"out": "e", "op": "aten.neg.default", "args": ["%s"]},
    {"out": "n", "op": "aten.neg.default", "args": ["%x"]},
    {"out": "m", "op": "aten.amax.default", "args": ["%n", [1]]}],
  "outputs": ["%e", "%m"]})";
constexpr std::string_view fifteen = R"({"x": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]})";

TEST_F(Vulkan, ShowsTheFaultsOfADeviceAndTellsThemApart) {
  const auto told = [&](const char* fault, const Case& test) {
    EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
    const std::unique_ptr<Target> broken = target("", {fault});
    EXPECT_TRUE(is_finding(examine(*broken, test).judgement.verdict)) << fault;
    std::string text;
    for (const Diagnosis& diagnosis : broken->explain(test)) {
      if (!diagnosis.blame.empty()) text += diagnosis.blame + ": " + diagnosis.kind;
    }
    return text;
  };
  EXPECT_EQ(told("F24", case_of(R"({"inputs": {"x": {"type": "f32[5]"}}, "nodes": [
      {"out": "n", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "m", "op": "aten.amax.default", "args": ["%n", [0]]}],
    "outputs": ["%m"]})",
                                R"({"x": [1, 2, 3, 4, 5]})")),
            "device: reduction");
  EXPECT_EQ(told("F29", case_of(std::string(parts_and_rows), std::string(fifteen))), "device: tensor with gaps");
}

TEST_F(Vulkan, SplitsWhatIsOverTheLimitOfOneDispatch) {
  const Case test = case_of(std::string(parts_and_rows), std::string(fifteen));
  EXPECT_EQ(examine(*target("&workgroup=2&groups=3"), test).judgement.verdict, Verdict::Match);
  EXPECT_TRUE(is_finding(examine(*target("&workgroup=2&groups=3", {"F36"}), test).judgement.verdict));
  EXPECT_EQ(examine(*target("", {"F36"}), test).judgement.verdict, Verdict::Match) << "no limit is met";
}

TEST_F(Vulkan, GivesTheSameBitsForEveryDrawnWorkgroupAndOrder) {
  const std::unique_ptr<Target> usual = target();
  const std::unique_ptr<Target> drawn = target("&workgroup=random&order=random");
  for (uint64_t stream = 0; stream < 30; ++stream) {
    Choices choices(3, stream);
    GenerateOptions options;
    const Vocabulary words = Vocabulary::taken_by({usual.get()});
    options.words = &words;
    Case test = generate(choices, options);
    test.name = "stream " + std::to_string(stream);
    const Outcome one = usual->run(test, nullptr);
    const Outcome other = drawn->run(test, nullptr);
    ASSERT_EQ(one.status, other.status) << one.message << other.message;
    if (one.status != Status::Ok) continue;
    EXPECT_EQ(one.a->outputs, other.a->outputs) << to_json(test);
  }
}

// Faults of boundaries show here too: a device's partitions are bound by position like any other.
TEST_F(Vulkan, ShowsTheFaultsOfBoundariesAndLayouts) {
  const PlantedGraph planted[] = {
      {"F08", R"({"out": "t", "op": "aten.t.default", "args": ["%x"]},
                 {"out": "p", "op": "aten.add.Tensor", "args": ["%t", "%x"]})",
       R"("%p", "%t")"},
      // Two views that show the same: an elided copy is no value of its own any more.
      {"F09", R"({"out": "y", "op": "aten.narrow.default", "args": ["%x", 0, 1, 1]},
                 {"out": "z", "op": "aten.split.Tensor", "args": ["%y", 1]},
                 {"out": "z0", "op": "getitem", "args": ["%z", 0]})",
       R"("%z0", "%y")"},
      {"F31", R"({"out": "m", "op": "aten.mul.Scalar", "args": ["%n", 3]})", R"("%m")"},
      {"F27", R"({"out": "y", "op": "aten.neg.default", "args": ["%x"]},
                 {"out": "t", "op": "aten.t.default", "args": ["%y"]},
                 {"out": "c", "op": "aten.clone.default", "args": ["%t"], "kwargs": {"memory_format": "contiguous_format"}},
                 {"out": "s", "op": "aten.as_strided.default", "args": ["%c", [4], [1]]})",
       R"("%s")"},
  };
  for (const PlantedGraph& plant : planted) expect_shown(plant, *target(), *target("", {plant.fault}));
}

// ExecuTorch #20257, what its reporter saw: the delegate's outputs are deduplicated, a slot behind them is never
// written, and the product of acos(0), which the delegate does not compute, is 2.467.
TEST_F(Vulkan, GivesTheReportersNumberWhereASlotIsNeverWritten) {
  const Case test = case_of(R"({"inputs": {"x": {"type": "f32[3]"}}, "nodes": [
      {"out": "n0", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "n1", "op": "aten.narrow.default", "args": ["%n0", 0, 1, 2]},
      {"out": "parts", "op": "aten.split.Tensor", "args": ["%n1", 2]},
      {"out": "n2", "op": "getitem", "args": ["%parts", 0]},
      {"out": "n3", "op": "aten.sigmoid.default", "args": ["%n1"]},
      {"out": "first", "op": "aten.acosh.default", "args": ["%n1"]},
      {"out": "second", "op": "aten.acosh.default", "args": ["%n2"]},
      {"out": "angle", "op": "aten.acos.default", "args": ["%n3"]},
      {"out": "half", "op": "aten._to_copy.default", "args": ["%angle"], "kwargs": {"dtype": "f16"}},
      {"out": "product", "op": "aten.prod.default", "args": ["%half"]}],
    "outputs": ["%product", "%first", "%second"]})",
                            R"({"x": [0.5, -0.48249137, 1.1103535]})");
  const std::string lacking = "&memory=zeros&leave=aten.acos.default,aten.acosh.default,aten.prod.default";
  EXPECT_EQ(examine(*target(lacking), test).judgement.verdict, Verdict::Match);
  const Examination broken = examine(*target(lacking, {"F09"}), test);
  ASSERT_EQ(broken.judgement.verdict, Verdict::Mismatch);
  const Tensor& product = broken.outcome.a->outputs.front();
  EXPECT_NEAR(product.get_double(0), 2.467, 0.002);
}

// A rule of barriers that leaves one out, and how many it was asked for. Those up to the one that is left out are the
// same whichever that is; behind it others may be needed.
int left_out = -1;
int asked_for = 0;
bool all_but_one(Hazard, int) { return asked_for++ != left_out; }

// Debian 12's validation layer follows what shaders do through an array of descriptors, as our tensors are bound. That
// of Debian 13 leaves arrays out (binding->count > 1 in its sync_commandbuffer.cpp) and sees clears and copies alone.
bool layer_follows_arrays() {
  const auto version = vulkan::validation_layer_version();
  return version && *version < VK_MAKE_API_VERSION(0, 1, 4, 0);
}

TEST_F(Vulkan, HearsOfBarriersThatAreLeftOut) {
  vulkan::DeviceOptions validated;
  validated.context.validate = true;
  const auto device = vulkan::VulkanDevice::open(validated);
  if (!device) GTEST_SKIP() << device.error().reason;
  const DelegateSet& delegates = vulkan::delegates((*device)->context());
  const CompileOptions options = runtime::compile_options(runtime::plain_delegating_build, &delegates);
  const auto complaints = [&](const Program& program, const Case& test, int barrier) {
    left_out = barrier;
    asked_for = 0;
    const auto makers = runtime::delegate_makers(runtime::plain_delegating_build, &delegates);
    const auto loaded = runtime::load(program, makers, {*device, 0, {{.waits = all_but_one}, 0}});
    if (loaded) (void)runtime::Instance(*loaded, std::byte{0xCB}).run(test.feed);
    return (*device)->take_complaints();
  };
  const bool hears_all = layer_follows_arrays();
  int barriers = 0, heard = 0;
  for (uint64_t stream = 0; stream < 40; ++stream) {
    SCOPED_TRACE(::testing::Message() << "stream " << stream);
    Choices choices(5, stream);
    const Case test = generate(choices, {});
    const Result<Program> program = compile(test.graph, options);
    if (!program) continue;
    EXPECT_THAT(complaints(*program, test, -1), IsEmpty());
    const int needed = asked_for;
    for (int barrier = 0; barrier < needed; ++barrier, ++barriers) {
      const bool complains = !complaints(*program, test, barrier).empty();
      EXPECT_TRUE(complains || !hears_all) << "barrier " << barrier << " of " << needed;
      heard += complains;
    }
  }
  EXPECT_GT(heard, 30);
  RecordProperty("barriers", barriers);
}

TEST_F(Vulkan, SaysNothingUnderTheValidationLayer) {
  if (const auto layer = vulkan::Context::open({"", true}); !layer) GTEST_SKIP() << layer.error().reason;
  const Case test = case_of(std::string(elided_copy), R"({"x": [-0.5, 1.1]})");
  const Outcome outcome = target("&validate=yes")->run(test, nullptr);
  EXPECT_EQ(outcome.status, Status::Ok) << outcome.message;
}

}  // namespace
}  // namespace parallax
