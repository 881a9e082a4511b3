#include "graph/case_features.h"

#include <algorithm>
#include <array>

#include "graph/runs.h"

namespace parallax {
namespace {

Result<void> check_runs(const Field& runs) {
  TRY_VOID(runs.expect_array());
  if (runs.json().empty()) return runs.fail("must hold at least one run");
  for (std::size_t i = 0; i < runs.json().size(); ++i) {
    TRY(Field feed, runs.element(i).need("feed"));
    TRY_VOID(feed.expect_object());
  }
  return {};
}

Result<void> check_grad(const Field& grad) {
  TRY(Field wrt, grad.need("wrt"));
  TRY_VOID(wrt.expect_array());
  for (std::size_t i = 0; i < wrt.json().size(); ++i) {
    TRY([[maybe_unused]] std::string name, wrt.element(i).text());
  }
  TRY(Field cotangents, grad.need("cotangents"));
  return cotangents.expect_array();
}

Result<void> check_any(const Field&) { return {}; }

// What of the format does not go with several runs.
Result<void> check_together(const Field& root) {
  const auto runs = root.find("runs");
  const auto methods = root.find("methods");
  if (methods && !runs) return methods->fail("a case with methods states its \"runs\", which call them");
  if (methods && root.find("symbols")) return methods->unsupported("symbols in a case with methods");
  if (const auto symbols = root.find("symbols"); symbols && !runs)
    return symbols->fail("a case with symbols states its \"runs\": their feeds fix the sizes");
  if (!runs) return {};
  for (const char* of_one_run : {"feed", "expect", "expect_inputs", "expect_buffers"}) {
    if (const auto field = root.find(of_one_run)) return field->fail("belongs into one of the \"runs\"");
  }
  if (const auto grad = root.find("grad")) return grad->unsupported("gradients of a case with several runs");
  return {};
}

// A field of the case that belongs to a feature.
struct FeatureField {
  std::string_view feature;
  std::string_view field;
  Result<void> (*check)(const Field& field);
};
constexpr std::array<FeatureField, 5> feature_fields = {{
    {"runs", "runs", check_runs},
    {"methods", "methods", check_any},
    {"symbols", "symbols", check_any},
    {"grad", "grad", check_grad},
    {"grad", "expect_grad", check_any},
}};
constexpr std::array<std::string_view, 9> features = {"runs",      "instances", "methods", "symbols", "grad",
                                                      "quantized", "subgraphs", "counts",  "custom"};
constexpr std::string_view quantized_namespace = "quantized_decomposed.";

Result<std::vector<std::string>> read_requires(const Field& root) {
  std::vector<std::string> required;
  const auto field = root.find("requires");
  if (!field) return required;
  TRY_VOID(field->expect_array());
  for (std::size_t i = 0; i < field->json().size(); ++i) {
    const Field entry = field->element(i);
    TRY(std::string feature, entry.text());
    if (std::find(features.begin(), features.end(), feature) == features.end()) {
      return entry.unsupported("requires '{}', which this version does not know", feature);
    }
    required.push_back(std::move(feature));
  }
  return required;
}

// The first run that has the member: the instance that it is on, or the method that it calls.
std::optional<Field> find_in_runs(const Field& root, std::string_view member) {
  const auto runs = root.find("runs");
  if (!runs) return std::nullopt;
  for (std::size_t i = 0; i < runs->json().size(); ++i) {
    if (const auto found = runs->element(i).find(member)) return found;
  }
  return std::nullopt;
}

// The first field that `of_node` finds in a node of a graph.
template <class OfNode>
std::optional<Field> find_in_nodes(const std::optional<Field>& graph, OfNode&& of_node) {
  const auto nodes = graph && graph->json().is_object() ? graph->find("nodes") : std::nullopt;
  if (!nodes || !nodes->json().is_array()) return std::nullopt;
  for (std::size_t i = 0; i < nodes->json().size(); ++i) {
    const Field node = nodes->element(i);
    if (!node.json().is_object()) continue;
    if (std::optional<Field> found = of_node(node)) return found;
  }
  return std::nullopt;
}

// The first node of a graph whose op is a quantized one.
std::optional<Field> find_quantized_node(const std::optional<Field>& graph) {
  return find_in_nodes(graph, [](const Field& node) {
    auto op = node.find("op");
    const bool quantized =
        op && op->json().is_string() && op->json().get_ref<const std::string&>().starts_with(quantized_namespace);
    return quantized ? op : std::nullopt;
  });
}

// The same in the case's graph or a method of it.
std::optional<Field> find_quantized(const Field& root) {
  if (!root.json().is_object()) return std::nullopt;
  if (auto found = find_quantized_node(root.find("graph"))) return found;
  const auto methods = root.find("methods");
  if (!methods || !methods->json().is_object()) return std::nullopt;
  for (auto method = methods->json().begin(); method != methods->json().end(); ++method) {
    if (auto found = find_quantized_node(methods->member(method.key(), *method))) return found;
  }
  return std::nullopt;
}

// The first call of a custom operation, in the graph or a subgraph.
std::optional<Field> find_custom_node(const std::optional<Field>& graph) {
  const auto is_custom = [](const Field& node) {
    auto op = node.find("op");
    return op && op->json() == "custom" ? op : std::nullopt;
  };
  if (auto found = find_in_nodes(graph, is_custom)) return found;
  const auto subgraphs = graph && graph->json().is_object() ? graph->find("subgraphs") : std::nullopt;
  if (!subgraphs || !subgraphs->json().is_object()) return std::nullopt;
  for (auto subgraph = subgraphs->json().begin(); subgraph != subgraphs->json().end(); ++subgraph) {
    if (auto found = find_in_nodes(subgraphs->member(subgraph.key(), *subgraph), is_custom)) return found;
  }
  return std::nullopt;
}

}  // namespace

Result<void> check_features(const Field& root) {
  TRY(std::vector<std::string> required, read_requires(root));
  const auto is_required = [&](std::string_view feature) {
    return std::find(required.begin(), required.end(), feature) != required.end();
  };
  for (const FeatureField& known : feature_fields) {
    const auto field = root.find(known.field);
    if (!field) continue;
    TRY_VOID(known.check(*field));
    if (!is_required(known.feature))
      return field->fail("a case that uses this must name '{}' in \"requires\"", known.feature);
  }
  if (const auto method = find_in_runs(root, "method")) {
    if (!is_required("methods")) return method->fail("a case that uses this must name 'methods' in \"requires\"");
    if (root.find("runs")->element(0).find("method"))
      return method->fail("the first run calls the graph, and does not say so");
  }
  if (const auto instance = find_in_runs(root, "instance")) {
    if (!is_required("instances")) return instance->fail("a case that uses this must name 'instances' in \"requires\"");
    if (root.find("runs")->element(0).find("instance"))
      return instance->fail("the first run is on instance 0, and does not say so");
  }
  const auto graph = root.find("graph");
  const auto count = find_in_nodes(graph, [](const Field& node) { return node.find("count"); });
  if (count && !is_required("counts")) return count->fail("a case that uses this must name 'counts' in \"requires\"");
  if (const auto grad = root.find("grad"); grad && count) return grad->unsupported("gradients of a case with counts");
  const auto subgraphs = graph && graph->json().is_object() ? graph->find("subgraphs") : std::nullopt;
  if (const auto grad = root.find("grad"); grad && subgraphs)
    return grad->unsupported("gradients of a case with subgraphs");
  if (subgraphs && !is_required("subgraphs")) {
    return subgraphs->fail("a case that uses this must name 'subgraphs' in \"requires\"");
  }
  if (const auto custom = find_custom_node(graph); custom && !is_required("custom")) {
    return custom->fail("a case that uses this must name 'custom' in \"requires\"");
  }
  if (const auto quantized = find_quantized(root); quantized && !is_required("quantized")) {
    return quantized->fail("a case that uses this must name 'quantized' in \"requires\"");
  }
  return check_together(root);
}

}  // namespace parallax
