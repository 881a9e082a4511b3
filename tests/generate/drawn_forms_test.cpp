// Forms that known bugs need, and that calls drawn one by one seldom come to: each is in some of a profile's graphs.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "core/limits.h"
#include "fuzz/generate/altered_call.h"
#include "fuzz/generate/draw_values.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/motifs.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// The graphs of the first so many cases of a profile for which `holds` is true.
template <class Holds>
int count_graphs(GenerateProfile profile, uint64_t graphs, Holds&& holds) {
  int found = 0;
  for (uint64_t k = 0; k < graphs; ++k) {
    Choices choices(44, k);
    found += holds(generate(choices, {.profile = profile}));
  }
  return found;
}

// The same where `holds` is asked of each node.
template <class Holds>
int count_nodes(GenerateProfile profile, uint64_t graphs, Holds&& holds) {
  return count_graphs(profile, graphs, [&](const Case& test) {
    return std::ranges::any_of(test.graph.nodes, [&](const Node& node) { return holds(test.graph, node); });
  });
}

// The node that makes the value of an argument, or null.
const Node* maker_of(const Graph& graph, const Node& reader, std::size_t argument) {
  const auto* value = argument < reader.arguments.size() ? std::get_if<ValueId>(&reader.arguments[argument]) : nullptr;
  if (!value) return nullptr;
  const auto found =
      std::ranges::find_if(graph.nodes, [&](const Node& node) { return std::ranges::count(node.results, *value) > 0; });
  return found == graph.nodes.end() ? nullptr : &*found;
}

DType dtype_of(const Graph& graph, const Node& node) {
  return first_dtype(node.arguments, graph).value_or(DType::Bool);
}

bool has_fraction(const Argument& argument) {
  const auto* number = std::get_if<Scalar>(&argument);
  return number && is_floating(*number) && as_double(*number) != std::round(as_double(*number));
}

TEST(AlteredCalls, AskTotalsForADtype) {
  std::set<std::string_view> asked;
  for (const GenerateProfile profile : {GenerateProfile::All, GenerateProfile::Numeric}) {
    count_nodes(profile, 3000, [&](const Graph&, const Node& node) {
      const bool is_total = node.op->family == "scan" || node.op->family == "reduction";
      if (is_total && std::holds_alternative<DType>(node.arguments.back())) asked.insert(node.op->name);
      return false;
    });
  }
  for (const std::string_view op :
       {"aten.cumsum.default", "aten.cumprod.default", "aten.sum.default", "aten.prod.dim_int", "aten.mean.dim"}) {
    EXPECT_TRUE(asked.contains(op)) << op;
  }
}

// The result has the dtype that PyTorch promotes to.
TEST(AlteredCalls, ClampIntegersByFractions) {
  const int found = count_nodes(GenerateProfile::Numeric, 3000, [](const Graph& graph, const Node& node) {
    const bool clamps = node.op->name.starts_with("aten.clamp") && std::ranges::any_of(node.arguments, has_fraction);
    if (!clamps || !is_integral(dtype_of(graph, node))) return false;
    EXPECT_EQ(graph.meta(node.results.front()).dtype, DType::F32);
    return true;
  });
  EXPECT_GE(found, 6);
}

TEST(AlteredCalls, ShiftByTheWidth) {
  const int found = count_nodes(GenerateProfile::Numeric, 6000, [](const Graph& graph, const Node& node) {
    const auto* bits = node.arguments.size() > 1 ? std::get_if<Scalar>(&node.arguments[1]) : nullptr;
    return bits && node.op->name.contains("_shift") && as_integer(*bits) == int64_t{8} * size_of(dtype_of(graph, node));
  });
  EXPECT_GE(found, 3);
}

TEST(AlteredCalls, LeaveOtherCallsAlone) {
  const std::array metas = {TensorMeta{DType::F32, contiguous_layout({2}), {}}};
  const std::vector<Argument> arguments = {ValueId(0), Scalar(int64_t{1})};
  for (uint64_t stream = 0; stream < 50; ++stream) {
    Choices choices(1, stream);
    EXPECT_FALSE(altered_arguments(choices, op_named("aten.clamp_min.default"), arguments, metas));
    EXPECT_FALSE(altered_arguments(choices, op_named("aten.neg.default"), {ValueId(0)}, metas));
  }
}

// x - tanh(x), f(x) / x and the like.
TEST(Motifs, BringAValueBesideItsOperand) {
  int of_tanh = 0;
  std::set<std::string_view> relations;
  count_nodes(GenerateProfile::All, 3000, [&](const Graph& graph, const Node& node) {
    if (node.arguments.size() < 2) return false;
    for (const std::size_t place : {0U, 1U}) {
      const Node* maker = maker_of(graph, node, place);
      if (!maker || maker->op->group != OpGroup::Pointwise || maker->arguments[0] != node.arguments[1 - place])
        continue;
      relations.insert(node.op->name);
      of_tanh += maker->op->family == "trigonometric" || maker->op->family == "exponential";
    }
    return false;
  });
  for (const std::string_view op : {"aten.sub.Tensor", "aten.mul.Tensor", "aten.div.Tensor"}) {
    EXPECT_TRUE(relations.contains(op)) << op;
  }
  EXPECT_GE(of_tanh, 10);
}

TEST(NumericProfile, TakesMagnitudesOfSquaresThatWrap) {
  const int found = count_nodes(GenerateProfile::Numeric, 3000, [](const Graph& graph, const Node& node) {
    const Node* square = node.op->name == "aten.abs.default" ? maker_of(graph, node, 0) : nullptr;
    return square && is_integral(dtype_of(graph, *square)) &&
           (square->op->name == "aten.square.default" ||
            (square->op->name == "aten.mul.Tensor" && square->arguments[0] == square->arguments[1]));
  });
  EXPECT_GE(found, 10);
}

// Of every float dtype, with an infinity in what is fed.
TEST(NumericProfile, FeedsInfinitiesToWhatReplacesThem) {
  std::set<DType> fed;
  count_graphs(GenerateProfile::Numeric, 4000, [&](const Case& test) {
    for (const Node& node : test.graph.nodes) {
      if (node.op->name != "aten.nan_to_num.default") continue;
      const ValueId operand = std::get<ValueId>(node.arguments.front());
      for (std::size_t i = 0; i < test.feed.size(); ++i) {
        const Tensor& tensor = test.feed[i];
        if (test.graph.sources[i].value != operand || !is_floating(tensor.dtype)) continue;
        for (int64_t e = 0; e < tensor.numel(); ++e) {
          if (std::isinf(tensor.get_double(e))) fed.insert(tensor.dtype);
        }
      }
    }
    return false;
  });
  EXPECT_EQ(fed, (std::set{DType::F16, DType::BF16, DType::F32, DType::F64}));
}

TEST(NumericProfile, MakesProductsBelowTheNormalNumbers) {
  const int found = count_nodes(GenerateProfile::Numeric, 3000, [](const Graph& graph, const Node& node) {
    if (node.op->name != "aten.mul.Scalar" || !is_floating(dtype_of(graph, node))) return false;
    const double factor = std::abs(as_double(std::get<Scalar>(node.arguments[1])));
    const double least = info(dtype_of(graph, node)).smallest_normal;
    return factor > 0 && factor <= 4 * least;
  });
  EXPECT_GE(found, 10);
}

TEST(NumericProfile, TotalsTensorsThatAreFullOfOneNumber) {
  const int found = count_nodes(GenerateProfile::Numeric, 3000, [](const Graph& graph, const Node& node) {
    const Node* full = node.op->name == "aten.cumsum.default" ? maker_of(graph, node, 0) : nullptr;
    return full && (full->op->name == "aten.ones.default" || full->op->name == "aten.full.default") &&
           std::holds_alternative<DType>(node.arguments.back());
  });
  EXPECT_GE(found, 10);
}

TEST(NumericProfile, ChainsManyCallsWithNumbers) {
  const int found = count_graphs(GenerateProfile::Numeric, 1000, [](const Case& test) {
    return std::ranges::count_if(test.graph.nodes,
                                 [](const Node& node) { return node.op->group == OpGroup::Pointwise; }) >= 20;
  });
  EXPECT_GE(found, 10);
}

TEST(DrawValues, FillsBytesFromTheirWholeRange) {
  std::set<int64_t> seen;
  for (uint64_t stream = 0; stream < 2000; ++stream) {
    Choices choices(2, stream);
    const Tensor tensor = draw_tensor(choices, DType::U8, {4}, weights_of(GenerateProfile::Numeric), {.wraps = true});
    for (int64_t i = 0; i < tensor.numel(); ++i) seen.insert(tensor.get_integer(i));
  }
  EXPECT_GE(seen.size(), 250U);
}

TEST(DrawValues, ShiftsByTheWidth) {
  int found = 0;
  for (uint64_t stream = 0; stream < 100; ++stream) {
    Choices choices(2, stream);
    const Tensor tensor = draw_tensor(choices, DType::I64, {4}, weights_of(GenerateProfile::All), {.width = 64});
    for (int64_t i = 0; i < tensor.numel(); ++i) found += tensor.get_integer(i) == 64;
  }
  EXPECT_GE(found, 20);
}

bool moves_nothing(const Graph& graph, const Node& node) {
  if (node.op->name == "aten.t.default") return graph.meta(std::get<ValueId>(node.arguments[0])).layout.numel() == 1;
  if (node.op->name == "aten.transpose.int") return node.arguments[1] == node.arguments[2];
  const auto* order = node.op->name == "aten.permute.default" ? std::get_if<IntList>(&node.arguments[1]) : nullptr;
  return order && std::ranges::is_sorted(*order) && order->size() >= 2;
}

TEST(ShippedProfile, PermutesNothingBeforeEachProduct) {
  std::set<std::string_view> products;
  count_nodes(GenerateProfile::Shipped, 4000, [&](const Graph& graph, const Node& node) {
    for (std::size_t place = 0; place < node.arguments.size(); ++place) {
      const Node* maker = node.op->family == "matmul" ? maker_of(graph, node, place) : nullptr;
      if (maker && moves_nothing(graph, *maker)) products.insert(node.op->name);
    }
    return false;
  });
  for (const std::string_view op :
       {"aten.mm.default", "aten.matmul.default", "aten.addmm.default", "aten.linear.default", "aten.bmm.default"}) {
    EXPECT_TRUE(products.contains(op)) << op;
  }
}

TEST(ShippedProfile, AsksForThePlaceInATransposedWrite) {
  const int found = count_nodes(GenerateProfile::Shipped, 3000, [](const Graph& graph, const Node& node) {
    const bool asks = node.op->name == "aten.argmin.default" || node.op->name == "aten.argmax.default";
    const Node* view = asks ? maker_of(graph, node, 0) : nullptr;
    const bool transposes = view && (view->op->name == "aten.t.default" || view->op->name == "aten.transpose.int");
    const Node* write = transposes && is_none(node.arguments[1]) ? maker_of(graph, *view, 0) : nullptr;
    return write && write->op->writes();
  });
  EXPECT_GE(found, 10);
}

TEST(ShippedProfile, PutsATensorIntoItself) {
  const int found = count_nodes(GenerateProfile::Shipped, 3000, [](const Graph& graph, const Node& node) {
    return node.op->name.starts_with("aten.index_put") && node.arguments[0] == node.arguments[2] &&
           maker_of(graph, node, 0);
  });
  EXPECT_GE(found, 10);
}

// Beside the usual scale, and beside the usual way to transpose a key.
TEST(ShippedProfile, WritesAttentionWithOtherScalesAndOrders) {
  std::set<std::string> scalings;
  std::set<IntList> orders;
  count_nodes(GenerateProfile::Shipped, 4000, [&](const Graph& graph, const Node& node) {
    const bool scales = node.op->name == "aten.mul.Tensor" || node.op->name == "aten.div.Tensor";
    const Node* product = scales ? maker_of(graph, node, 0) : nullptr;
    if (!product || product->op->name != "aten.matmul.default") return false;
    const auto* number = std::get_if<Scalar>(&node.arguments[1]);
    if (number) scalings.insert(node.op->name + " " + std::to_string(as_double(*number)));
    const Node* key = maker_of(graph, *product, 1);
    if (key && key->op->name == "aten.permute.default") orders.insert(std::get<IntList>(key->arguments[1]));
    return false;
  });
  EXPECT_GE(scalings.size(), 10U);
  EXPECT_GE(orders.size(), 3U);
}

TEST(ShippedProfile, BringsAVectorBesideRowsAndColumns) {
  int rows = 0;
  int columns = 0;
  count_nodes(GenerateProfile::Shipped, 3000, [&](const Graph& graph, const Node& node) {
    if (node.op->group != OpGroup::Pointwise || node.arguments.size() < 2) return false;
    for (const std::size_t place : {0U, 1U}) {
      const auto* a = std::get_if<ValueId>(&node.arguments[place]);
      const auto* b = std::get_if<ValueId>(&node.arguments[1 - place]);
      if (!a || !b || graph.meta(*a).layout.rank() != 1) continue;
      const Dims& other = graph.meta(*b).layout.sizes;
      rows += other.size() == 3 && other[0] == 1 && other[1] == 1;
      columns += other.size() == 2 && other[0] > 1 && other[1] == 1;
    }
    return false;
  });
  EXPECT_GE(rows, 10);
  EXPECT_GE(columns, 10);
}

TEST(DynamicProfile, SubtractsARowAndAColumnOfOneLine) {
  const int found = count_nodes(GenerateProfile::Dynamic, 3000, [](const Graph& graph, const Node& node) {
    const Node* row = node.op->name == "aten.sub.Tensor" ? maker_of(graph, node, 0) : nullptr;
    const Node* column = node.op->name == "aten.sub.Tensor" ? maker_of(graph, node, 1) : nullptr;
    return row && column && row->op->name == "aten.unsqueeze.default" && column->op == row->op &&
           row->arguments[0] == column->arguments[0] && row->arguments[1] != column->arguments[1];
  });
  EXPECT_GE(found, 10);
}

TEST(QuantizedProfile, DequantizesChannelsOfAPermutedPicture) {
  std::set<std::string_view> ops;
  count_nodes(GenerateProfile::Quantized, 600, [&](const Graph& graph, const Node& node) {
    if (!node.op->name.contains("quantize_per_channel.default")) return false;
    const Layout& layout = graph.meta(std::get<ValueId>(node.arguments.front())).layout;
    if (layout.rank() == 4 && layout.strides != contiguous_strides(layout.sizes)) ops.insert(node.op->name);
    return false;
  });
  EXPECT_EQ(ops.size(), 2U) << ::testing::PrintToString(ops);
}

}  // namespace
}  // namespace parallax
