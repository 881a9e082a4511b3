// Reads and writes case files (the format is version 1, docs/format.md).

#include <algorithm>
#include <unordered_map>

#include "graph/case.h"
#include "graph/case_features.h"
#include "graph/graph_json.h"
#include "graph/layout_json.h"

namespace parallax {
namespace {

constexpr int64_t format_version = 1;

Result<void> check_version(const Field& root) {
  TRY(Field field, root.need("parallax"));
  TRY(int64_t version, field.integer());
  if (version != format_version) return field.unsupported("format version {} is not {}", version, format_version);
  return {};
}

Result<std::string> read_name(const Field& root) {
  const auto field = root.find("name");
  return field ? field->text() : std::string();
}

// What the feed must say instead of a name that is no slot.
std::unexpected<Error> refuse_feed_name(const Graph& graph, const std::string& name, const Field& field) {
  for (const Source& source : graph.sources) {
    if (graph.name(source.value) != name) continue;
    if (source.kind != SourceKind::Input) return field.fail("'{}' is no input; its data stands with it", name);
    const Storage& storage = graph.storage(graph.meta(source.value).storage);
    if (storage.data) return field.fail("'{}' is a window on '{}', which holds its own data", name, storage.name);
    return field.fail("'{}' is a window; feed its storage '{}'", name, storage.name);
  }
  for (const Storage& storage : graph.storages) {
    if (!name.empty() && storage.name == name) return field.fail("the storage '{}' holds its own data", name);
  }
  return field.fail("the graph has no input '{}'", name);
}

Result<std::vector<Tensor>> read_feed(const Field& root, const Graph& graph) {
  const std::vector<FeedSlot> slots = feed_slots(graph);
  std::vector<Tensor> feed(slots.size());
  const auto field = root.find("feed");
  if (!field && slots.empty()) return feed;
  if (!field) return root.fail("\"feed\" is missing");
  TRY_VOID(field->expect_object());
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < slots.size(); ++i) by_name.emplace(slots[i].name, i);
  std::vector<bool> fed(slots.size(), false);
  TRY_VOID(for_each_member(*field, [&](const std::string& name, const Field& data) -> Result<void> {
    const auto found = by_name.find(name);
    if (found == by_name.end()) return refuse_feed_name(graph, name, data);
    const FeedSlot& slot = slots[found->second];
    const TensorType type{slot.dtype, slot.layout.sizes, slot.layout.numel()};
    TRY(feed[found->second], read_placed_tensor(data, type, slot.layout));
    fed[found->second] = true;
    return {};
  }));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!fed[i]) return field->fail("'{}' is not fed", slots[i].name);
  }
  return feed;
}

// {"type": …, "data": …}.
Result<Tensor> read_typed_tensor(const Field& entry) {
  TRY(Field type_field, entry.need("type"));
  TRY(std::string text, type_field.text());
  auto type = parse_type(text);
  if (!type) return at(type_field.pointer(), type.error());
  TRY(Field data, entry.need("data"));
  return read_tensor(data, *type);
}

Result<std::optional<std::vector<Tensor>>> read_expected_outputs(const Field& root, const Graph& graph) {
  const auto field = root.find("expect");
  if (!field) return std::nullopt;
  TRY_VOID(field->expect_array());
  if (field->json().size() != graph.outputs.size()) {
    return field->fail("{} entries for {} outputs", field->json().size(), graph.outputs.size());
  }
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < field->json().size(); ++i) {
    TRY(Tensor tensor, read_typed_tensor(field->element(i)));
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

// The newest metadata of a source's tensor object: what it looks like after the run.
std::unordered_map<std::string_view, TensorType> types_after_run(const Graph& graph, SourceKind kind) {
  std::vector<ValueId> newest(graph.metas.size());
  for (std::size_t i = 0; i < graph.metas.size(); ++i) newest[graph.objects[i].index] = ValueId(i);
  std::unordered_map<std::string_view, TensorType> types;
  for (const Source& source : graph.sources) {
    if (source.kind != kind) continue;
    const TensorMeta& meta = graph.meta(newest[source.value.index]);
    types.emplace(graph.name(source.value), TensorType{meta.dtype, meta.layout.sizes, meta.layout.numel()});
  }
  return types;
}

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// What inputs or buffers hold after the run. An entry is data of the source's own type, or carries its type.
Result<NamedTensors> read_state(const Field& root, std::string_view key, const Graph& graph, SourceKind kind) {
  NamedTensors state;
  const auto field = root.find(key);
  if (!field) return state;
  TRY_VOID(field->expect_object());
  const auto types = types_after_run(graph, kind);
  TRY_VOID(for_each_member(*field, [&](const std::string& name, const Field& entry) -> Result<void> {
    const auto type = types.find(name);
    if (type == types.end()) {
      return entry.fail("the graph has no {} '{}'", kind == SourceKind::Input ? "input" : "buffer", name);
    }
    const bool typed = entry.json().is_object() && entry.find("type");
    TRY(Tensor tensor, typed ? read_typed_tensor(entry) : read_tensor(entry, type->second));
    state.emplace_back(name, std::move(tensor));
    return {};
  }));
  return state;
}

Json state_json(const NamedTensors& state, const Graph& graph, SourceKind kind) {
  const auto types = types_after_run(graph, kind);
  Json json = Json::object();
  for (const auto& [name, tensor] : state) {
    const auto type = types.find(name);
    const bool own_type =
        type != types.end() && type->second.dtype == tensor.dtype && type->second.sizes == tensor.sizes;
    json[name] = own_type ? tensor_json(tensor)
                          : Json{{"type", type_text(tensor.dtype, tensor.sizes)}, {"data", tensor_json(tensor)}};
  }
  return json;
}

Result<Case> read_case(const Field& root) {
  TRY_VOID(root.expect_object());
  TRY_VOID(check_version(root));
  TRY_VOID(check_features(root));
  Case test;
  TRY(test.name, read_name(root));
  TRY(Field graph, root.need("graph"));
  TRY(test.graph, read_graph(graph, root.find("feed")));
  TRY(test.feed, read_feed(root, test.graph));
  TRY(test.expect.outputs, read_expected_outputs(root, test.graph));
  TRY(test.expect.inputs, read_state(root, "expect_inputs", test.graph, SourceKind::Input));
  TRY(test.expect.buffers, read_state(root, "expect_buffers", test.graph, SourceKind::Buffer));
  if (const auto grad = root.find("grad")) {
    TRY(test.gradient, read_gradient(*grad, test.graph));
  }
  if (const auto gradients = root.find("expect_grad")) {
    TRY(test.expect.gradients, read_gradients(*gradients, test.graph));
  }
  if (const auto origin = root.find("origin")) {
    TRY_VOID(origin->expect_object());
    test.origin = write_json(origin->json());
  }
  return test;
}

}  // namespace

Result<Case> parse_case(std::string_view json, const std::string& file) {
  auto test = [&]() -> Result<Case> {
    TRY(Json document, parse_json(json));
    return read_case(Field(document, ""));
  }();
  if (!test) {
    Error error = std::move(test).error();
    error.file = file;
    return std::unexpected(std::move(error));
  }
  test->file = file;
  return test;
}

std::string to_json(const Case& test, int indent) {
  Json json = {{"parallax", format_version}, {"name", test.name}};
  if (test.gradient) json["requires"] = {"grad"};
  json["graph"] = graph_json(test.graph);
  Json& feed = json["feed"] = Json::object();
  const std::vector<FeedSlot> slots = feed_slots(test.graph);
  PARALLAX_CHECK(slots.size() == test.feed.size());
  for (std::size_t i = 0; i < slots.size(); ++i) feed[slots[i].name] = tensor_json(test.feed[i]);
  if (test.expect.outputs) {
    Json& outputs = json["expect"] = Json::array();
    for (const Tensor& tensor : *test.expect.outputs) {
      outputs.push_back({{"type", type_text(tensor.dtype, tensor.sizes)}, {"data", tensor_json(tensor)}});
    }
  }
  if (!test.expect.inputs.empty())
    json["expect_inputs"] = state_json(test.expect.inputs, test.graph, SourceKind::Input);
  if (!test.expect.buffers.empty())
    json["expect_buffers"] = state_json(test.expect.buffers, test.graph, SourceKind::Buffer);
  if (test.gradient) json["grad"] = gradient_json(*test.gradient);
  if (!test.expect.gradients.empty()) {
    for (const auto& [name, tensor] : test.expect.gradients) json["expect_grad"][name] = tensor_json(tensor);
  }
  if (!test.origin.empty()) {
    auto origin = parse_json(test.origin);
    PARALLAX_CHECK(origin.has_value());
    json["origin"] = *std::move(origin);
  }
  return write_json(json, indent);
}

}  // namespace parallax
