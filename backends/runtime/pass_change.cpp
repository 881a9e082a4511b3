#include "backends/runtime/pass_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace parallax {
namespace {

bool allocates(const Node& node) {
  bool has_operand = false;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId) { has_operand = true; });
  }
  return node.op->group == OpGroup::Fill || !has_operand;
}

std::string class_of(const Graph& graph, const Node& node, bool functional, bool across_a_write) {
  if (!functional && node.op->writes()) return "write";
  if (!functional && allocates(node)) return "allocation";
  if (across_a_write) return "call across a write";
  if (node.op->group != OpGroup::Copy) return std::string(node.op->family);
  const auto* source = std::get_if<ValueId>(&node.arguments.front());
  return source && graph.meta(*source).dtype != graph.meta(node.results.front()).dtype ? "cast" : "copy";
}

// The call's arguments with values by name.
std::string arguments_of(const Graph& graph, const Node& node) {
  std::string text;
  for (const Argument& argument : node.arguments) {
    text += fmt::format("{};", argument.index());
    for_each_value(argument, [&](ValueId value) { text += graph.name(value) + ","; });
  }
  return text;
}

}  // namespace

std::string change_of(const Graph& before, const Graph& after, bool functional) {
  std::map<std::string_view, const Node*> left;
  for (const Node& node : after.nodes) left[node.name] = &node;
  const bool across_a_write =
      !functional && std::ranges::any_of(before.nodes, [](const Node& node) { return node.op->writes(); });
  std::set<std::string> gone;
  std::set<std::string> changed;
  for (const Node& node : before.nodes) {
    const auto found = left.find(node.name);
    if (!functional && found != left.end() && found->second->op->is_view() && !node.op->is_view()) {
      gone.insert("memory of its own");
    } else if (found == left.end() || found->second->op != node.op) {
      gone.insert(class_of(before, node, functional, across_a_write));
    } else if (arguments_of(before, node) != arguments_of(after, *found->second)) {
      changed.insert(class_of(before, node, functional, across_a_write));
    }
  }
  return fmt::format("{}", fmt::join(gone.empty() ? changed : gone, ", "));
}

}  // namespace parallax
