#include "graph/case_json.h"

#include <algorithm>
#include <unordered_map>

#include "graph/case_features.h"
#include "graph/control_op.h"
#include "graph/counts.h"
#include "graph/graph_reader.h"
#include "graph/graph_writer.h"
#include "graph/layout_json.h"
#include "graph/method_json.h"
#include "graph/runs.h"
#include "graph/symbols_json.h"
#include "graph/weights_beside.h"

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

// One entry of a feed: the data alone, or with the type that it must have.
Result<Tensor> read_fed_tensor(const Field& entry, const FeedSlot& slot) {
  const TensorType type{slot.dtype, slot.layout.sizes, slot.layout.numel()};
  if (entry.json().is_object()) {
    if (const auto field = entry.find("type")) {
      TRY(const std::string text, field->text());
      const auto stated = parse_type(text);
      if (!stated) return at(field->pointer(), stated.error());
      if (*stated != type) return field->fail("'{}' is {}", slot.name, type_text(slot.dtype, slot.layout.sizes));
      TRY_VOID(entry.need("data"));
    }
  }
  return read_placed_tensor(data_of(entry), type, slot.layout);
}

// The "feed" of a run, or of a case that is one.
Result<std::vector<Tensor>> read_feed(const Field& run, const Graph& graph) {
  const std::vector<FeedSlot> slots = feed_slots(graph);
  std::vector<Tensor> feed(slots.size());
  const auto field = run.find("feed");
  if (!field && slots.empty()) return feed;
  if (!field) return run.fail("\"feed\" is missing");
  TRY_VOID(field->expect_object());
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < slots.size(); ++i) by_name.emplace(slots[i].name, i);
  std::vector<bool> fed(slots.size(), false);
  TRY_VOID(for_each_member(*field, [&](const std::string& name, const Field& entry) -> Result<void> {
    const auto found = by_name.find(name);
    if (found == by_name.end()) return refuse_feed_name(graph, name, entry);
    TRY(feed[found->second], read_fed_tensor(entry, slots[found->second]));
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

Json typed_json(const Tensor& tensor) {
  return {{"type", type_text(tensor.dtype, tensor.sizes)}, {"data", tensor_json(tensor)}};
}

Json state_json(const NamedTensors& state, const Graph& graph, SourceKind kind) {
  const auto types = types_after_run(graph, kind);
  Json json = Json::object();
  for (const auto& [name, tensor] : state) {
    const auto type = types.find(name);
    const bool own_type =
        type != types.end() && type->second.dtype == tensor.dtype && type->second.sizes == tensor.sizes;
    json[name] = own_type ? tensor_json(tensor) : typed_json(tensor);
  }
  return json;
}

Result<Expectation> read_expectation(const Field& run, const Graph& graph) {
  Expectation expect;
  TRY(expect.outputs, read_expected_outputs(run, graph));
  TRY(expect.inputs, read_state(run, "expect_inputs", graph, SourceKind::Input));
  TRY(expect.buffers, read_state(run, "expect_buffers", graph, SourceKind::Buffer));
  return expect;
}

// Adds what is expected of a run to its object.
void write_expectation(const Expectation& expect, const Graph& graph, Json& run) {
  if (expect.outputs) {
    Json& outputs = run["expect"] = Json::array();
    for (const Tensor& tensor : *expect.outputs) outputs.push_back(typed_json(tensor));
  }
  if (!expect.inputs.empty()) run["expect_inputs"] = state_json(expect.inputs, graph, SourceKind::Input);
  if (!expect.buffers.empty()) run["expect_buffers"] = state_json(expect.buffers, graph, SourceKind::Buffer);
}

// The runs after the first.
Result<void> read_later_runs(const Field& runs, const Field& graph, Case& test) {
  for (std::size_t i = 1; i < runs.json().size(); ++i) {
    const Field run = runs.element(i);
    LaterRun& later = test.later.emplace_back();
    TRY(later.sizes, read_symbol_sizes(test.symbols, graph, run));
    TRY(later.method, read_called_method(run, test.methods));
    const Result<Graph> resized = graph_of_run(test, i);
    if (!resized) return at(run.pointer(), resized.error());
    TRY(later.feed, read_feed(run, *resized));
    TRY(later.expect, read_expectation(run, *resized));
    if (const auto instance = run.find("instance")) {
      TRY(const int64_t number, instance->integer());
      if (number < 0 || number >= most_instances)
        return instance->fail("instance {} is none of 0 to {}", number, most_instances - 1);
      later.instance = static_cast<int>(number);
    }
  }
  return {};
}

Result<Case> read_case(const Field& root) {
  TRY_VOID(root.expect_object());
  TRY_VOID(check_version(root));
  TRY_VOID(check_features(root));
  Case test;
  TRY(test.name, read_name(root));
  TRY(Field graph, root.need("graph"));
  const auto runs = root.find("runs");
  const Field first = runs ? runs->element(0) : root;
  NamedSize named;
  if (const auto symbols = root.find("symbols")) {
    TRY(test.symbols, read_symbols(*symbols, graph));
    TRY(const SymbolSizes sizes, read_symbol_sizes(test.symbols, graph, first));
    named = named_sizes(test.symbols, sizes);
  }
  std::vector<NumberText> numbers;
  TRY(test.graph, read_graph(graph, first.find("feed"), named, &numbers));
  for (const NumberText& number : numbers) {
    TRY(const Relation of, read_relation(number.text, test.symbols));
    Node& node = test.graph.nodes[number.node];
    if (!integer_in(node.arguments[number.argument], number.place))
      return graph.fail("node '{}': '{}' takes no \"${}\"", node.name, node.op->schema.parameters[number.argument].name,
                        number.text);
    test.symbols.numbers.push_back({number.node, number.argument, number.place, of});
  }
  if (const auto methods = root.find("methods")) {
    TRY(test.methods, read_methods(*methods, graph));
  }
  TRY(test.feed, read_feed(first, test.graph));
  TRY(test.expect, read_expectation(first, test.graph));
  if (runs) {
    TRY_VOID(read_later_runs(*runs, graph, test));
  }
  if (const auto fits = check_runs(test); !fits) return at(graph.pointer(), fits.error());
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

// The feed of a run; with symbols its entries carry their types.
Json feed_json(const std::vector<FeedSlot>& slots, const std::vector<Tensor>& feed, bool typed) {
  PARALLAX_CHECK(slots.size() == feed.size());
  Json json = Json::object();
  for (std::size_t i = 0; i < slots.size(); ++i)
    json[slots[i].name] = typed ? typed_json(feed[i]) : tensor_json(feed[i]);
  return json;
}

// The member "runs".
Json runs_json(const Case& test) {
  const bool typed = !test.symbols.empty();
  Json runs = Json::array();
  for (std::size_t i = 0; i <= test.later.size(); ++i) {
    const LaterRun* later = i == 0 ? nullptr : &test.later[i - 1];
    const Graph& graph = called_graph(test, i);
    Json& run = runs.emplace_back(Json::object());
    if (later && later->instance != 0) run["instance"] = later->instance;
    if (later && later->method != 0) run["method"] = test.methods[later->method - 1].name;
    run["feed"] = feed_json(feed_slots(graph), feed_of_run(test, i), typed);
    if (Json counts = counts_json(test.symbols, sizes_of_run(test, i)); !counts.empty()) run["counts"] = counts;
    write_expectation(later ? later->expect : test.expect, graph, run);
  }
  return runs;
}

}  // namespace

Result<Case> parse_case(std::string_view json, const std::string& file) {
  auto test = [&]() -> Result<Case> {
    TRY(Json document, parse_json(json));
    // A search of the text costs less than a walk over the document, which hardly any case needs.
    if (json.find("\"safetensors\"") != std::string_view::npos) TRY_VOID(resolve_weights(document, file));
    return read_case(Field(document, ""));
  }();
  if (!test) {
    Error error = std::move(test).error();
    if (error.file.empty()) error.file = file;
    return std::unexpected(std::move(error));
  }
  test->file = file;
  return test;
}

namespace {

bool has_quantized_ops(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) { return node.op->schema.library != "aten"; });
}

bool has_quantized_ops(const Case& test) {
  return has_quantized_ops(test.graph) ||
         std::ranges::any_of(test.methods, [](const Method& method) { return has_quantized_ops(method.graph); });
}

}  // namespace

std::string to_json(const Case& test, int indent) {
  Json json = {{"parallax", format_version}, {"name", test.name}};
  const bool several = has_several_runs(test) || !test.methods.empty();
  if (several) json["requires"].push_back("runs");
  if (has_several_instances(test)) json["requires"].push_back("instances");
  if (!test.methods.empty()) json["requires"].push_back("methods");
  if (!test.symbols.empty()) json["requires"].push_back("symbols");
  if (holds_counts(test.graph)) json["requires"].push_back("counts");
  if (test.gradient) json["requires"].push_back("grad");
  if (find_control(test.graph)) json["requires"].push_back("subgraphs");
  if (find_custom(test.graph)) json["requires"].push_back("custom");
  if (has_quantized_ops(test)) json["requires"].push_back("quantized");
  if (!test.symbols.empty()) json["symbols"] = symbols_json(test.symbols);
  json["graph"] = graph_json(test.graph, test.symbols);
  if (!test.methods.empty()) json["methods"] = methods_json(test.methods);
  if (several) {
    json["runs"] = runs_json(test);
  } else {
    json["feed"] = feed_json(feed_slots(test.graph), test.feed, false);
    write_expectation(test.expect, test.graph, json);
  }
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
