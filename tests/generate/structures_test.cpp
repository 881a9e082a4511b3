// Every structure of shipped programs gives a graph that infers, runs on the oracle, and holds what it is named for.
#include "fuzz/generate/structures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "fuzz/generate/draw_data.h"
#include "fuzz/generate/weights.h"
#include "graph/runs.h"
#include "graph/symbols.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

// A case of one structure and what it made.
std::optional<Case> case_of(const Structure& structure, uint64_t seed, int& refused, bool flushes = false) {
  Choices choices(seed, 0);
  GraphBuilder builder;
  StructureSite site(
      choices, builder, DType::F32,
      [&](const Op& op, std::vector<Argument> arguments) {
        const bool added = builder.append_node(op, std::move(arguments)).has_value();
        refused += !added;
        return added;
      },
      [&](SourceKind kind, DType dtype, const Dims& sizes) {
        Tensor data = kind == SourceKind::Input ? Tensor() : Tensor(dtype, sizes);
        return *builder.add_source(kind, builder.fresh_name("x"), dtype, contiguous_layout(sizes), std::move(data));
      },
      flushes);
  // Some structures begin with what is there.
  site.input({2, 3, 4});
  structure.draw(site);
  if (builder.graph().nodes.empty()) return std::nullopt;
  for (const ValueId result : builder.graph().nodes.back().results) builder.add_output(result);
  Case test;
  test.graph = builder.take();
  draw_data(choices, weights_of(GenerateProfile::Shipped), test);
  return test;
}

class EveryStructure : public ::testing::TestWithParam<Structure> {};

TEST_P(EveryStructure, InfersAndRuns) {
  int refused = 0;
  int calls = 0;
  int ran = 0;
  constexpr int draws = 100;
  for (uint64_t seed = 0; seed < draws; ++seed) {
    const std::optional<Case> test = case_of(GetParam(), seed, refused);
    ASSERT_TRUE(test) << "seed " << seed;
    calls += static_cast<int>(test->graph.nodes.size());
    ran += Interpreter(test->graph, *find_profile("eager")).run(test->feed).has_value();
  }
  EXPECT_EQ(ran, draws) << "eager raises on some";
  // Writes to memory that overlaps in part are refused, as eager does.
  EXPECT_LE(refused, calls / 20) << refused << " of " << calls << " calls do not infer";
}

std::vector<Structure> all_structures() {
  std::vector<Structure> all;
  for (const auto& file : {attention_structures(), layer_structures(), routing_structures(), state_structures(),
                           fusion_structures(), quantized_structures(), dynamic_structures(), numeric_structures()}) {
    all.insert(all.end(), file.begin(), file.end());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Structures, EveryStructure, ::testing::ValuesIn(all_structures()), [](const auto& test) {
  std::string name(test.param.name);
  std::erase(name, ' ');
  return name;
});

// Where a target may flush what is subnormal, nothing tells what it made of it.
TEST(NumericStructures, MakeFewerSubnormalProductsWhereTheyMayBeFlushed) {
  const auto structures = numeric_structures();
  const auto product = std::ranges::find(structures, "product below the normal", &Structure::name);
  ASSERT_NE(product, structures.end());
  const auto subnormal = [&](bool flushes) {
    int cases = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      int refused = 0;
      const std::optional<Case> test = case_of(*product, seed, refused, flushes);
      Interpreter interpreter(test->graph, *find_profile("eager"));
      bool some = false;
      const auto look = [&](NodeId node, std::span<const BallView> values) {
        for (const ValueId result : test->graph.node(node).results) {
          const BallView& view = values[result.index];
          if (view.dtype != DType::F32) continue;
          for_each_element(view.layout, [&](int64_t element) {
            const double x = std::fabs(view.storage->balls[static_cast<std::size_t>(element)].mid);
            some = some || (x > 0 && x < info(DType::F32).smallest_normal);
          });
        }
      };
      EXPECT_TRUE(interpreter.run(test->feed, look));
      cases += some;
    }
    return cases;
  };
  const int usual = subnormal(false);
  EXPECT_GE(usual, 100);
  EXPECT_LE(subnormal(true), usual / 2);
}

TEST(ShippedProfile, DrawsEveryStructureAndSeveralCalls) {
  std::set<std::string_view> ops;
  int several = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choices choices(seed, 0);
    const Case test = generate(choices, {.profile = GenerateProfile::Shipped});
    for (const Node& node : test.graph.nodes) ops.insert(node.op->name);
    several += !test.later.empty();
  }
  for (const std::string_view op :
       {"aten.softmax.int", "aten.topk.default", "aten.index_copy_.default", "aten.index_put_.default",
        "aten.roll.default", "aten.layer_norm.default", "aten._native_batch_norm_legit.default", "aten.gather.default",
        "aten.stack.default"}) {
    EXPECT_TRUE(ops.contains(op)) << op;
  }
  EXPECT_GT(several, 45);
  EXPECT_LT(several, 150);
}

// At sizes that change: what it draws has another size at another run.
TEST(DynamicProfile, DrawsAttentionThatGrowsAndRowsBelowEachOther) {
  int attentions = 0;
  int rows = 0;
  int folds = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Choices choices(seed, 0);
    const Case test = generate(choices, {.profile = GenerateProfile::Dynamic});
    if (test.symbols.empty()) continue;
    const Result<Graph> later = at_sizes(test.graph, test.symbols, sizes_of_run(test, 1));
    ASSERT_TRUE(later) << "seed " << seed;
    for (std::size_t n = 0; n < test.graph.nodes.size(); ++n) {
      const Node& node = test.graph.nodes[n];
      const Dims& sizes = test.graph.meta(node.results.front()).layout.sizes;
      if (later->meta(node.results.front()).layout.sizes == sizes) continue;
      attentions += node.op->name == "aten.scaled_dot_product_attention.default";
      rows += node.op->name == "aten.embedding.default";
      folds += node.op->name == "aten.flatten.using_ints";
    }
  }
  EXPECT_GE(attentions, 10);
  EXPECT_GE(rows, 10);
  EXPECT_GE(folds, 10);
}

// onnxruntime 1.31.1 refuses it (relu_clip_fusion.cc).
TEST(ShippedProfile, DrawsClampsOfReluInDoubles) {
  int found = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choices choices(seed, 0);
    const Graph graph = generate(choices, {.profile = GenerateProfile::Shipped}).graph;
    std::set<ValueId> relus;
    for (const Node& node : graph.nodes) {
      const auto* operand = std::get_if<ValueId>(&node.arguments.front());
      if (operand == nullptr || graph.meta(*operand).dtype != DType::F64) continue;
      if (node.op->name == "aten.relu.default") relus.insert(node.results.front());
      found += node.op->name == "aten.clamp.default" && relus.contains(*operand);
    }
  }
  EXPECT_GE(found, 3);
}

TEST(QuantizedProfile, DrawsEveryKindOfPair) {
  std::set<std::string_view> ops;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices(seed, 0);
    for (const Node& node : generate(choices, {.profile = GenerateProfile::Quantized}).graph.nodes)
      ops.insert(node.op->name);
  }
  for (const std::string_view name :
       {"quantize_per_tensor.default", "quantize_per_tensor.tensor", "quantize_per_channel.default",
        "quantize_per_token.default", "dequantize_per_tensor.default", "dequantize_per_channel.default",
        "dequantize_per_channel_group.default", "choose_qparams.tensor",
        "choose_qparams_per_token_asymmetric.default"}) {
    EXPECT_TRUE(ops.contains("quantized_decomposed." + std::string(name))) << name;
  }
}

}  // namespace
}  // namespace parallax
