#include "fuzz/generate/corner_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/limits.h"
#include "fuzz/generate/single_op.h"
#include "graph/builder.h"
#include "graph/print.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 3;

// What fills a tensor: one number, or two in turn.
struct Filling {
  double even = 0;
  double odd = 0;
};

std::vector<Filling> fillings_of(DType dtype) {
  const DTypeInfo& of = info(dtype);
  if (dtype == DType::Bool) return {{0, 0}, {1, 1}};
  if (!is_floating(dtype)) {
    const auto least = static_cast<double>(of.min_integer);
    const auto most = static_cast<double>(of.max_integer);
    return {{0, 0}, {1, 1}, {least, least}, {most, most}, {least, most}};
  }
  return {{0, 0},
          {-0.0, -0.0},
          {0.0, -0.0},
          {1, 1},
          {nan, nan},
          {infinity, infinity},
          {-infinity, -infinity},
          {infinity, -infinity},
          {of.max_finite, of.max_finite},
          {-of.max_finite, of.max_finite},
          {of.smallest_normal, of.smallest_normal},
          {of.smallest_subnormal, -of.smallest_subnormal}};
}

void fill(Tensor& tensor, const Filling& filling) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const double x = i % 2 == 0 ? filling.even : filling.odd;
    if (is_floating(tensor.dtype)) {
      tensor.set_double(i, x);
    } else if (x == static_cast<double>(info(tensor.dtype).max_integer)) {
      tensor.set_integer(i, info(tensor.dtype).max_integer);  // that of i64 is no double
    } else {
      tensor.set_integer(i, static_cast<int64_t>(x));
    }
  }
}

// Zeros of either sign are two numbers here.
bool is_same(const Argument& a, const Argument& b) {
  if (a != b) return false;
  const auto* number = std::get_if<Scalar>(&a);
  return !number || !is_floating(*number) ||
         std::signbit(as_double(*number)) == std::signbit(as_double(std::get<Scalar>(b)));
}

class CornerList {
 public:
  CornerList(const Case& call, uint64_t stream) : call_(call), node_(call.graph.nodes.front()), stream_(stream) {
    for (const Source& source : call.graph.sources) sizes_.push_back(call.graph.meta(source.value).layout.sizes);
  }

  std::vector<CornerCall> take() {
    const std::vector<Parameter>& parameters = node_.op->schema.parameters;
    for (std::size_t p = 0; p < parameters.size(); ++p) change_argument(p, parameters[p]);
    change_extents();
    change_elements();
    return std::move(found_);
  }

 private:
  // The call with these arguments on inputs of these sizes; nothing where it does not infer.
  std::optional<Case> made(const std::vector<Argument>& arguments, const std::vector<Dims>& sizes) const {
    GraphBuilder builder;
    std::vector<ValueId> values(call_.graph.metas.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const ValueId value = call_.graph.sources[i].value;
      const DType dtype = call_.graph.meta(value).dtype;
      values[value.index] = *builder.add_source(SourceKind::Input, call_.graph.name(value), dtype,
                                                contiguous_layout(sizes[i]), Tensor(dtype, sizes[i]));
    }
    std::vector<Argument> mapped = arguments;
    for (Argument& argument : mapped) {
      for_each_value(argument, [&](ValueId& value) { value = values[value.index]; });
    }
    return case_of_call(builder, *node_.op, std::move(mapped), Choices(seed, stream_));
  }

  void offer(std::string about, Case test) {
    test.name = fmt::format("{}, {}", call_.name, about);
    found_.push_back({std::move(about), std::move(test)});
  }

  void offer_argument(std::size_t p, Argument argument) {
    auto conformed = conform(node_.op->schema.parameters[p], std::move(argument));
    if (!conformed) return;
    if (std::ranges::any_of(offered_, [&](const Argument& one) { return is_same(one, *conformed); })) return;
    offered_.push_back(*conformed);
    std::vector<Argument> arguments = node_.arguments;
    arguments[p] = *std::move(conformed);
    auto test = made(arguments, sizes_);
    if (!test) return;
    std::string about = call_text(test->graph, test->graph.nodes.front());
    offer(std::move(about), *std::move(test));
  }

  void change_argument(std::size_t p, const Parameter& parameter) {
    offered_ = {node_.arguments[p]};
    if (parameter.default_value) offer_argument(p, *parameter.default_value);
    if (parameter.optional) offer_argument(p, std::monostate{});
    if (std::holds_alternative<ValueId>(node_.arguments[p])) return;  // its elements and extents change
    const Dims first = sizes_.empty() ? Dims{} : sizes_.front();
    const auto rank = static_cast<int64_t>(first.size());
    std::vector<int64_t> whole = {0, 1, -1, rank, rank - 1, -rank};
    whole.insert(whole.end(), first.begin(), first.end());
    switch (parameter.kind) {
      case ArgKind::Tensor:  // a number in its place
      case ArgKind::Scalar:
        for (const bool flag : {false, true}) offer_argument(p, Scalar(flag));
        for (const int64_t x : {0, 1, -1}) offer_argument(p, Scalar(x));
        [[fallthrough]];
      case ArgKind::Float:
        for (const double x : {0.0, -0.0, 1.0, -1.0, 0.5, infinity, -infinity, nan}) offer_argument(p, Scalar(x));
        break;
      case ArgKind::Int:
        for (const int64_t x : whole) offer_argument(p, Scalar(x));
        break;
      case ArgKind::Bool:
        for (const bool flag : {false, true}) offer_argument(p, Scalar(flag));
        break;
      case ArgKind::DType:
        for (int d = 0; d < dtype_count; ++d) {
          // Memory that nobody wrote holds no bool.
          if (static_cast<DType>(d) == DType::Bool && node_.op->schema.name.contains("empty")) continue;
          offer_argument(p, static_cast<DType>(d));
        }
        break;
      case ArgKind::IntList:
        change_list(p, whole, first);
        break;
      case ArgKind::FloatList:
      case ArgKind::ScalarList:
        if (const auto* list = std::get_if<ScalarList>(&node_.arguments[p])) {
          for (const double x : {0.0, 1.0, 0.5}) offer_argument(p, ScalarList(list->size(), Scalar(x)));
        }
        break;
      case ArgKind::TensorList:
      case ArgKind::BoolList:
      case ArgKind::MemoryFormat:
      case ArgKind::String:
      case ArgKind::Opaque:
        break;
    }
  }

  // The first operand's last extents, no elements, and each number alone and throughout.
  void change_list(std::size_t p, const std::vector<int64_t>& numbers, const Dims& first) {
    offer_argument(p, IntList{});
    offer_argument(p, IntList(first.begin(), first.end()));
    const auto* list = std::get_if<IntList>(&node_.arguments[p]);
    if (!list) return;
    if (std::ssize(*list) <= first.size()) {
      offer_argument(p, IntList(first.end() - std::ssize(*list), first.end()));
    }
    for (const int64_t x : numbers) {
      offer_argument(p, IntList(list->size(), x));
      for (std::size_t i = 0; i < list->size(); ++i) {
        IntList changed = *list;
        changed[i] = x;
        offer_argument(p, std::move(changed));
      }
    }
  }

  void offer_sizes(std::string about, const std::vector<Dims>& sizes) {
    if (std::ranges::find(offered_sizes_, sizes) != offered_sizes_.end()) return;
    offered_sizes_.push_back(sizes);
    if (auto test = made(node_.arguments, sizes)) offer(std::move(about), *std::move(test));
  }

  void change_extents() {
    offered_sizes_ = {sizes_};
    std::set<int64_t> extents;
    for (const Dims& sizes : sizes_) extents.insert(sizes.begin(), sizes.end());
    std::set<int64_t> wanted = extents;
    wanted.insert({0, 1});
    for (const int64_t to : wanted) {
      for (const int64_t from : extents) {
        std::vector<Dims> sizes = sizes_;
        for (Dims& one : sizes) std::ranges::replace(one, from, to);
        offer_sizes(fmt::format("extent {} = {}", from, to), sizes);
      }
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        for (int dim = 0; dim < sizes_[i].size(); ++dim) {
          std::vector<Dims> sizes = sizes_;
          sizes[i][dim] = to;
          offer_sizes(fmt::format("extent {} of {} = {}", dim, name_of(i), to), sizes);
        }
      }
    }
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      std::vector<Dims> sizes = sizes_;
      sizes[i] = {};
      offer_sizes(fmt::format("{} without dimensions", name_of(i)), sizes);
    }
  }

  // Two fillings are one where there is one element, or none.
  void offer_elements(std::string about, Case test) {
    if (std::ranges::find(feeds_, test.feed) != feeds_.end()) return;
    feeds_.push_back(test.feed);
    offer(std::move(about), std::move(test));
  }

  void change_elements() {
    feeds_ = {call_.feed};
    std::set<ValueId> indices;
    if (node_.op->index_ranges) {
      const Call call(*node_.op, node_.arguments, call_.graph.metas);
      for (const IndexRange& index : node_.op->index_ranges(call)) indices.insert(index.value);
    }
    std::map<DType, int> operands;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const ValueId value = call_.graph.sources[i].value;
      if (indices.contains(value)) continue;
      const DType dtype = call_.graph.meta(value).dtype;
      ++operands[dtype];
      for (const Filling& filling : fillings_of(dtype)) {
        Case test = call_;
        fill(test.feed[i], filling);
        offer_elements(fmt::format("{} = {}", name_of(i), text_of(filling)), std::move(test));
      }
    }
    for (const auto& [dtype, count] : operands) {
      if (count < 2) continue;
      for (const Filling& filling : fillings_of(dtype)) {
        Case test = call_;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
          if (test.feed[i].dtype == dtype && !indices.contains(call_.graph.sources[i].value)) {
            fill(test.feed[i], filling);
          }
        }
        offer_elements(fmt::format("each {} = {}", name(dtype), text_of(filling)), std::move(test));
      }
    }
  }

  static std::string text_of(const Filling& filling) {
    const bool alike = std::signbit(filling.even) == std::signbit(filling.odd) &&
                       !(filling.even < filling.odd || filling.even > filling.odd);
    return alike ? fmt::format("{}", filling.even) : fmt::format("{}, {}", filling.even, filling.odd);
  }

  const std::string& name_of(std::size_t source) const { return call_.graph.name(call_.graph.sources[source].value); }

  const Case& call_;
  const Node& node_;
  uint64_t stream_;
  std::vector<Dims> sizes_;        // by source
  std::vector<Argument> offered_;  // of the parameter that is changed
  std::vector<std::vector<Dims>> offered_sizes_;
  std::vector<std::vector<Tensor>> feeds_;
  std::vector<CornerCall> found_;
};

}  // namespace

std::vector<CornerCall> corner_calls(const Case& call, uint64_t stream) { return CornerList(call, stream).take(); }

}  // namespace parallax
