#include "graph/graph_names.h"

#include "graph/builder.h"

namespace parallax {
namespace {

Result<void> claim(GraphNames& names, const std::string& name, const Field& field) {
  if (!is_identifier(name)) return field.fail("'{}' is not a name ([A-Za-z_][A-Za-z0-9_]*)", name);
  if (!names.all.insert(name).second) return field.fail("the name '{}' is used twice", name);
  return {};
}

Result<void> claim_section(GraphNames& names, const Field& graph, std::string_view section) {
  const auto field = graph.find(section);
  if (!field) return {};
  TRY_VOID(field->expect_object());
  return for_each_member(*field, [&](const std::string& name, const Field& member) -> Result<void> {
    TRY_VOID(claim(names, name, member));
    return member.expect_object();
  });
}

// Notes the name that a well-formed getitem gives; what is wrong with another is said when it is read.
void note_element(GraphNames& names, const Json& node, const std::string& name) {
  const auto args = node.find("args");
  if (args == node.end() || !args->is_array() || args->size() != 2) return;
  const Json& list = (*args)[0];
  const Json& index = (*args)[1];
  if (!list.is_string() || !index.is_number_integer()) return;
  const auto& reference = list.get_ref<const std::string&>();
  if (!reference.starts_with('%')) return;
  names.elements[reference.substr(1)].emplace(index.get<int64_t>(), name);
}

}  // namespace

std::string GraphNames::element_name(const std::string& list, int64_t k) {
  std::string name = parallax::element_name(list, static_cast<std::size_t>(k));
  while (!all.insert(name).second) name += '_';
  return name;
}

Result<GraphNames> gather_names(const Field& graph) {
  GraphNames names;
  TRY_VOID(graph.expect_object());
  TRY_VOID(claim_section(names, graph, "storages"));
  for (std::string_view section : source_sections) TRY_VOID(claim_section(names, graph, section));
  TRY(Field nodes, graph.need("nodes"));
  TRY_VOID(nodes.expect_array());
  for (std::size_t i = 0; i < nodes.json().size(); ++i) {
    const Field node = nodes.element(i);
    TRY(Field out, node.need("out"));
    TRY(std::string name, out.text());
    TRY_VOID(claim(names, name, out));
    TRY(Field op, node.need("op"));
    TRY(std::string op_name, op.text());
    if (op_name == "getitem") note_element(names, node.json(), name);
  }
  return names;
}

}  // namespace parallax
