// parallax quantize: what it writes in each mode, that this is a case which is judged, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command_line.h"
#include "tests/support/golden.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

constexpr const char* float_case = R"({"parallax": 1, "name": "layer", "graph": {"inputs": {"x": {"type": "f32[2,4]"}},
  "constants": {"w": {"type": "f32[3,4]", "data": [0.5, -1, 0.25, 2, 1, 1, -3, 0.1, 0, 0.7, 0.3, -0.2]},
                "b": {"type": "f32[3]", "data": [0.1, -0.2, 0.3]}},
  "nodes": [{"out": "y", "op": "aten.linear.default", "args": ["%x", "%w", "%b"]},
            {"out": "r", "op": "aten.relu.default", "args": ["%y"]},
            {"out": "c", "op": "aten.cat.default", "args": [["%r", "%r"], 1]},
            {"out": "s", "op": "aten.add.Tensor", "args": ["%c", "%c"]}],
  "outputs": ["%s"]}, "feed": {"x": [1, -2, 3, 0.5, -1, 0.25, 0.75, 2]}})";

std::vector<std::string> ops_in(const std::string& text) {
  std::vector<std::string> ops;
  const auto json = nlohmann::json::parse(text);
  for (const auto& node : json["graph"]["nodes"]) {
    const std::string op = node["op"];
    if (op != "getitem") ops.push_back(op.substr(op.find('.') + 1));
  }
  return ops;
}

TEST_F(CommandLine, QuantizeWritesACaseThatIsJudged) {
  write("case.json", float_case);
  for (const std::string options :
       {"--mode static", "--mode static --bias i32",
        "--mode static --weights tensor --activations symmetric --dtype u8", "--mode dynamic",
        "--mode dynamic --activations symmetric", "--mode weight-only", "--mode weight-only --weights tensor",
        "--mode 4bit --group 2", "--mode 8da4w --group 2", "--mode 8da4w --activations symmetric"}) {
    SCOPED_TRACE(options);
    const Ran made = run("quantize case.json " + options + " -o made.json");
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.out, "");
    const Ran checked = run("check made.json --target portable --json");
    EXPECT_TRUE(checked.code == 0 || checked.code == 3) << checked.out;
    const auto json = nlohmann::json::parse(checked.out);
    const std::string verdict = json[0]["verdict"];
    EXPECT_TRUE(verdict == "match" || verdict == "undecided") << verdict;
  }
}

TEST_F(CommandLine, QuantizeIsWrittenAsAQuantizerLeavesIt) {
  write("case.json", float_case);
  const Ran fixed = run("quantize case.json --bias i32");
  EXPECT_EQ(fixed.code, 0) << fixed.err;
  expect_golden(fixed.out, "quantized_case.json");
  EXPECT_THAT(fixed.err, HasSubstr("3 calls on integers, 4 tensors quantized, 1 weight stored as integers"));
  EXPECT_THAT(ops_in(run("quantize case.json --mode dynamic").out),
              ::testing::ElementsAre("dequantize_per_channel.default", "choose_qparams.tensor",
                                     "quantize_per_tensor.tensor", "dequantize_per_tensor.tensor", "linear.default",
                                     "relu.default", "cat.default", "add.Tensor"));
  EXPECT_THAT(
      ops_in(run("quantize case.json --mode 8da4w --group 2").out),
      ::testing::ElementsAre("dequantize_per_channel_group.default", "choose_qparams_per_token_asymmetric.default",
                             "quantize_per_token.default", "dequantize_per_token.default", "linear.default",
                             "relu.default", "cat.default", "add.Tensor"));
}

TEST_F(CommandLine, QuantizeSaysWhatItDoesNotTake) {
  write("case.json", float_case);
  const Ran mode = run("quantize case.json --mode statik");
  EXPECT_EQ(mode.code, 2);
  EXPECT_THAT(mode.err, HasSubstr("did you mean 'static'?"));
  write("neg.json", R"({"parallax": 1, "name": "neg", "graph": {"inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1, -2]}})");
  const Ran nothing = run("quantize neg.json -o made.json");
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("neg.json: nothing in it is quantized in this mode"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "made.json"));
  EXPECT_EQ(run("quantize case.json -o nowhere/made.json").code, 2);
}

}  // namespace
}  // namespace parallax
