#include "fuzz/generate/pool.h"

#include <algorithm>
#include <array>

namespace parallax {
namespace {

// Of a list of results (unbind) only the first few go on, or they would push everything else out of sight.
constexpr std::size_t list_results = 3;

}  // namespace

void Pool::reserve(std::size_t values) {
  entries_.reserve(values);
  read_only_.reserve(values);
  candidates_.reserve(2 * values);  // many are counted twice
}

void Pool::add_source(ValueId value, const TensorMeta& meta, bool read_only) {
  read_only_.resize(std::max<std::size_t>(read_only_.size(), meta.storage.index + 1), false);
  read_only_[meta.storage.index] = read_only;
  entries_.push_back({.value = value,
                      .writable = !read_only && !overlaps_itself(meta.layout),
                      .source = true,
                      .operand = limits_.admit(meta)});
}

Pool::Entry* Pool::find(const Graph& graph, ValueId value) {
  const ValueId object = graph.objects[value.index];
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (graph.objects[entries_[i].value.index] == object) return &entries_[i];
  }
  return nullptr;
}

void Pool::add_result(const Graph& graph, ValueId result) {
  const TensorMeta& meta = graph.meta(result);
  const std::size_t storage = meta.storage.index;
  const bool read_only = storage < read_only_.size() && read_only_[storage];
  const bool contiguous = is_contiguous(meta.layout);  // nearly always, and then the rest is known
  Entry entry{.value = result,
              .writable = !read_only && (contiguous || !overlaps_itself(meta.layout)),
              .gapped = !contiguous && !is_dense(meta.layout),
              .operand = limits_.admit(meta)};
  // Newer metadata of an object that is there already takes its place.
  if (Entry* old = find(graph, result)) {
    entry.source = old->source;
    entries_.erase(entries_.begin() + (old - entries_.data()));
  }
  entries_.push_back(entry);
}

void Pool::add_node(const Graph& graph, const Node& node) {
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      if (Entry* entry = find(graph, value)) ++entry->readers;
    });
  }
  for (std::size_t k = 0; k < std::min(node.results.size(), list_results); ++k) add_result(graph, node.results[k]);
}

std::span<const Candidate> Pool::draw_candidates(Choices& choices, bool wide) {
  // How many of the most recent objects a node sees; 0 stands for all.
  static constexpr std::array<std::size_t, 4> widths = {4, 0, 2, 7};
  candidates_.clear();
  const std::size_t width = wide ? 0 : choices.pick(widths);
  const std::size_t begin = width == 0 || width >= entries_.size() ? 0 : entries_.size() - width;
  const auto add = [&](const Entry& entry) {
    if (!entry.operand) return;
    const int times = wide ? 1 : 1 + (entry.readers == 0 ? 1 : 0) + (entry.gapped ? 2 : 0);
    for (int i = 0; i < times; ++i) candidates_.push_back({entry.value, entry.writable, entry.source});
  };
  for (std::size_t i = begin; i < entries_.size(); ++i) add(entries_[i]);
  if (begin > 0) add(entries_[choices.below(begin)]);
  return candidates_;
}

}  // namespace parallax
