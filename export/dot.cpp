#include "export/dot.h"

#include <fmt/format.h>

#include <set>

#include "graph/print.h"
#include "graph/subgraphs.h"

namespace parallax {
namespace {

// The inside of a double-quoted dot string.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

class DotWriter {
 public:
  DotWriter(const Graph& graph, const DotOptions& options)
      : graph_(graph), options_(options), boxes_(graph.metas.size()), owners_(graph.storages.size()) {}

  std::string text(std::string_view title) {
    line(fmt::format("digraph \"{}\" {{", escaped(title)));
    line("  rankdir=TB; node [shape=box, fontname=\"monospace\"];");
    put_graph();
    const SubgraphNames names(graph_);
    for (std::size_t k = 0; k < names.all().size(); ++k) {
      line(fmt::format("  subgraph \"cluster_{0}\" {{ label=\"{0}\"; class=subgraph;", names.of(*names.all()[k])));
      DotWriter inner(*names.all()[k], nothing_more(), fmt::format("s{}_", k));
      inner.put_graph();
      text_ += inner.text_;
      line("  }");
    }
    line("}");
    return std::move(text_);
  }

 private:
  // One of a subgraph, whose boxes have a prefix.
  DotWriter(const Graph& graph, const DotOptions& options, std::string prefix) : DotWriter(graph, options) {
    prefix_ = std::move(prefix);
  }
  static const DotOptions& nothing_more() {
    static const DotOptions none;
    return none;
  }

  void put_graph() {
    for (const Source& source : graph_.sources) put_source(source);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) put_node(i);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const std::string box = fmt::format("{}output{}", prefix_, i);
      line(fmt::format("  {} [class=output, label=\"out[{}]\", shape=ellipse];", box, i));
      line(fmt::format("  {} -> {} [class=flow, label=\"{}\"];", boxes_[graph_.outputs[i].index], box,
                       label(graph_.outputs[i])));
    }
  }

  void line(std::string_view content) { text_.append(content).append("\n"); }
  std::string label(ValueId value) const {
    const TensorMeta& meta = graph_.meta(value);
    return escaped(graph_.name(value) + " " + type_text(meta.dtype, meta.layout.sizes));
  }

  // A line each, behind the call.
  std::string marks_of(std::size_t node) const {
    std::string text;
    for (const DotMark& mark : options_.marks) {
      if (mark.node == NodeId(node)) text += "\\n✗ " + escaped(mark.why);
    }
    return text;
  }
  std::string notes_of(std::size_t node) const {
    std::string text;
    for (const DotNote& note : options_.notes) {
      if (note.node == NodeId(node)) text += "\\n" + escaped(note.text);
    }
    return text;
  }
  // What a page finds the node by: its kind, its number in the whole program, the kinds of its notes.
  std::string classes_of(std::size_t node, std::string_view kind) const {
    std::string classes(kind);
    if (prefix_.empty()) classes += fmt::format(" n{}", options_.first_number + node);
    for (const DotNote& note : options_.notes) {
      if (note.node == NodeId(node)) classes += " " + note.kind;
    }
    return classes;
  }

  // Draws what `box` shares memory with: the box that had the storage first. Elements of one list make one line.
  void place(StorageId storage, const std::string& box) {
    std::string& owner = owners_[storage.index];
    if (owner.empty()) {
      owner = box;
    } else if (owner != box && aliases_.emplace(storage, box).second) {
      line(fmt::format("  {} -> {} [class=alias, style=dashed, dir=none, constraint=false, label=\"{}\"];", owner, box,
                       escaped("memory of " + storage_name(graph_, storage))));
    }
  }

  void put_source(const Source& source) {
    const std::string box = fmt::format("{}value{}", prefix_, source.value.index);
    line(
        fmt::format("  {} [class=source, label=\"{}\", style=filled, fillcolor=lightgrey];", box, label(source.value)));
    boxes_[source.value.index] = box;
    place(graph_.meta(source.value).storage, box);
  }

  void put_node(std::size_t i) {
    const Node& node = graph_.nodes[i];
    const std::string box = fmt::format("{}node{}", prefix_, i);
    const bool writes = node.op->writes() && !node.op->writes_metadata_only();
    std::string text =
        fmt::format("#{} {}", options_.first_number + i, escaped(node.name + " = " + call_text(graph_, node)));
    const std::string why = marks_of(i);
    const std::string_view kind = !why.empty() ? "guilty" : writes ? "write" : "call";
    line(fmt::format("  {} [class=\"{}\", label=\"{}{}{}\"{}];", box, classes_of(i, kind), text, notes_of(i), why,
                     !why.empty() ? ", color=red, penwidth=3"
                     : writes     ? ", color=red"
                                  : ""));
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
      const bool written = writes && node.op->schema.parameters[k].written;
      for_each_value(node.arguments[k], [&](ValueId value) {
        line(fmt::format("  {} -> {} [class={}, label=\"{}{}\"{}];", boxes_[value.index], box,
                         written ? "written" : "flow", label(value), written ? " (written)" : "",
                         written ? ", color=red" : ""));
      });
    }
    for (ValueId result : node.results) {
      boxes_[result.index] = box;
      place(graph_.meta(result).storage, box);
    }
  }

  const Graph& graph_;
  std::string prefix_;
  const DotOptions& options_;
  std::vector<std::string> boxes_;                       // by value: the box that makes it
  std::vector<std::string> owners_;                      // by storage: the first box that has it
  std::set<std::pair<StorageId, std::string>> aliases_;  // drawn ones
  std::string text_;
};

}  // namespace

std::string to_dot(const Graph& graph, std::string_view title, const DotOptions& options) {
  return DotWriter(graph, options).text(title);
}

}  // namespace parallax
