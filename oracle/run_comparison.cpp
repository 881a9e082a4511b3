#include "oracle/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracle/acceptance.h"
#include "oracle/judgement_text.h"

namespace parallax {
namespace {

// The families of the ops that make the outputs; empty for a source.
std::vector<std::string_view> output_families(const Graph& graph) {
  std::vector<std::string_view> family_of(graph.metas.size());
  for (const Node& node : graph.nodes) {
    for (const ValueId result : node.results) family_of[result.index] = node.op->family;
  }
  std::vector<std::string_view> families;
  for (const ValueId output : graph.outputs) families.push_back(family_of[output.index]);
  return families;
}

// Of the sources of a kind, whether the graph writes to them.
std::vector<bool> written_sources(const Graph& graph, SourceKind kind) {
  const std::vector<bool> storages = written_storages(graph);
  std::vector<bool> written;
  for (const Source& source : graph.sources) {
    if (source.kind == kind) written.push_back(storages[graph.meta(source.value).storage.index]);
  }
  return written;
}

}  // namespace

RunComparison::RunComparison(const Graph& graph, Judgement& judgement)
    : judgement_(judgement),
      tensors_(judgement),
      places_(graph),
      families_(output_families(graph)),
      input_written_(written_sources(graph, SourceKind::Input)),
      buffer_written_(written_sources(graph, SourceKind::Buffer)) {}

void RunComparison::run(const Expected& expected, const Observation& got, const RunId& run) {
  outputs(expected, got, run);
  state(expected.inputs, got.inputs, places_.inputs, input_written_, run);
  state(expected.buffers, got.buffers, places_.buffers, buffer_written_, run);
}

void RunComparison::kept(const Expected& expected, std::span<const Tensor> got, const RunId& run) {
  for (std::size_t i = 0; i < got.size() && i < expected.outputs.size(); ++i) {
    if (lies_in_buffer(expected, i)) continue;
    tensors_.tensor(expected.outputs[i], got[i], run, places_.outputs[i], nullptr);
  }
}

// Empty tensors lie nowhere.
void RunComparison::identity(const Expected& expected, const Observation& got) {
  if (got.identity.size() != expected.identity.size()) return;
  struct Located {
    const BallTensor& tensor;
    const Place& place;
  };
  std::vector<Located> all;
  for (std::size_t i = 0; i < expected.inputs.size(); ++i) all.push_back({expected.inputs[i], places_.inputs[i]});
  for (std::size_t i = 0; i < expected.buffers.size(); ++i) all.push_back({expected.buffers[i], places_.buffers[i]});
  const std::size_t first_output = all.size();
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) all.push_back({expected.outputs[i], places_.outputs[i]});
  for (std::size_t i = first_output; i < expected.identity.size(); ++i) {
    if (all[i].tensor.numel() == 0) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (all[j].tensor.numel() == 0) continue;
      const bool wanted = expected.identity[i] == expected.identity[j];
      if (wanted == (got.identity[i] == got.identity[j])) continue;
      const std::string relation = wanted ? "shares the storage of " : "has a storage apart from ";
      tensors_.diverge({.place = all[i].place,
                        .dtype = all[i].tensor.dtype,
                        .sizes = all[i].tensor.sizes,
                        .expected = relation + tensor_text(all[j].place),
                        .got = wanted ? "a storage of its own" : "the same storage",
                        .kind = DivergenceKind::Identity});
    }
  }
}

void RunComparison::outputs(const Expected& expected, const Observation& got, const RunId& run) {
  if (got.outputs.size() != expected.outputs.size()) {
    return tensors_.diverge({.run = run,
                             .place = {PlaceKind::Outputs},
                             .expected = fmt::format("{} outputs", expected.outputs.size()),
                             .got = fmt::format("{}", got.outputs.size()),
                             .kind = DivergenceKind::Count});
  }
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
    OutputRadii* radii = run == RunId{} ? &judgement_.radii.emplace_back(families_[i]) : nullptr;
    tensors_.tensor(expected.outputs[i], got.outputs[i], run, places_.outputs[i], radii);
  }
}

void RunComparison::state(std::span<const BallTensor> expected, std::span<const std::optional<Tensor>> got,
                          const std::vector<Place>& places, const std::vector<bool>& written, const RunId& run) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i < got.size() && got[i]) {
      tensors_.tensor(expected[i], *got[i], run, places[i], nullptr);
    } else if (written[i]) {
      judgement_.unobserved = true;
    }
  }
}

bool lies_in_buffer(const Expected& expected, std::size_t output) {
  const auto buffers = std::span(expected.identity).subspan(expected.inputs.size(), expected.buffers.size());
  const int storage = expected.identity[expected.inputs.size() + expected.buffers.size() + output];
  return std::ranges::find(buffers, storage) != buffers.end();
}

bool same_bits(const Observation& first, const Observation& second, const Expected& expected) {
  if (first.outputs.size() != second.outputs.size()) return false;
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    const Tensor& a = first.outputs[i];
    const Tensor& b = second.outputs[i];
    if (a == b) continue;
    if (a.dtype != b.dtype || !(a.sizes == b.sizes)) return false;
    for (int64_t element = 0; element < a.numel(); ++element) {
      if (!is_same_or_undecided(expected.outputs[i], a, b, element)) return false;
    }
  }
  return true;
}

}  // namespace parallax
