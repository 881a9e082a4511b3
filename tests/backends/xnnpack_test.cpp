// XNNPACK: every row against the oracle, and what crosses the boundary of its partitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "backends/examine.h"
#include "backends/runtime/builds.h"
#include "backends/runtime/compiled_target.h"
#include "backends/xnnpack/backends.h"
#include "backends/xnnpack/generation.h"
#include "fuzz/generate/single_op.h"
#include "graph/case_json.h"
#include "ops/registry.h"
#include "tests/support/graph_text.h"
#include "tests/support/planted_graph.h"
#include "tests/support/symbolic_case.h"

namespace parallax {
namespace {

using testing::case_of;
using ::testing::ElementsAre;
using testing::expect_shown;
using ::testing::HasSubstr;
using testing::is_right;
using ::testing::IsEmpty;
using testing::PlantedGraph;

std::unique_ptr<Target> target(std::vector<std::string> faults = {}) {
  CompiledTargetOptions options;
  options.faults = FaultSet::of(faults).value();
  options.delegates = &xnnpack::delegates();
  return make_compiled_target("xnnpack", options).value();
}

// The case with all tensors but the first operand as constants, and its first output alone.
Case with_weights(const Case& test) {
  const Node& node = test.graph.nodes.front();
  ValueId kept;
  for (const Argument& argument : node.arguments) {
    // The addend of addmm comes first, and is a weight.
    if (node.op->name == "aten.addmm.default" && &argument == &node.arguments.front()) continue;
    for_each_value(argument, [&](ValueId value) { kept = kept.valid() ? kept : value; });
  }
  auto json = nlohmann::ordered_json::parse(to_json(test));
  for (const Source& source : test.graph.sources) {
    if (source.value == kept) continue;
    const std::string& name = test.graph.name(source.value);
    auto constant = json["graph"]["inputs"][name];
    constant["data"] = json["feed"][name];
    json["graph"]["inputs"].erase(name);
    json["graph"]["constants"][name] = constant;
    json["feed"].erase(name);
  }
  json["graph"]["outputs"] = {json["graph"]["outputs"][0]};
  return parse_case(json.dump()).value();
}

TEST(Xnnpack, ComputesEveryOpOfItsTablesAsTheOracleHasIt) {
  const SingleOpPool& pool = SingleOpPool::of(DType::F32);
  std::map<std::string, int> delegated;
  const std::unique_ptr<Target> xnnpack = target();
  for (const Op& op : all_ops()) {
    if (!xnnpack::find_row(op.name)) continue;
    int& count = delegated[op.name];
    for (uint64_t stream = 0; stream < 60; ++stream) {
      SCOPED_TRACE(::testing::Message() << op.name << ", stream " << stream);
      const auto drawn = pool.draw_case(op, stream);
      if (!drawn) continue;
      const Case test = with_weights(*drawn);
      const Examination examination = examine(*xnnpack, test);
      if (examination.outcome.status == Status::Unsupported) continue;
      EXPECT_TRUE(is_right(examination)) << name(examination.judgement.verdict) << ": " << examination.judgement.reason
                                         << "\n"
                                         << to_json(test);
      count += examination.outcome.delegated > 0;
    }
  }
  // Drawn calls of these are views, or of other dims: the examples below take them.
  for (const char* op : {"aten.flatten.using_ints", "aten.reshape.default", "aten.mean.dim"}) delegated.erase(op);
  if (xnnpack::is_newer) delegated.erase("aten.sqrt.default");
  for (const auto& [op, count] : delegated) EXPECT_GT(count, 0) << op;
}

TEST(Xnnpack, ComputesWhatIsSeldomDrawn) {
  const std::string transposed = R"({"out": "t", "op": "aten.permute.default", "args": ["%x", [3, 2, 1, 0]]}, )";
  for (const std::string& call :
       {transposed + R"({"out": "y", "op": "aten.reshape.default", "args": ["%t", [3, 8]]})",
        transposed + R"({"out": "y", "op": "aten.flatten.using_ints", "args": ["%t"]})",
        transposed + R"({"out": "y", "op": "aten.mean.dim", "args": ["%t", [-1, 2], true]})",
        std::string(R"({"out": "y", "op": "aten.mean.dim", "args": ["%x", [2, 3], true]})")}) {
    SCOPED_TRACE(call);
    const Case test =
        case_of(R"({"inputs": {"x": {"type": "f32[2,2,2,3]"}}, "nodes": [)" + call + R"(], "outputs": ["%y"]})",
                R"({"x": {"random": {"seed": 1, "low": -1, "high": 1}}})");
    const Examination examination = examine(*target(), test);
    EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
    EXPECT_EQ(examination.outcome.delegated, 1);
  }
}

// A convolution, an activation and a pooling as a network has them.
constexpr std::string_view network = R"({
    "inputs": {"x": {"type": "f32[1,2,4,4]"}},
    "constants": {"w": {"type": "f32[3,2,1,1]", "data": [1, 0, 0, 1, 1, 1]},
                  "b": {"type": "f32[3]", "data": [0, 0, -1]},
                  "m": {"type": "f32[2,3]", "data": [1, 0, 0, 0, 1, 0.5]}},
    "nodes": [
      {"out": "c", "op": "aten.conv2d.default", "args": ["%x", "%w", "%b"]},
      {"out": "r", "op": "aten.relu.default", "args": ["%c"]},
      {"out": "g", "op": "aten._adaptive_avg_pool2d.default", "args": ["%r", [1, 1]]},
      {"out": "v", "op": "aten.view.default", "args": ["%g", [1, 3]]},
      {"out": "l", "op": "aten.linear.default", "args": ["%v", "%m"]},
      {"out": "s", "op": "aten.softmax.int", "args": ["%l", -1]}
    ],
    "outputs": ["%l", "%s", "%v"]})";

Case network_case() { return case_of(std::string(network), R"({"x": {"random": {"seed": 3, "low": -2, "high": 2}}})"); }

TEST(Xnnpack, TakesANetworkInTwoOrdersOfElements) {
  const std::unique_ptr<Target> xnnpack = target();
  const Examination examination = examine(*xnnpack, network_case());
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  EXPECT_EQ(examination.outcome.delegated, 5) << "the view costs nothing";
  const std::vector<std::string> partitions = xnnpack->partitions(network_case());
  ASSERT_EQ(partitions.size(), 4U);
  EXPECT_THAT(partitions[0], HasSubstr("x_nhwc = clone(x"));
  EXPECT_THAT(partitions[1],
              HasSubstr("xnnpack-nhwc: c = conv2d(x_nhwc, w, b); r = relu(c); g = _adaptive_avg_pool2d"));
  EXPECT_THAT(partitions[2], HasSubstr("v = view("));
  EXPECT_THAT(partitions[3], HasSubstr("xnnpack: l = linear(v, m); s = softmax(l, -1)"));
}

std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.numel(); ++i) values.push_back(tensor.get_double(i));
  return values;
}

// y is used inside and outside of the partition, z goes out twice and through a view, and the input comes back.
Case boundary_case() {
  return case_of(R"({
    "inputs": {"x": {"type": "f32[2,2]"}},
    "nodes": [
      {"out": "y", "op": "aten.abs.default", "args": ["%x"]},
      {"out": "z", "op": "aten.neg.default", "args": ["%y"]},
      {"out": "v", "op": "aten.view.default", "args": ["%z", [4]]},
      {"out": "q", "op": "aten.square.default", "args": ["%v"]},
      {"out": "e", "op": "aten.exp.default", "args": ["%y"]},
      {"out": "t", "op": "aten.t.default", "args": ["%x"]},
      {"out": "p", "op": "aten.add.Tensor", "args": ["%t", "%x"]}
    ],
    "outputs": ["%z", "%q", "%v", "%z", "%e", "%x", "%p"]})",
                 R"({"x": [1, -2, 3, -4]})");
}

TEST(Xnnpack, HandsOutWhatTheBoundaryLists) {
  const Examination examination = examine(*target(), boundary_case());
  ASSERT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  const std::vector<Tensor>& outputs = examination.outcome.a->outputs;
  EXPECT_THAT(elements(outputs[0]), ElementsAre(-1, -2, -3, -4));
  EXPECT_THAT(elements(outputs[1]), ElementsAre(1, 4, 9, 16));
  EXPECT_THAT(elements(outputs[6]), ElementsAre(2, 1, 1, -8)) << "a transposed operand";
}

TEST(Xnnpack, RefusesEmptyTensorsAndTakesSingleNumbers) {
  const auto delegated = [](const std::string& type, const std::string& data) {
    const Examination examination = examine(*target(), case_of(R"({"inputs": {"x": {"type": ")" + type + R"("}},
      "nodes": [{"out": "y", "op": "aten.abs.default", "args": ["%x"]}], "outputs": ["%y"]})",
                                                               R"({"x": [)" + data + "]}"));
    EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
    return examination.outcome.delegated;
  };
  EXPECT_EQ(delegated("f32[0,2]", ""), 0);
  EXPECT_EQ(delegated("f64[2]", "1, -2"), 0);
  EXPECT_EQ(delegated("f32[1,1,1,1,1,1,2]", "1, -2"), 0) << "seven dims";
  EXPECT_EQ(delegated("f32[]", "-1"), 1);
}

// The library fuses the second clamp into the first and refuses the empty range that comes of it.
TEST(Xnnpack, ClampsToWhatNoFirstClampLeaves) {
  const Examination examination = examine(*target(), case_of(R"({
    "inputs": {"x": {"type": "f32[3]"}},
    "nodes": [{"out": "y", "op": "aten.clamp.default", "args": ["%x", -3, 3]},
              {"out": "z", "op": "aten.clamp.default", "args": ["%y", 4, 6]}],
    "outputs": ["%z"]})",
                                                             R"({"x": [-5, 1, 9]})"));
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  EXPECT_EQ(examination.outcome.delegated, 2);
}

TEST(Xnnpack, TakesNoNumberThatItWouldTakeForZero) {
  const Examination examination = examine(*target(), case_of(R"({
    "inputs": {"x": {"type": "f32[1]"}},
    "nodes": [{"out": "y", "op": "aten.mul.Scalar", "args": ["%x", 1e-40]}],
    "outputs": ["%y"]})",
                                                             R"({"x": [1e38]})"));
  // Of a product with a number that a target may take for 0 the proof knows little.
  EXPECT_FALSE(is_finding(examination.judgement.verdict)) << examination.judgement.reason;
  EXPECT_EQ(examination.outcome.delegated, 0);
}

// A delegate is made for each size; what comes in lives to the end of its partition in all of them.
TEST(Xnnpack, RunsAtSizesThatChange) {
  const Case test = testing::symbolic_case(R"({
    "inputs": {"x": {"type": "f32[B,2]"}},
    "constants": {"w": {"type": "f32[2,2]", "data": [1, 2, 3, 4]}},
    "nodes": [{"out": "y", "op": "aten.exp.default", "args": ["%x"]},
              {"out": "l", "op": "aten.linear.default", "args": ["%y", "%w"]},
              {"out": "r", "op": "aten.relu.default", "args": ["%l"]},
              {"out": "s", "op": "aten.add.Tensor", "args": ["%r", "%y"]}],
    "outputs": ["%s"]})");
  const Examination examination = examine(*target(), test);
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  EXPECT_EQ(examination.outcome.delegated, 3);
}

TEST(Xnnpack, TakesNoWeightsThatAreNotConstant) {
  Case test = case_of(R"({
    "inputs": {"x": {"type": "f32[2,2]"}, "w": {"type": "f32[2,2]"}},
    "nodes": [{"out": "y", "op": "aten.linear.default", "args": ["%x", "%w"]}],
    "outputs": ["%y"]})",
                      R"({"x": [1, 2, 3, 4], "w": [1, 0, 0, 1]})");
  const Examination examination = examine(*target(), test);
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  for (const std::string& partition : target()->partitions(test)) {
    EXPECT_THAT(partition, ::testing::Not(HasSubstr("linear"))) << "what it is made of may be taken";
  }
}

TEST(Xnnpack, ShowsTheFaultsOfBoundaries) {
  const PlantedGraph planted[] = {
      // A view of an input, for a partition of the library.
      {"F08", R"({"out": "t", "op": "aten.t.default", "args": ["%x"]},
                 {"out": "p", "op": "aten.add.Tensor", "args": ["%t", "%x"]})",
       R"("%p")"},
      // One tensor twice among what a partition hands to the library: the same deviations are computed once.
      {"F09", R"({"out": "y", "op": "aten.std.dim", "args": ["%x", [0]]},
                 {"out": "a", "op": "aten.std.dim", "args": ["%x", [0]]})",
       R"("%y", "%a")"},
      // What the library makes and a partition of kernels is then asked for.
      {"F10", R"({"out": "y", "op": "aten.round.default", "args": ["%x"]},
                 {"out": "o", "op": "aten.hardshrink.default", "args": ["%y"]})",
       R"("%o")"},
      {"F31", R"({"out": "m", "op": "aten.mul.Scalar", "args": ["%n", 3]},
                 {"out": "y", "op": "aten.abs.default", "args": ["%x"]})",
       R"("%m", "%y")"},
  };
  for (const PlantedGraph& plant : planted) expect_shown(plant, *target(), *target({plant.fault}));
}

}  // namespace
}  // namespace parallax
