#include "fuzz/findings/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "fuzz/generate/siblings.h"
#include "graph/case_json.h"
#include "graph/convert.h"
#include "graph/print.h"
#include "graph/refit.h"
#include "graph/sketch.h"
#include "ops/registry.h"

namespace parallax {
namespace {

void fill(Tensor& tensor, int x) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    is_floating(tensor.dtype) ? tensor.set_double(i, x) : tensor.set_integer(i, x);
  }
}

// The same numbers again from the start where there are more elements.
Tensor refilled(const Tensor& tensor, const Dims& sizes) {
  Tensor result(tensor.dtype, sizes);
  const int64_t have = tensor.numel();
  const auto size = static_cast<std::ptrdiff_t>(size_of(tensor.dtype));
  for (int64_t i = 0; have > 0 && i < result.numel(); ++i) std::copy_n(tensor.at(i % have), size, result.at(i));
  return result;
}

class NeighbourList {
 public:
  explicit NeighbourList(const Case& test) : test_(test), whole_(take_apart(test)) {}

  std::vector<Neighbour> take() {
    for (std::size_t n = 0; n < whole_.nodes.size(); ++n) swap_call(n);
    change_dtype();
    change_extents();
    change_values();
    change_outputs();
    add_readers();
    return std::move(found_);
  }

 private:
  void offer(std::string about, std::string edit, const Sketch& sketch, const ArgumentChoices& choices = nullptr) {
    std::optional<Case> made = put_together(sketch, test_, choices);
    if (!made) return;
    // Two edits may come to the same: once is enough.
    std::string key = to_json(*made);
    if (key == to_json(without_expectation()) || !seen_.insert(std::move(key)).second) return;
    found_.push_back({std::move(about), std::move(edit), *std::move(made)});
  }

  // A neighbour has no expectation either.
  const Case& without_expectation() {
    if (!plain_) {
      plain_ = test_;
      plain_->expect = {};
      for (LaterRun& run : plain_->later) run.expect = {};
    }
    return *plain_;
  }

  void swap_call(std::size_t n) {
    const Node& node = test_.graph.nodes[n];
    const std::string about = fmt::format("{} = {}", node.name, call_text(test_.graph, node));
    for (Sibling& sibling : siblings_of(test_.graph, node)) {
      Sketch sketch = whole_;
      sketch.nodes[n].op = sibling.op;
      sketch.nodes[n].arguments = std::move(sibling.arguments);
      offer(about, std::move(sibling.name), sketch);
    }
  }

  void change_dtype() {
    std::set<DType> given;
    for (const Sketch::GivenValue& source : whole_.sources) given.insert(source.dtype);
    for (const DType to : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32, DType::Bool}) {
      Sketch sketch = whole_;
      for (const DType from : given) {
        // Indices stay what they are unless there is nothing else.
        if (is_floating(from) || given.size() == 1) convert_dtype(sketch, from, to);
      }
      offer("dtype", std::string(name(to)), sketch);
    }
  }

  void change_extents() {
    std::set<int64_t> extents;
    for (const Sketch::GivenValue& source : whole_.sources) {
      extents.insert(source.layout.sizes.begin(), source.layout.sizes.end());
    }
    for (const int64_t from : extents) {
      for (const int64_t to : {int64_t{1}, int64_t{2}, from + 1, int64_t{0}}) {
        if (to == from) continue;
        Sketch sketch = whole_;
        resize_sources(sketch, from, to);
        offer(fmt::format("extent {}", from), fmt::format("{}", to), sketch,
              resize_choices(test_.graph, sketch, from, to));
      }
    }
  }

  // A window keeps its strides: where its storage is too short for it there is no such case.
  static void resize_sources(Sketch& sketch, int64_t from, int64_t to) {
    for (Sketch::GivenValue& source : sketch.sources) {
      Dims sizes = source.layout.sizes;
      std::ranges::replace(sizes, from, to);
      if (sizes == source.layout.sizes || !source.symbols.empty()) continue;  // symbols have ranges of their own
      const bool contiguous = is_contiguous(source.layout);
      source.layout.sizes = sizes;
      if (contiguous) source.layout.strides = contiguous_strides(sizes);
      if (source.storage) continue;
      source.data = refilled(source.data, sizes);
      for (Tensor& later : source.later) later = refilled(later, sizes);
    }
  }

  void change_values() {
    for (const auto& [what, x] : {std::pair("zeros", 0), std::pair("ones", 1)}) {
      Sketch sketch = whole_;
      for (Tensor* tensor : tensors_of(sketch)) fill(*tensor, x);
      offer("values", what, sketch);
    }
  }

  void change_outputs() {
    for (std::size_t i = 0; i < whole_.outputs.size() && whole_.outputs.size() > 1; ++i) {
      Sketch sketch = whole_;
      sketch.outputs.erase(sketch.outputs.begin() + static_cast<std::ptrdiff_t>(i));
      offer("outputs", fmt::format("without out[{}]", i), sketch);
    }
    for (const ValueId value : readable()) {
      if (std::ranges::find(whole_.outputs, value) != whole_.outputs.end()) continue;
      Sketch sketch = whole_;
      sketch.outputs.push_back(value);
      offer("outputs", "and " + test_.graph.name(value), sketch);
    }
  }

  // Another call that reads a value after all others, and whose result is returned.
  void add_readers() {
    for (const ValueId value : readable()) {
      if (test_.graph.meta(value).dtype == DType::Bool) continue;
      Sketch sketch = whole_;
      const ValueId result(sketch.stand_ins.size());
      sketch.stand_ins.push_back(result);
      std::string name = "reader";
      while (std::ranges::find(test_.graph.names, name) != test_.graph.names.end()) name += '_';
      sketch.nodes.push_back(
          {&op_named("aten.add.Scalar"), name, {value, Scalar(int64_t{0}), Scalar(int64_t{1})}, {result}, {name}});
      sketch.outputs.push_back(result);
      offer("one more reader", "of " + test_.graph.name(value), sketch);
    }
  }

  // Sources and results, by value.
  std::vector<ValueId> readable() const {
    std::vector<ValueId> values;
    for (const Source& source : test_.graph.sources) values.push_back(source.value);
    for (const Node& node : test_.graph.nodes) {
      values.insert(values.end(), node.results.begin(), node.results.end());
    }
    return values;
  }

  const Case& test_;
  const Sketch whole_;
  std::optional<Case> plain_;
  std::set<std::string> seen_;
  std::vector<Neighbour> found_;
};

}  // namespace

std::vector<Neighbour> neighbours_of(const Case& test) { return NeighbourList(test).take(); }

}  // namespace parallax
