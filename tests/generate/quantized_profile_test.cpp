// What the profile `quantized` draws beside the pairs that a quantizer writes.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "fuzz/generate/generate.h"
#include "graph/written_operands.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

using Seen = std::map<std::string, int>;

bool is_pair_half(const Node& node, std::string_view what) {
  return node.op->name == "quantized_decomposed." + std::string(what) + "_per_tensor.default";
}

struct OneScale {
  explicit OneScale(const Node& node)
      : scale(as_double(std::get<Scalar>(node.arguments[1]))),
        zero_point(as_integer(std::get<Scalar>(node.arguments[2]))),
        low(as_integer(std::get<Scalar>(node.arguments[3]))),
        high(as_integer(std::get<Scalar>(node.arguments[4]))) {}

  double scale;
  int64_t zero_point, low, high;
};

void look_at_parameters(const Node& node, Seen& seen) {
  const OneScale p(node);
  seen["an extreme scale"] += p.scale <= 1e-6 || p.scale >= 1e4;
  seen["a zero point at an end"] += p.zero_point == p.low || p.zero_point == p.high;
  seen["a range that excludes 0"] += p.zero_point < p.low;
  seen["four bits"] += p.high - p.low == 15;
}

void look_at_graph(const Graph& graph, Seen& seen) {
  std::map<ValueId, const Node*> makers;
  std::map<ValueId, int> readers;
  std::map<StorageId, const Node*> quantized;
  for (const Node& node : graph.nodes) {
    for (const Argument& argument : node.arguments) for_each_value(argument, [&](ValueId value) { ++readers[value]; });
    for_each_written(node, [&](ValueId value) {
      const StorageId storage = graph.meta(value).storage;
      seen["a write to integers"] += quantized.contains(storage);
      for (const Source& source : graph.sources) {
        const TensorMeta& meta = graph.meta(source.value);
        seen["an i8 cache"] += source.kind == SourceKind::Buffer && meta.storage == storage && meta.dtype == DType::I8;
      }
    });
    if (is_pair_half(node, "quantize")) {
      look_at_parameters(node, seen);
      makers[node.results.front()] = &node;
      quantized[graph.meta(node.results.front()).storage] = &node;
    }
    if (is_pair_half(node, "dequantize")) {
      const auto maker = makers.find(std::get<ValueId>(node.arguments.front()));
      if (maker != makers.end()) {
        const OneScale of_dequantize(node);
        const OneScale of_quantize(*maker->second);
        seen["a pair that does not cancel"] +=
            of_dequantize.scale != of_quantize.scale || of_dequantize.zero_point != of_quantize.zero_point;
      }
    }
    if (node.op->is_view() && quantized.contains(graph.meta(node.results.front()).storage))
      ++seen["a view of integers"];
  }
  for (const Node& node : graph.nodes)
    seen["a dequantize with two readers"] += is_pair_half(node, "dequantize") && readers[node.results.front()] > 1;
  for (const ValueId output : graph.outputs) seen["integers that are returned"] += makers.contains(output);
}

void look_at_values(const Case& test, Seen& seen) {
  Interpreter interpreter(test.graph, *find_profile("eager"));
  const auto observe = [&](NodeId id, std::span<const BallView> views) {
    const Node& node = test.graph.node(id);
    if (!is_pair_half(node, "quantize")) return;
    const OneScale p(node);
    const BallView& view = views[node.results.front().index];
    for_each_element(view.layout, [&](int64_t element) {
      const IntegerBall& q = view.integer(element);
      seen["saturation"] += q.decided() && (q.value == p.low || q.value == p.high) && q.value != p.zero_point;
    });
  };
  static_cast<void>(interpreter.run(test.feed, observe));  // what eager refuses says nothing here
}

TEST(QuantizedProfile, DrawsWhatNoQuantizerWrites) {
  Seen seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Choices choices(seed, 0);
    const Case test = generate(choices, {.profile = GenerateProfile::Quantized});
    look_at_graph(test.graph, seen);
    look_at_values(test, seen);
  }
  for (const char* kind : {"an extreme scale", "a zero point at an end", "a range that excludes 0", "four bits",
                           "saturation", "a pair that does not cancel", "integers that are returned", "an i8 cache",
                           "a dequantize with two readers", "a write to integers", "a view of integers"}) {
    EXPECT_GE(seen[kind], 5) << kind;
  }
}

}  // namespace
}  // namespace parallax
