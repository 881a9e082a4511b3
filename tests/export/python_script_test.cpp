// Scripts as golden text, and that nothing from outside leaves its literal or its comment.
#include "export/python_script.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/emit_executorch.h"
#include "export/emit_pytorch.h"
#include "export/emit_reproducer.h"
#include "export/emit_thunder.h"
#include "export/python_text.h"
#include "graph/case_json.h"
#include "tests/support/custom_case.h"
#include "tests/support/golden.h"
#include "tests/support/sample_case.h"

namespace parallax {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Case parsed(std::string_view json) {
  auto test = parse_case(json);
  EXPECT_TRUE(test) << test.error().text();
  return test ? *std::move(test) : Case();
}

constexpr std::string_view gradient_case = R"({"parallax": 1, "name": "g", "requires": ["grad"], "graph": {
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "a", "op": "aten.mul_.Tensor", "args": ["%x", "%x"]},
              {"out": "b", "op": "aten.slice.Tensor", "args": ["%a", 0, 1, 2]},
              {"out": "c", "op": "aten.gelu.default", "args": ["%b"]}], "outputs": ["%c"]},
    "feed": {"x": [1, 2]}, "grad": {"wrt": ["x"], "cotangents": [[1]]}})";

TEST(PythonScript, OfEveryPartOfTheFormat) {
  const auto script =
      emit_pytorch(parsed(full_case), {.comment = "What to look at.\nOn two lines.", .target = "", .control = {}});
  ASSERT_TRUE(script);
  expect_golden(*script, "full_case.py");
}

TEST(PythonScript, AgainstATargetWithAControl) {
  const Case test = parsed(full_case);
  const auto script =
      emit_pytorch(test, {.comment = "", .target = "torch-aot-eager@2.13.0", .control = Control{"the same", test}});
  ASSERT_TRUE(script);
  EXPECT_THAT(*script, HasSubstr("class Control(torch.nn.Module):\n    \"\"\"the same.\"\"\"\n"));
  EXPECT_THAT(*script, HasSubstr("    torch.compiler.config.force_disable_caches = True\n    compiled = torch.compile("
                                 "module, backend=\"aot_eager\", fullgraph=True, dynamic=False)"));
  EXPECT_THAT(*script, HasSubstr("FEEDS = (inputs, inputs_of_run_2,)\n"));  // a buffer is written: the next run sees it
  EXPECT_THAT(*script, Not(HasSubstr("EXPECTED = ")));
}

TEST(PythonScript, GoldenForThunder) {
  const auto script = emit_thunder(parsed(gradient_case), {.comment = "", .target = "thunder", .control = {}});
  ASSERT_TRUE(script) << script.error().text();
  EXPECT_THAT(*script, HasSubstr("a = x.mul_(x)\n"));
  EXPECT_THAT(*script, HasSubstr("b = a[(slice(None),) * (0 % a.dim()) + (slice(1, 2, 1),)]\n"));
  EXPECT_THAT(*script, HasSubstr("c = torch._C._nn.gelu(b)\n"));
  EXPECT_THAT(*script, HasSubstr("WRT = (\"x\", )\n"));
  EXPECT_THAT(*script, HasSubstr("torch.autograd.grad("));
  EXPECT_THAT(*script, HasSubstr("OPEN.update("));  // where eager itself gives NaN nothing is held against Thunder
  const Case unsaid = parsed(R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[]"}}, "nodes": [
      {"out": "a", "op": "aten.alias.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1]}})");
  const auto refused = emit_thunder(unsaid, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("aten.alias.default"));
}

TEST(PythonScript, FeedsTensorsThatAreNoViews) {
  const Case test = parsed(R"({"parallax": 1, "graph": {
      "inputs": {"x": {"type": "i32[2,1,2]"}, "y": {"type": "bool[2,0]"}, "z": {"type": "f32[]"}}, "nodes": [],
      "outputs": ["%x"]}, "feed": {"x": [1, 2, 3, 4], "y": [], "z": [0.5]}})");
  const auto script = emit_pytorch(test, {.comment = "", .target = "", .control = {}});
  ASSERT_TRUE(script) << script.error().text();
  EXPECT_THAT(*script, HasSubstr("x = torch.tensor([[[1, 2]], [[3, 4]]], dtype=torch.int32)\n"));
  EXPECT_THAT(*script, HasSubstr("y = torch.empty([2,0], dtype=torch.bool)\n"));
  EXPECT_THAT(*script, HasSubstr("z = torch.tensor(0.5, dtype=torch.float32)\n"));
}

TEST(PythonScript, SaysOnlyTheFlagsThatAreSetForThunder) {
  const Case test = parsed(R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.to.dtype", "args": ["%x", "f64"]},
      {"out": "b", "op": "aten.to.dtype", "args": ["%a", "f64", false, true]}],
      "outputs": ["%b"]}, "feed": {"x": [1, 2]}})");
  const auto script = emit_thunder(test, {.comment = "", .target = "thunder", .control = {}});
  ASSERT_TRUE(script) << script.error().text();
  EXPECT_THAT(*script, HasSubstr("a = x.to(torch.float64)\n"));
  EXPECT_THAT(*script, HasSubstr("b = a.to(torch.float64, copy=True)\n"));
}

// As a person registers them; what hands an operand on is registered as what it is made of.
TEST(PythonScript, RegistersCustomOperations) {
  const auto script = emit_pytorch(parsed(testing::custom_case), {.comment = "", .target = "", .control = {}});
  ASSERT_TRUE(script) << script.error().text();
  for (const std::string_view lines :
       {"bug = torch.library.Library(\"bug\", \"DEF\")\n",
        "def bug_step(v_a, v_b):\n    v_c = torch.ops.aten.add_.Tensor(v_a, v_b)\n", "    return v_c, None, v_d, v_e\n",
        "bug.define(\"step(Tensor(a!) a, Tensor b) -> (Tensor(a!), Tensor?, Tensor, Tensor(a!))\")\n"
        "bug.impl(\"step\", bug_step, \"CompositeImplicitAutograd\")\n",
        "bug.impl(\"twice\", bug_twice, \"CompositeExplicitAutograd\")\n"
        "torch.library.register_fake(\"bug::twice\", bug_twice, lib=bug)\n",
        "        r = torch.ops.bug.step(v, y)\n        same = r[0]\n        own = r[2]\n        last = r[3]\n"
        "        torch.ops.bug.twice(last)\n"}) {
    EXPECT_THAT(*script, HasSubstr(std::string(lines)));
  }
}

TEST(PythonScript, ForExecuTorchByDelegate) {
  const Case test = parsed(full_case);
  EXPECT_THAT(*emit_executorch(test, {.comment = "", .target = "executorch-xnnpack", .control = {}}),
              HasSubstr("return [XnnpackPartitioner()]"));
  EXPECT_THAT(*emit_executorch(test, {.comment = "", .target = "executorch-vulkan", .control = {}}),
              HasSubstr("flatbuffer_to_vk_graph"));
  EXPECT_THAT(*emit_reproducer(test, {.comment = "", .target = "executorch-portable?python=x", .control = {}}),
              HasSubstr("def partitioners():\n    return []\n"));
  EXPECT_FALSE(emit_executorch(test, {.comment = "", .target = "thunder", .control = {}}));
}

// The runtime hands no buffer back: a further method of the program reads them.
TEST(PythonScript, ReadsTheStateOfExecuTorchByAMethod) {
  const auto script_for = [](std::string_view target, std::string_view buffers) {
    const Case test = parsed(fmt::format(R"({{"parallax": 1, "graph": {{"inputs": {{"x": {{"type": "f32[2]"}}}},
        "buffers": {{{}}}, "nodes": [{{"out": "a", "op": "aten.exp.default", "args": ["%x"]}}], "outputs": ["%a"]}},
        "feed": {{"x": [1, 2]}}}})",
                                         buffers));
    return emit_executorch(test, {.comment = "", .target = std::string(target), .control = {}}).value_or("");
  };
  constexpr std::string_view buffer = R"("b": {"type": "f32[2]", "data": [1, 2]})";
  EXPECT_THAT(script_for("executorch-portable", buffer),
              AllOf(HasSubstr("exported[\"state\"] = torch.export.export(State(module), (), strict=False)"),
                    HasSubstr("dict(zip(names, state.execute(()) if names else []))"), Not(HasSubstr("portable_lib"))));
  EXPECT_THAT(script_for("executorch-portable", ""), AllOf(Not(HasSubstr("class State")), HasSubstr("portable_lib")));
  EXPECT_THAT(script_for("executorch-vulkan", buffer), Not(HasSubstr("class State")));  // lowered only
}

TEST(PythonScript, PlansExecuTorchAtTheBound) {
  for (const std::string_view buffers : {"", R"("b": {"type": "f32[2]", "data": [1, 2]})"}) {
    const Case test =
        parsed(fmt::format(R"({{"parallax": 1, "requires": ["runs", "symbols"], "symbols": {{"B": [1, 4]}},
        "graph": {{"inputs": {{"x": {{"type": "f32[B]"}}}}, "buffers": {{{}}},
        "nodes": [{{"out": "a", "op": "aten.exp.default", "args": ["%x"]}}], "outputs": ["%a"]}},
        "runs": [{{"feed": {{"x": {{"type": "f32[2]", "data": [1, 2]}}}}}}]}})",
                           buffers));
    const auto script = emit_executorch(test, {.comment = "", .target = "executorch-portable", .control = {}});
    ASSERT_TRUE(script) << script.error().text();
    EXPECT_THAT(*script, HasSubstr("(passes=passes, sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass()"));
  }
}

// A jitted function and a flatbuffer have no state: what is written does not come back, or is returned.
TEST(PythonScript, ForProgramsWithoutState) {
  const auto script_for = [](std::string_view op, const std::string& target) {
    const Case test = parsed(fmt::format(R"({{"parallax": 1, "graph": {{"inputs": {{"x": {{"type": "f32[2]"}}}},
        "nodes": [{{"out": "a", "op": "{}", "args": ["%x"]}}], "outputs": ["%a"]}}, "feed": {{"x": [1, 2]}}}})",
                                         op));
    const auto script = emit_reproducer(test, {.comment = "", .target = target, .control = {}});
    return script ? *script : script.error().text();
  };
  EXPECT_THAT(script_for("aten.exp.default", "torchax"), HasSubstr("exported_program_to_jax(torch.export.export("));
  EXPECT_THAT(script_for("aten.exp_.default", "torchax?way=jit"), HasSubstr("before.set_(now.clone())"));
  EXPECT_THAT(script_for("aten.exp.default", "litert-torch"), HasSubstr("kernels = OpResolverType.BUILTIN_WITHOUT_"));
  EXPECT_THAT(script_for("aten.exp.default", "litert-torch-xnnpack"), HasSubstr("kernels = OpResolverType.BUILTIN\n"));
  for (const std::string target : {"torchax", "litert-torch", "litert-torch-xnnpack"}) {
    EXPECT_THAT(script_for("aten.exp_.default", target), HasSubstr("what a module writes does not come back"))
        << target;
  }
}

// The runtime takes contiguous and channels-last inputs: others are views of what is fed.
TEST(PythonScript, FeedsExecuTorchDenseMemory) {
  const Case test = parsed(R"({"parallax": 1, "graph": {
      "storages": {"m": {"type": "f32[8]"}},
      "inputs": {"a": {"type": "f32[2,3]", "strides": [1,2]}, "b": {"type": "f32[2,2]", "storage": "m", "offset": 1, "strides": [4,2]},
                 "c": {"type": "f32[3]", "storage": "m"}, "d": {"type": "f32[2,2]", "strides": [3,1]},
                 "e": {"type": "i32[1,2,1,2]", "strides": [4,1,4,2]}, "f": {"type": "f32[2,1]", "storage": "m", "strides": [0,0]}},
      "nodes": [], "outputs": ["%a", "%b"]},
      "feed": {"m": [0, 1, 2, 3, 4, 5, 6, 7], "a": [1, 2, 3, 4, 5, 6], "d": [1, 2, 3, 4], "e": [1, 2, 3, 4]}})");
  const auto script = emit_executorch(test, {.comment = "", .target = "executorch-portable", .control = {}});
  ASSERT_TRUE(script) << script.error().text();
  for (const std::string_view line :
       {"    def forward(self, a_memory, m, d_memory, e):\n",
        "        a = torch.ops.aten.permute.default(a_memory, [1,0])\n",
        "        b = torch.ops.aten.view.default(torch.ops.aten.slice.Tensor(m, 0, 1, 8, 2), [2,2])\n",
        "        c = torch.ops.aten.view.default(torch.ops.aten.slice.Tensor(m, 0, 0, 3, 1), [3])\n",
        "        d = torch.ops.aten.as_strided.default(d_memory, [2,2], [3,1], 0)\n",
        "        f = torch.ops.aten.as_strided.default(m, [2,1], [0,0], 0)\n",
        "    a_memory = torch.tensor([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]], dtype=torch.float32)\n",
        "    d_memory = torch.tensor([1.0, 2.0, 0.0, 3.0, 4.0], dtype=torch.float32)\n",
        "    e = torch.as_strided(torch.tensor([1, 3, 2, 4], dtype=torch.int32), [1,2,1,2], [4,1,4,2], 0)\n",
        "    return {\"a_memory\": a_memory, \"m\": m, \"d_memory\": d_memory, \"e\": e}\n"}) {
    EXPECT_THAT(*script, HasSubstr(std::string(line)));
  }
}

// Dynamo meets a tensor where the program first reads it, so a read ahead of a write would be another program.
TEST(PythonScript, ReadsStateWhereItIsUsed) {
  const auto script = emit_pytorch(parsed(R"({"parallax": 1, "graph": {
      "storages": {"m": {"type": "f32[3]", "data": [1, 2, 3]}}, "inputs": {"x": {"type": "f32[2]"}},
      "buffers": {"s": {"type": "f32[2]", "storage": "m"}, "t": {"type": "f32[2]", "storage": "m", "offset": 1}},
      "nodes": [{"out": "w", "op": "aten.add_.Tensor", "args": ["%s", "%x"]},
                {"out": "y", "op": "aten.neg.default", "args": ["%t"]}], "outputs": ["%y", "%t"]},
      "feed": {"x": [1, 2]}})"),
                                   {});
  ASSERT_TRUE(script);
  EXPECT_THAT(*script, HasSubstr("    def forward(self, x):\n"
                                 "        w = torch.ops.aten.add_.Tensor(self.s, x)\n"
                                 "        y = torch.ops.aten.neg.default(self.t)\n"
                                 "        return (y, self.t)\n"));
}

TEST(PythonScript, KeepsClearOfPythonsNames) {
  const auto script = emit_pytorch(parsed(R"({"parallax": 1, "graph": {
      "inputs": {"torch": {"type": "f32[]"}, "lambda": {"type": "f32[]"}, "lambda_": {"type": "f32[]"}},
      "buffers": {"register_buffer": {"type": "f32[]", "data": [1]}, "__x": {"type": "f32[]", "data": [1]}},
      "nodes": [{"out": "Bug", "op": "aten.add.Tensor", "args": ["%torch", "%lambda"]}], "outputs": ["%Bug", "%lambda_"]},
      "feed": {"torch": [1], "lambda": ["nan"], "lambda_": ["-inf"]}})"),
                                   {});
  ASSERT_TRUE(script);
  EXPECT_THAT(*script, HasSubstr("def forward(self, torch_, lambda__, lambda_):"));
  EXPECT_THAT(*script, HasSubstr("Bug_ = torch.ops.aten.add.Tensor(torch_, lambda__)"));
  EXPECT_THAT(*script, HasSubstr("self.register_buffer(\"register_buffer_\", "));
  EXPECT_THAT(*script, HasSubstr("self.register_buffer(\"v__x\", "));
  EXPECT_THAT(*script, HasSubstr("lambda__ = torch.tensor(float(\"nan\"), dtype=torch.float32)"));
}

TEST(PythonScript, FreeTextStaysInItsComment) {
  Case test = parsed(
      R"({"parallax": 1, "name": "coding: utf-7", "graph": {"inputs": {"x": {"type": "f32[]"}}, "nodes": [], "outputs": ["%x"]},
      "feed": {"x": [1]}, "origin": {"target": "a\rimport os", "signature": "b\nimport os", "issue": "c\u0000\u000cd"}})");
  const auto script = emit_pytorch(test, {});
  ASSERT_TRUE(script);
  // PEP 263: the first two lines may name the encoding of a file.
  const std::size_t second_end = script->find('\n', script->find('\n') + 1);
  EXPECT_EQ(script->substr(0, second_end).find("coding"), std::string::npos);
  EXPECT_THAT(*script, HasSubstr("# coding: utf-7\n# a import os\n# b\n# import os\n# c  d\nimport sys\n"));
  EXPECT_EQ(python_string("\"\n\\"), R"("\"\x0a\\")");
}

TEST(PythonScript, MemoryThatACallerAndABufferShareIsSaidSo) {
  const auto script = emit_pytorch(parsed(R"({"parallax": 1, "graph": {"storages": {"m": {"type": "f32[2]"}},
      "inputs": {"x": {"type": "f32[2]", "storage": "m"}}, "buffers": {"b": {"type": "f32[2]", "storage": "m"}}, "nodes": [],
      "outputs": ["%x", "%b"]}, "feed": {"m": [1, 2]}})"),
                                   {});
  ASSERT_FALSE(script);
  EXPECT_THAT(script.error().text(), HasSubstr("buffer 'b' lies in the storage 'm', which is fed"));
}

}  // namespace
}  // namespace parallax
