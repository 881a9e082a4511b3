// Layout: what computes on pictures runs on tensors whose channels lie together, where kernels find them in one place.
//
// A region is a set of connected calls at least one of which gains from that order: a convolution, a pool, a
// resampling. Element-wise calls between them join in. What enters a region is copied into the order, and what leaves
// it is copied back, so that nobody outside sees other strides. Only memory that nobody writes is laid out anew.
#include <algorithm>
#include <array>
#include <numeric>

#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "ops/fresh_layout.h"
#include "ops/registry.h"

namespace parallax {
namespace {

constexpr int picture_rank = 4;

// Calls that begin a region. The first operand is the picture; the others stay as they are.
constexpr std::array<std::string_view, 13> anchors = {
    "aten.convolution.default",          "aten.conv2d.default",
    "aten.conv_transpose2d.input",       "aten.avg_pool2d.default",
    "aten._adaptive_avg_pool2d.default", "aten.max_pool2d_with_indices.default",
    "aten.adaptive_max_pool2d.default",  "aten.upsample_nearest2d.default",
    "aten.upsample_nearest2d.vec",       "aten._upsample_nearest_exact2d.default",
    "aten.upsample_bilinear2d.default",  "aten.upsample_bilinear2d.vec",
    "aten.upsample_bicubic2d.default"};

bool is_anchor(const Node& node) { return std::ranges::find(anchors, node.op->name) != anchors.end(); }

bool is_picture(const TensorMeta& meta) { return meta.layout.rank() == picture_rank && meta.layout.numel() > 0; }

bool is_channels_last(const Layout& layout) { return layout == *fresh_layout(layout, MemoryFormat::ChannelsLast); }
bool is_row_major(const Layout& layout) { return layout == *fresh_layout(layout, MemoryFormat::Contiguous); }

// The values that a call of a region reads in the region's order.
std::vector<ValueId> pictures_of(const Graph& graph, const Node& node) {
  std::vector<ValueId> pictures;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      if (is_picture(graph.meta(value))) pictures.push_back(value);
    });
    if (is_anchor(node)) break;
  }
  return pictures;
}

class Regions {
 public:
  explicit Regions(const Graph& graph) : graph_(graph), written_(written_storages(graph)), parent_(graph.nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    std::vector<int> makers(graph.metas.size(), -1);
    std::vector<bool> joins(graph.nodes.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      joins[n] = may_join(node);
      for (ValueId result : node.results) makers[result.index] = static_cast<int>(n);
      if (!joins[n]) continue;
      for (ValueId picture : pictures_of(graph, node)) {
        const int maker = makers[picture.index];
        if (maker >= 0 && joins[static_cast<std::size_t>(maker)]) {
          parent_[root(static_cast<std::size_t>(maker))] = root(n);
        }
      }
    }
    anchored_.resize(graph.nodes.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      if (joins[n] && is_anchor(graph.nodes[n])) anchored_[root(n)] = true;
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) joins[n] = joins[n] && anchored_[root(n)];
    in_region_ = std::move(joins);
  }

  // Whether the node computes in the order of a region.
  bool hold(std::size_t n) const { return in_region_[n]; }

 private:
  // What reads and makes pictures in memory of their own that nobody writes, row-major ones as the graph has them.
  bool may_join(const Node& node) const {
    if (node.op->writes() || node.op->schema.has_list_result()) return false;
    for (ValueId result : node.results) {
      const TensorMeta& meta = graph_.meta(result);
      if (!is_picture(meta) || !is_row_major(meta.layout) || written_[meta.storage.index]) return false;
      if (node.op->is_view()) return false;
    }
    if (is_anchor(node)) {
      const std::vector<ValueId> pictures = pictures_of(graph_, node);
      return !pictures.empty() && pictures.front() == std::get<ValueId>(node.arguments.front());
    }
    return (node.op->group == OpGroup::Pointwise || node.op->group == OpGroup::Comparison) && is_elementwise(node);
  }

  // Its tensors are of the result's sizes, or numbers.
  bool is_elementwise(const Node& node) const {
    bool alike = true;
    const Dims& sizes = graph_.meta(node.results[0]).layout.sizes;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        const Layout& layout = graph_.meta(value).layout;
        alike = alike && (layout.sizes == sizes || layout.rank() == 0);
      });
    }
    return alike;
  }

  std::size_t root(std::size_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }

  const Graph& graph_;
  const std::vector<bool> written_;  // by storage
  std::vector<std::size_t> parent_;  // by node: towards the one that stands for its set
  std::vector<bool> anchored_;       // by that one
  std::vector<bool> in_region_;      // by node
};

class LayOut {
 public:
  explicit LayOut(const Graph& graph)
      : graph_(graph), rewriter_(graph), regions_(graph), leaves_(graph.metas.size()), inside_(graph.metas.size()) {
    for (ValueId output : graph.outputs) leaves_[output.index] = true;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      const std::vector<ValueId> pictures = regions_.hold(n) ? pictures_of(graph, node) : std::vector<ValueId>();
      for (const Argument& argument : node.arguments) {
        for_each_value(argument, [&](ValueId value) {
          if (std::ranges::find(pictures, value) == pictures.end()) leaves_[value.index] = true;
        });
      }
    }
  }

  Result<Graph> run() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      TRY_VOID(regions_.hold(n) ? add_inside(graph_.nodes[n]) : rewriter_.copy(graph_.nodes[n]));
    }
    return rewriter_.finish();
  }

 private:
  Result<ValueId> copied(ValueId value, MemoryFormat format, std::string_view stem) {
    const Op& clone = op_named("aten.clone.default");
    TRY(const std::vector<ValueId> made,
        rewriter_.builder().add_node(clone, {value, format}, rewriter_.fresh_name(stem)));
    return made.front();
  }

  // Outside memory may be written between two reads: each reader has a copy of its own, and equal ones are merged
  // later.
  Result<ValueId> entered(ValueId old) {
    if (inside_[old.index].valid()) return inside_[old.index];
    const ValueId now = rewriter_[old];
    if (is_channels_last(rewriter_.meta(now).layout)) return now;
    return copied(now, MemoryFormat::ChannelsLast, graph_.name(old) + "_nhwc");
  }

  Result<void> add_inside(const Node& node) {
    const std::vector<ValueId> pictures = pictures_of(graph_, node);
    std::vector<Argument> arguments = node.arguments;
    for (Argument& argument : arguments) {
      Result<void> done{};
      for_each_value(argument, [&](ValueId& value) {
        if (!done) return;
        if (std::ranges::find(pictures, value) == pictures.end()) {
          value = rewriter_[value];
          return;
        }
        auto now = entered(value);
        if (now)
          value = *now;
        else
          done = std::unexpected(std::move(now).error());
      });
      TRY_VOID(std::move(done));
    }
    TRY_VOID(rewriter_.add(node, std::move(arguments)));
    for (ValueId result : node.results) {
      const ValueId now = rewriter_[result];
      if (rewriter_.meta(now).layout == graph_.meta(result).layout) continue;
      inside_[result.index] = now;
      if (!leaves_[result.index]) continue;
      TRY(const ValueId left, copied(now, MemoryFormat::Contiguous, graph_.name(result) + "_nchw"));
      rewriter_.map(result, left);
    }
    return {};
  }

  const Graph& graph_;
  Rewriter rewriter_;
  const Regions regions_;
  std::vector<bool> leaves_;     // by old value: read outside of regions, or returned
  std::vector<ValueId> inside_;  // by old value: the new one in a region's order; invalid where it has the old one
};

}  // namespace

bool holds_pictures(const Graph& graph) { return std::ranges::any_of(graph.nodes, is_anchor); }

Result<Graph> lay_out_regions(const Graph& graph) { return LayOut(graph).run(); }

}  // namespace parallax
