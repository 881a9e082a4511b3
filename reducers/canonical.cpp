#include "reducers/canonical.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace parallax {
namespace {

std::string numbered(std::string_view stem, std::size_t n) {
  return n == 0 ? std::string(stem) : fmt::format("{}{}", stem, n);
}

std::string source_name(SourceKind kind, std::size_t n) {
  static constexpr std::array<std::string_view, 3> inputs = {"x", "y", "z"};
  switch (kind) {
    case SourceKind::Input:
      return n < inputs.size() ? std::string(inputs[n]) : numbered("x", n);
    case SourceKind::Constant:
      return numbered("w", n);
    case SourceKind::Buffer:
      return numbered("s", n);
  }
  return "";
}

std::string node_name(std::size_t n) {
  static constexpr std::string_view letters = "abcdefghijklnopqrtuv";  // without m, s, w, x, y, z
  return n < letters.size() ? std::string(1, letters[n]) : numbered("v", n);
}

}  // namespace

CanonicalNames canonical_names(const Graph& graph) {
  CanonicalNames names;
  std::array<std::size_t, 3> counts{};
  for (const Source& source : graph.sources) {
    names.sources.push_back(source_name(source.kind, counts[static_cast<std::size_t>(source.kind)]++));
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) names.nodes.push_back(node_name(n));
  std::size_t declared = 0;
  for (const Storage& storage : graph.storages) {
    names.storages.push_back(storage.name.empty() ? "" : numbered("m", declared++));
  }
  return names;
}

std::string canonical_element_name(const std::string& node, std::size_t k) { return fmt::format("{}{}", node, k); }

std::vector<std::size_t> order_of_use(const Graph& graph) {
  std::vector<std::size_t> first_use(graph.metas.size(), SIZE_MAX);
  std::size_t uses = 0;
  const auto use = [&](ValueId value) {
    std::size_t& first = first_use[graph.objects[value.index].index];
    first = std::min(first, uses++);
  };
  for (const Node& node : graph.nodes) {
    for (const Argument& argument : node.arguments) for_each_value(argument, use);
  }
  for (ValueId output : graph.outputs) use(output);

  std::vector<std::size_t> order(graph.sources.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Source& left = graph.sources[a];
    const Source& right = graph.sources[b];
    if (left.kind != right.kind) return left.kind < right.kind;
    return first_use[left.value.index] < first_use[right.value.index];
  });
  return order;
}

Sketch with_canonical_names(const Case& test) {
  const CanonicalNames names = canonical_names(test.graph);
  Sketch sketch = take_apart(test);
  for (std::size_t i = 0; i < sketch.sources.size(); ++i) sketch.sources[i].name = names.sources[i];
  for (std::size_t n = 0; n < sketch.nodes.size(); ++n) {
    Sketch::CallSketch& node = sketch.nodes[n];
    node.name = names.nodes[n];
    for (std::size_t k = 0; k < node.results.size(); ++k) node.result_names[k] = canonical_element_name(node.name, k);
  }
  std::size_t declared = 0;
  for (const std::string& name : names.storages) {
    if (!name.empty()) sketch.storages[declared++].name = name;
  }
  return sketch;
}

Sketch with_canonical_order(const Case& test) {
  Sketch sketch = take_apart(test);
  std::vector<Sketch::GivenValue> sources;
  for (std::size_t place : order_of_use(test.graph)) sources.push_back(sketch.sources[place]);
  sketch.sources = std::move(sources);
  return sketch;
}

Case canonical_case(const Case& test) {
  const Case ordered = put_together(with_canonical_order(test), test).value();
  return put_together(with_canonical_names(ordered), ordered).value();
}

}  // namespace parallax
