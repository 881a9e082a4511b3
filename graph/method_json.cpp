#include "graph/method_json.h"

#include <algorithm>

#include "graph/builder.h"
#include "graph/graph_reader.h"
#include "graph/graph_writer.h"

namespace parallax {
namespace {

// What the case's own graph is called where methods have names, as ExecuTorch calls it.
constexpr std::string_view graph_name = "forward";

// What is the graph's, and not its methods'.
Result<void> check_own_members(const Field& method) {
  for (const char* of_graph : {"buffers", "subgraphs"}) {
    const auto field = method.find(of_graph);
    if (!field) continue;
    if (field->pointer().ends_with("buffers")) return field->fail("methods share the buffers of the graph");
    return field->unsupported("methods with subgraphs");
  }
  return {};
}

// A graph with the buffers of the case's, and the storages that these lie in.
Result<Json> with_buffers(const Field& method, const Field& graph) {
  Json whole = method.json();
  if (const auto buffers = graph.find("buffers")) whole["buffers"] = buffers->json();
  const auto storages = graph.find("storages");
  if (!storages) return whole;
  TRY_VOID(for_each_member(*storages, [&](const std::string& name, const Field& storage) -> Result<void> {
    if (!storage.json().is_object() || !storage.find("data")) return {};  // of inputs
    if (whole.contains("storages") && whole["storages"].contains(name))
      return method.fail("'{}' is a storage of the graph's buffers", name);
    whole["storages"][name] = storage.json();
    return {};
  }));
  return whole;
}

Result<Method> read_method(const std::string& name, const Field& method, const Field& graph) {
  if (!is_identifier(name)) return method.fail("'{}' is no name of a method", name);
  if (name == graph_name) return method.fail("'{}' is the case's graph", name);
  TRY_VOID(method.expect_object());
  TRY_VOID(check_own_members(method));
  TRY(const Json whole, with_buffers(method, graph));
  TRY(Graph made, read_graph(Field(whole, method.pointer())));
  return Method{name, std::move(made)};
}

}  // namespace

Result<std::vector<Method>> read_methods(const Field& methods, const Field& graph) {
  TRY_VOID(methods.expect_object());
  std::vector<Method> read;
  TRY_VOID(for_each_member(methods, [&](const std::string& name, const Field& method) -> Result<void> {
    TRY(read.emplace_back(), read_method(name, method, graph));
    return {};
  }));
  return read;
}

Json methods_json(const std::vector<Method>& methods) {
  Json json = Json::object();
  for (const Method& method : methods) {
    Json& written = json[method.name] = graph_json(method.graph, {});
    written.erase("buffers");
    if (!written.contains("storages")) continue;
    Json own = Json::object();
    for (const auto& [name, storage] : written["storages"].items()) {
      if (!storage.contains("data")) own[name] = storage;
    }
    written.erase("storages");
    if (!own.empty()) written["storages"] = std::move(own);
  }
  return json;
}

Result<std::size_t> read_called_method(const Field& run, const std::vector<Method>& methods) {
  const auto field = run.find("method");
  if (!field) return 0;
  TRY(const std::string name, field->text());
  if (name == graph_name) return 0;
  const auto found = std::ranges::find(methods, name, &Method::name);
  if (found == methods.end()) return field->fail("the case has no method '{}'", name);
  return static_cast<std::size_t>(found - methods.begin()) + 1;
}

}  // namespace parallax
