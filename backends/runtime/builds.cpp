#include "backends/runtime/builds.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/portable/move_kernels.h"
#include "graph/second_feed.h"

namespace parallax::runtime {
namespace {

// "vector" takes f32 arithmetic whose kernel goes element by element; "scalar" everything.
bool vector_takes(const Graph& graph, const Node& node) {
  return node.results.size() == 1 && portable::writes_in_place(*node.op, 0) &&
         graph.meta(node.results.front()).dtype == DType::F32;
}
bool scalar_takes(const Graph&, const Node&) { return true; }

constexpr std::array lanes = {Backend{"vector", vector_takes, false}, Backend{"scalar", scalar_takes, false}};
constexpr std::array fusing_lanes = {Backend{"vector", vector_takes, true}, Backend{"scalar", scalar_takes, false}};

bool same_runs(const Outcome& a, const Outcome& b) {
  const auto same = [](const Observation& x, const Observation& y) {
    return x.outputs == y.outputs && x.inputs == y.inputs && x.buffers == y.buffers;
  };
  if (a.status != b.status) return false;
  return a.status != Status::Ok ||
         (same(*a.a, *b.a) && (!a.b || same(*a.b, *b.b)) && same(*a.a_again, *b.a_again) && a.a_kept == b.a_kept &&
          a.later_kept == b.later_kept &&
          std::ranges::equal(a.later, b.later, same) && std::ranges::equal(a.later_again, b.later_again, same));
}

}  // namespace

BuildCheck bit_for_bit() {
  return {"change a bit", [](const Outcome& right, const Outcome& outcome) { return !same_runs(right, outcome); }};
}

CompileOptions compile_options(const Build& build, const DelegateSet* delegates, std::span<const Op* const> left) {
  CompileOptions options;
  options.in_place_kernels = portable::writes_in_place;
  options.join_kernels = portable::joins_in_place;
  options.reuse_in_place = build.in_place;
  options.reuse_memory = build.reuse_memory;
  options.plans_control = build.control;
  if (!build.partitioned) return options;
  if (delegates) {
    options.backends.assign(delegates->backends.begin(), delegates->backends.end());
    for (Backend& backend : options.backends) {
      backend.fuses = backend.fuses && build.fused;
      backend.leaves = left;
    }
    options.keeps = delegates->keeps;
  }
  const auto& kernels = build.fused ? fusing_lanes : lanes;
  options.backends.insert(options.backends.end(), kernels.begin(), kernels.end());
  return options;
}

std::vector<MakeDelegate> delegate_makers(const Build& build, const DelegateSet* delegates) {
  if (!build.partitioned || !delegates) return {};
  return std::vector<MakeDelegate>(delegates->backends.size(), delegates->make);
}

std::optional<Diagnosis> first_wrong_build(const Case& test,
                                           const std::function<Result<LoadedRuns>(const Build&)>& make,
                                           const BuildCheck& check) {
  const std::vector<Tensor> second = second_feed(test);
  std::optional<Outcome> right;
  for (const Build& build : build_ladder) {
    const Result<LoadedRuns> runs = make(build);  // kernels may be missing where the device has them
    if (!runs) continue;
    Outcome outcome;
    run_protocol(*runs, *runs, FreshMemory(), test, &second, outcome);
    if (!right) {
      right = std::move(outcome);
    } else if (check.is_wrong(*right, outcome)) {
      return Diagnosis{Detector::Builds,
                       fmt::format("after the passes, the {} is the first part to {}", build.part, check.what),
                       {},
                       std::string(build.part)};
    }
  }
  return std::nullopt;
}

}  // namespace parallax::runtime
