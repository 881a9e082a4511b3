// What `check` and `reduce` see of a wrong operation that the bound of the whole program hides.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command_line.h"

namespace parallax {
namespace {

// Sums of functions; tanh is off by sixteen units in the last place or so.
constexpr std::string_view worker = R"py(
import json
import math
import sys

wrong = "wrong" in sys.argv


def call(op, x):
    if op == "aten.sum.default":
        return [math.fsum(x)], "f32[]"
    scale = 1 + 1e-6 if wrong else 1
    return [math.tanh(v) * scale for v in x], f"f32[{len(x)}]"


def run(graph, feed):
    values = {name: [float(v) for v in data] for name, data in feed.items()}
    types = {name: entry["type"] for name, entry in graph["inputs"].items()}
    for node in graph["nodes"]:
        values[node["out"]], types[node["out"]] = call(node["op"], values[node["args"][0].removeprefix("%")])
    outputs = [name.removeprefix("%") for name in graph["outputs"]]
    return {"outputs": [{"type": types[name], "data": values[name]} for name in outputs],
            "inputs": {name: {"type": types[name], "data": values[name]} for name in feed}, "buffers": {}}


for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "hello":
        reply = {"protocol": 1, "name": "sums", "version": "1", "profile": "eager", "dtypes": ["f32"],
                 "ops": ["aten.tanh.default", "aten.sum.default"]}
    else:
        case = request["case"]
        reply = {"status": "ok", **run(case["graph"], case["feed"]), "again": run(case["graph"], case["feed"])}
        if "slow" in sys.argv:
            reply["ms"] = {"all": 5000}  # as it says, not as it is
        if "second_feed" in request:
            reply["b"] = run(case["graph"], request["second_feed"])
    print(json.dumps({"id": request["id"], **reply}), flush=True)
)py";

// So many in a chain.
std::string tanhs(int count) {
  std::string nodes;
  for (int i = 0; i < count; ++i) {
    const std::string operand = i == 0 ? "x" : "t" + std::to_string(i - 1);
    nodes += fmt::format(R"({}{{"out": "t{}", "op": "aten.tanh.default", "args": ["%{}"]}})", i == 0 ? "" : ", ", i,
                         operand);
  }
  return fmt::format(R"({{"parallax": 1, "name": "tanhs", "graph": {{"inputs": {{"x": {{"type": "f32[2]"}}}},
 "nodes": [{}], "outputs": ["%t{}"]}}, "feed": {{"x": [0.5, 1]}}}})",
                     nodes, count - 1);
}

class CloserLookAtACase : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("sums.py", std::string(worker));
    std::string data;
    for (int i = 0; i < 2000; ++i) data += (i > 0 ? ", " : "") + std::to_string(0.001 * (i + 1));
    write("case.json", R"({"parallax": 1, "name": "sum-of-tanh",
 "graph": {"inputs": {"x": {"type": "f32[2000]"}},
           "nodes": [{"out": "a", "op": "aten.tanh.default", "args": ["%x"]},
                     {"out": "b", "op": "aten.sum.default", "args": ["%a"]}],
           "outputs": ["%b"]},
 "feed": {"x": [)" + data + "]}}\n");
  }
};

TEST_F(CloserLookAtACase, CheckFindsAnOperationThatIsWrongAlone) {
  const Ran ran = run("check case.json --target 'cmd:python3 sums.py wrong'");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("match of the whole, and a part of it diverges"));
  EXPECT_THAT(ran.out, testing::HasSubstr("#0 diverges: a = tanh(x)"));
}

TEST_F(CloserLookAtACase, CheckReportsNothingOfARightTarget) {
  const Ran ran = run("check case.json --target 'cmd:python3 sums.py'");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

TEST_F(CloserLookAtACase, NoTimeForPartsLeavesTheWhole) {
  EXPECT_EQ(run("check case.json --part-seconds 0 --target 'cmd:python3 sums.py wrong'").code, 0);
}

TEST_F(CloserLookAtACase, OneRunIsMadeHoweverSlowTheTargetIs) {
  const Ran ran = run("check case.json --part-seconds 0.1 --target 'cmd:python3 sums.py slow wrong'");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
}

// 80 values are handed out in two runs, which take longer than the time given.
TEST_F(CloserLookAtACase, SaysThatTheTargetIsTooSlowForSeveralRuns) {
  write("long.json", tanhs(80));
  const Ran ran = run("check long.json --part-seconds 0.1 --target 'cmd:python3 sums.py slow'");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("no operation was looked at alone: 2 runs of the target take about"));
}

TEST_F(CloserLookAtACase, TellsOfThePartWhereTheTargetIsTooSlow) {
  write("long.json", tanhs(80));
  const Ran ran = run("check long.json --part-seconds 4 --target 'cmd:python3 sums.py slow wrong'");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("mismatch of the whole: "));
  EXPECT_THAT(ran.out, testing::HasSubstr(", and a part of it diverges"));
  EXPECT_THAT(ran.out,
              testing::HasSubstr("it shows in parts of 8 nodes: 0 of 19 parts of 8 nodes agree; nodes 0 to 7 diverge"));
}

TEST_F(CloserLookAtACase, OfANetworkWithoutAPartItSaysNoMoreThanTheVerdict) {
  write("network.json", tanhs(120));
  const Ran ran = run("check network.json --part-seconds 0 --target 'cmd:python3 sums.py wrong'");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr(" · mismatch · "));
  EXPECT_THAT(ran.out, testing::HasSubstr("reproduce: parallax check network.json --target 'cmd:"));
  EXPECT_THAT(ran.out, testing::Not(testing::HasSubstr("control")));
  EXPECT_THAT(ran.out, testing::Not(testing::HasSubstr("tanh(")));
}

TEST_F(CloserLookAtACase, ReduceBeginsAtThatOperation) {
  const Ran ran = run("reduce case.json --target 'cmd:python3 sums.py wrong' --seconds 20 -o reduced.json");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(read_file(folder_ / "reduced.json"), testing::HasSubstr("aten.tanh.default"));
  EXPECT_THAT(read_file(folder_ / "reduced.json"), testing::Not(testing::HasSubstr("aten.sum.default")));
}

}  // namespace
}  // namespace parallax
