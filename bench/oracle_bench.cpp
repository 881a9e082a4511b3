// The interpreter with bounds against a plain interpreter in double, over the same graphs in one run.
//
// The plain one does what any reference interpreter has to: it walks the nodes, checks nothing, and computes each into
// a vector of doubles of its own. Compare `with_bounds` with `plain_double` of the same argument.
#include <benchmark/benchmark.h>

#include <cmath>
#include <functional>
#include <map>

#include "core/check.h"
#include "graph/builder.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

using Doubles = std::vector<double>;

// linear, gelu, linear, layer norm, softmax over rows of `width`: a transformer's block without attention.
struct Network {
  Graph graph;
  std::vector<Tensor> feed;
};

Tensor drawn(const Dims& sizes, uint64_t seed) {
  Tensor tensor(DType::F32, sizes);
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    tensor.set_double(i, static_cast<double>(static_cast<int64_t>(seed >> 40)) / 0x1p23 - 1);
  }
  return tensor;
}

Network network(int64_t rows, int64_t width) {
  GraphBuilder builder;
  Network result;
  const auto add = [&](const char* name, const Dims& sizes) {
    result.feed.push_back(drawn(sizes, result.feed.size() + 1));
    return *builder.add_source(SourceKind::Input, name, DType::F32, contiguous_layout(sizes));
  };
  const ValueId x = add("x", {rows, width});
  const ValueId w1 = add("w1", {width, width});
  const ValueId b1 = add("b1", {width});
  const ValueId w2 = add("w2", {width, width});
  const ValueId b2 = add("b2", {width});
  const ValueId first = *builder.call("aten.linear.default", {x, w1, b1});
  const ValueId bent = *builder.call("aten.gelu.default", {first});
  const ValueId second = *builder.call("aten.linear.default", {bent, w2, b2});
  const ValueId normal = *builder.call("aten.layer_norm.default", {second, IntList{width}});
  builder.add_output(*builder.call("aten._softmax.default", {normal, Scalar(int64_t{1}), Scalar(false)}));
  result.graph = builder.take();
  return result;
}

// Ten elementwise and view nodes over 1 to 64 elements, drawn by a seed.
Network small_graph(uint64_t seed) {
  constexpr std::array unary = {"aten.relu.default", "aten.neg.default", "aten.sigmoid.default", "aten.exp.default",
                                "aten.tanh.default"};
  constexpr std::array binary = {"aten.add.Tensor", "aten.mul.Tensor", "aten.sub.Tensor"};
  GraphBuilder builder;
  Network result;
  const auto size = static_cast<int64_t>(1 + seed * 7919 % 64);
  for (const char* name : {"x", "y"}) {
    result.feed.push_back(drawn({size}, seed + result.feed.size()));
    (void)builder.add_source(SourceKind::Input, name, DType::F32, contiguous_layout({size}));
  }
  std::vector<ValueId> values = {ValueId(0), ValueId(1)};
  for (uint64_t node = 0; node < 10; ++node) {
    const uint64_t draw = (seed + 1) * (node + 3) * 2654435761ULL >> 7;
    const ValueId a = values[draw % values.size()];
    const ValueId b = values[draw / 7 % values.size()];
    values.push_back(draw / 64 % 2 == 0 ? *builder.call(unary[draw / 128 % unary.size()], {a})
                                        : *builder.call(binary[draw / 128 % binary.size()], {a, b}));
  }
  builder.add_output(values.back());
  result.graph = builder.take();
  return result;
}

// ---- the plain interpreter

double gelu(double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Doubles linear(const Doubles& x, const Doubles& w, const Doubles& b) {
  const std::size_t width = b.size();
  const std::size_t inner = w.size() / width;
  Doubles result(x.size() / inner * width);
  for (std::size_t row = 0; row < x.size() / inner; ++row) {
    for (std::size_t out = 0; out < width; ++out) {
      double sum = 0;
      for (std::size_t k = 0; k < inner; ++k) sum += x[row * inner + k] * w[out * inner + k];
      result[row * width + out] = sum + b[out];
    }
  }
  return result;
}

Doubles layer_norm(const Doubles& x, std::size_t width) {
  Doubles result(x.size());
  for (std::size_t first = 0; first < x.size(); first += width) {
    double mean = 0;
    for (std::size_t k = 0; k < width; ++k) mean += x[first + k];
    mean /= static_cast<double>(width);
    double variance = 0;
    for (std::size_t k = 0; k < width; ++k) variance += (x[first + k] - mean) * (x[first + k] - mean);
    const double scale = 1 / std::sqrt(variance / static_cast<double>(width) + 1e-5);
    for (std::size_t k = 0; k < width; ++k) result[first + k] = (x[first + k] - mean) * scale;
  }
  return result;
}

Doubles softmax(const Doubles& x, std::size_t width) {
  Doubles result(x.size());
  for (std::size_t first = 0; first < x.size(); first += width) {
    double most = x[first];
    for (std::size_t k = 0; k < width; ++k) most = std::max(most, x[first + k]);
    double sum = 0;
    for (std::size_t k = 0; k < width; ++k) sum += result[first + k] = std::exp(x[first + k] - most);
    for (std::size_t k = 0; k < width; ++k) result[first + k] /= sum;
  }
  return result;
}

template <class F>
Doubles map(const Doubles& x, F f) {
  Doubles result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = f(x[i]);
  return result;
}

template <class F>
Doubles zip(const Doubles& x, const Doubles& y, F f) {
  Doubles result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = f(x[i], y[i]);
  return result;
}

Doubles compute(std::string_view op, const std::vector<const Doubles*>& in, std::size_t width) {
  if (op == "aten.linear.default") return linear(*in[0], *in[1], *in[2]);
  if (op == "aten.gelu.default") return map(*in[0], gelu);
  if (op == "aten.layer_norm.default") return layer_norm(*in[0], width);
  if (op == "aten._softmax.default") return softmax(*in[0], width);
  if (op == "aten.relu.default") return map(*in[0], [](double x) { return std::max(x, 0.0); });
  if (op == "aten.neg.default") return map(*in[0], [](double x) { return -x; });
  if (op == "aten.sigmoid.default") return map(*in[0], sigmoid);
  if (op == "aten.exp.default") return map(*in[0], [](double x) { return std::exp(x); });
  if (op == "aten.tanh.default") return map(*in[0], [](double x) { return std::tanh(x); });
  if (op == "aten.add.Tensor") return zip(*in[0], *in[1], [](double x, double y) { return x + y; });
  if (op == "aten.mul.Tensor") return zip(*in[0], *in[1], [](double x, double y) { return x * y; });
  if (op == "aten.sub.Tensor") return zip(*in[0], *in[1], [](double x, double y) { return x - y; });
  PARALLAX_CHECK(!"an op that the plain interpreter has");
  return {};
}

Doubles run_plain(const Network& network) {
  const Graph& graph = network.graph;
  std::vector<Doubles> values(graph.metas.size());
  std::size_t next = 0;
  for (const Source& source : graph.sources) {
    const Tensor& fed = network.feed[next++];
    Doubles& value = values[source.value.index];
    for (int64_t i = 0; i < fed.numel(); ++i) value.push_back(fed.get_double(i));
  }
  for (const Node& node : graph.nodes) {
    std::vector<const Doubles*> operands;
    for (const Argument& argument : node.arguments) {
      if (const auto* value = std::get_if<ValueId>(&argument)) operands.push_back(&values[value->index]);
    }
    const ValueId result = node.results.front();
    values[result.index] =
        compute(node.op->name, operands,
                static_cast<std::size_t>(graph.meta(result).layout.sizes[graph.meta(result).layout.rank() - 1]));
  }
  return values[graph.outputs.front().index];
}

void plain_double(benchmark::State& state) {
  const Network test = network(16, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(run_plain(test));
}
BENCHMARK(plain_double)->Arg(16)->Arg(64)->Arg(256);

void with_bounds(benchmark::State& state) {
  const Network test = network(16, state.range(0));
  const Profile& profile = *find_profile("eager");
  for (auto _ : state) benchmark::DoNotOptimize(Interpreter(test.graph, profile).run(test.feed));
}
BENCHMARK(with_bounds)->Arg(16)->Arg(64)->Arg(256);

template <class Run>
void over_small_graphs(benchmark::State& state, Run run) {
  std::vector<Network> graphs;
  for (uint64_t seed = 0; seed < 256; ++seed) graphs.push_back(small_graph(seed));
  std::size_t next = 0;
  for (auto _ : state) run(graphs[next++ % graphs.size()]);
  state.SetItemsProcessed(state.iterations());
}

void ten_nodes_plain(benchmark::State& state) {
  over_small_graphs(state, [](const Network& test) { benchmark::DoNotOptimize(run_plain(test)); });
}
BENCHMARK(ten_nodes_plain);

void ten_nodes_with_bounds(benchmark::State& state) {
  const Profile& profile = *find_profile("eager");
  over_small_graphs(
      state, [&](const Network& test) { benchmark::DoNotOptimize(Interpreter(test.graph, profile).run(test.feed)); });
}
BENCHMARK(ten_nodes_with_bounds);

}  // namespace
}  // namespace parallax
