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
constexpr std::array<FeatureField, 4> feature_fields = {{
    {"runs", "runs", check_runs},
    {"symbols", "symbols", check_any},
    {"grad", "grad", check_grad},
    {"grad", "expect_grad", check_any},
}};
constexpr std::array<std::string_view, 4> features = {"runs", "symbols", "grad", "quantized"};
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

// The first node whose op is a quantized one.
std::optional<Field> find_quantized(const Field& root) {
  const auto graph = root.json().is_object() ? root.find("graph") : std::nullopt;
  const auto nodes = graph && graph->json().is_object() ? graph->find("nodes") : std::nullopt;
  if (!nodes || !nodes->json().is_array()) return std::nullopt;
  for (std::size_t i = 0; i < nodes->json().size(); ++i) {
    const Field node = nodes->element(i);
    const auto op = node.json().is_object() ? node.find("op") : std::nullopt;
    if (op && op->json().is_string() && op->json().get_ref<const std::string&>().starts_with(quantized_namespace))
      return op;
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
  if (const auto quantized = find_quantized(root); quantized && !is_required("quantized")) {
    return quantized->fail("a case that uses this must name 'quantized' in \"requires\"");
  }
  return check_together(root);
}

}  // namespace parallax
