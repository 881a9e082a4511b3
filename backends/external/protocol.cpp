#include "backends/external/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/audit.h"
#include "core/json_field.h"
#include "graph/case_json.h"
#include "graph/control_reader.h"
#include "graph/runs.h"
#include "graph/tensor_json.h"
#include "ops/profile_json.h"
#include "ops/profiles.h"

namespace parallax {
namespace {

constexpr std::string_view protocol_kind = "protocol";
constexpr int most_cases_a_program = 64;

Result<Json> parse_reply(std::string_view reply, int64_t id) {
  TRY(Json json, parse_json(reply));
  const Field root(json, "");
  TRY_VOID(root.expect_object());
  TRY(Field got, root.need("id"));
  TRY(int64_t number, got.integer());
  if (number != id) return got.fail("answers request {} where {} was asked", number, id);
  return json;
}

// A member that may be missing or null.
std::optional<Field> find_set(const Field& object, std::string_view key) {
  auto field = object.find(key);
  return field && !field->json().is_null() ? field : std::nullopt;
}

Result<std::string> text_or_empty(const Field& object, std::string_view key) {
  const auto field = find_set(object, key);
  return field ? field->text() : std::string();
}

Result<Tensor> read_reply_tensor(const Field& entry) {
  TRY_VOID(entry.expect_object());
  TRY(Field type_field, entry.need("type"));
  TRY(std::string type_name, type_field.text());
  auto type = parse_type(type_name);
  if (!type) return at(type_field.pointer(), type.error());
  TRY(Field data, entry.need("data"));
  return read_tensor(data, *type);
}

// Whether all branches and loops are taken, or a list of those that are.
Result<ControlKinds> read_control_kinds(const Field& taken) {
  if (taken.json().is_boolean()) return taken.json().get<bool>() ? branches_and_loops : ControlKinds();
  if (!taken.json().is_array()) return taken.fail("must be true, false or a list of names");
  const auto read = [](const Field& name) -> Result<ControlKind> {
    TRY(const std::string text, name.text());
    const auto kind = parse_control_kind(text);
    if (kind && branches_and_loops[place_of(*kind)]) return *kind;
    return name.fail("'{}' is none of {}", text, fmt::join(names_of(branches_and_loops), ", "));
  };
  TRY(const std::vector<ControlKind> named, read_array(taken, read));
  ControlKinds kinds;
  for (const ControlKind kind : named) kinds.set(place_of(kind));
  return kinds;
}

Result<std::vector<Tensor>> read_tensors(const Field& array) { return read_array(array, read_reply_tensor); }

// {"x": {"type", "data"} | null}: state after a run. What is missing was not handed back.
Result<std::vector<std::optional<Tensor>>> read_reply_state(const Field& run, std::string_view key, const Graph& graph,
                                                            SourceKind kind) {
  std::vector<std::string_view> names;
  for (const Source& source : graph.sources) {
    if (source.kind == kind) names.push_back(graph.name(source.value));
  }
  std::vector<std::optional<Tensor>> state(names.size());
  const auto object = find_set(run, key);
  if (!object) return state;
  TRY_VOID(object->expect_object());
  TRY_VOID(for_each_member(*object, [&](const std::string& name, const Field& entry) -> Result<void> {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return entry.fail("the graph has nothing of this name");
    if (entry.json().is_null()) return {};
    TRY(state[static_cast<std::size_t>(found - names.begin())], read_reply_tensor(entry));
    return {};
  }));
  return state;
}

Result<int> read_small(const Field& field) {
  TRY(int64_t number, field.integer());
  if (number < -1 || number > std::numeric_limits<int>::max()) return field.fail("{} is out of range", number);
  return static_cast<int>(number);
}

Result<Observation> read_observation(const Field& run, const Graph& graph) {
  TRY_VOID(run.expect_object());
  Observation observation;
  TRY(Field outputs, run.need("outputs"));
  TRY(observation.outputs, read_tensors(outputs));
  TRY(observation.inputs, read_reply_state(run, "inputs", graph, SourceKind::Input));
  TRY(observation.buffers, read_reply_state(run, "buffers", graph, SourceKind::Buffer));
  if (const auto identity = find_set(run, "identity")) {
    TRY(observation.identity, read_array(*identity, read_small));
    const std::size_t wanted = observation.inputs.size() + observation.buffers.size() + observation.outputs.size();
    if (observation.identity.size() != wanted) {
      return identity->fail("has {} numbers, {} inputs, buffers and outputs need {}", observation.identity.size(),
                            wanted, wanted);
    }
  }
  return observation;
}

// {"x": {"type", "data"}}, in the order of the request.
Result<std::vector<Tensor>> read_reply_gradients(const Field& root, std::string_view key,
                                                 const GradientRequest& request) {
  std::vector<Tensor> gradients;
  TRY(const Field object, root.need(key));
  TRY_VOID(object.expect_object());
  for (const std::string& name : request.wrt) {
    TRY(const Field entry, object.need(name));
    TRY(gradients.emplace_back(), read_reply_tensor(entry));
  }
  return gradients;
}

// The target's gradients may have any sizes, which are judged; the references have those of their inputs.
Result<std::vector<Tensor>> read_reference_gradients(const Field& root, std::string_view key, const Case& test) {
  TRY(std::vector<Tensor> gradients, read_reply_gradients(root, key, *test.gradient));
  for (std::size_t g = 0; g < gradients.size(); ++g) {
    const auto named = std::ranges::find(test.graph.names, test.gradient->wrt[g]);
    PARALLAX_CHECK(named != test.graph.names.end());
    const Dims& wanted = test.graph.metas[static_cast<std::size_t>(named - test.graph.names.begin())].layout.sizes;
    if (gradients[g].sizes != wanted) {
      TRY(const Field object, root.need(key));
      return object.fail("{} has other sizes than the input", test.gradient->wrt[g]);
    }
  }
  return gradients;
}

// What the runs after the first handed back, each under the names of what it calls.
Result<std::vector<Observation>> read_later(const Field& root, std::string_view key, const Case& test) {
  const auto later = find_set(root, key);
  if (!later) return std::vector<Observation>();
  std::size_t run = 0;
  return read_array(*later, [&](const Field& seen) {
    run = std::min(run + 1, test.later.size());  // one that nobody asked for is not looked at
    return read_observation(seen, called_graph(test, run));
  });
}

Result<void> read_runs(const Field& root, const Case& test, Outcome& outcome) {
  const Graph& graph = test.graph;
  TRY(outcome.a, read_observation(root, graph));
  if (test.gradient) {
    TRY(outcome.gradients, read_reply_gradients(root, "grads", *test.gradient));
    TRY(outcome.eager_gradients, read_reference_gradients(root, "eager_grads", test));
    TRY(outcome.reference_gradients, read_reference_gradients(root, "reference_grads", test));
  }
  if (const auto kept = find_set(root, "kept")) {
    TRY(outcome.a_kept, read_tensors(*kept));
  }
  if (const auto b = find_set(root, "b")) {
    TRY(outcome.b, read_observation(*b, graph));
  }
  if (const auto again = find_set(root, "again")) {
    TRY(outcome.a_again, read_observation(*again, graph));
  }
  TRY(outcome.later, read_later(root, "later", test));
  TRY(outcome.later_again, read_later(root, "later_again", test));
  if (const auto kept = find_set(root, "later_kept")) {
    TRY(outcome.later_kept, read_array(*kept, read_tensors));
  }
  if (const auto delegated = find_set(root, "delegated")) {
    TRY(outcome.delegated, read_small(*delegated));
  }
  if (const auto fused = find_set(root, "fused")) {
    TRY(outcome.fused, read_small(*fused));
  }
  if (const auto fusable = find_set(root, "fusable")) {
    TRY(outcome.fusable, read_small(*fusable));
  }
  if (const auto recompiled = find_set(root, "recompiled")) {
    TRY(outcome.recompiled, read_small(*recompiled));
  }
  if (const auto specialized = find_set(root, "specialized")) {
    TRY(outcome.specialized, read_array(*specialized, [](const Field& name) { return name.text(); }));
  }
  return {};
}

Result<Status> read_status(const Field& root) {
  TRY(Field field, root.need("status"));
  TRY(std::string text, field.text());
  static constexpr std::pair<std::string_view, Status> statuses[] = {{"ok", Status::Ok},
                                                                     {"rejected", Status::Rejected},
                                                                     {"unsupported", Status::Unsupported},
                                                                     {"error", Status::Error}};
  for (const auto& [name, status] : statuses) {
    if (name == text) return status;
  }
  return field.fail("'{}' is no status", text);
}

Result<double> read_milliseconds(const Field& root) {
  const auto times = find_set(root, "ms");
  double sum = 0;
  if (!times) return sum;
  TRY_VOID(times->expect_object());
  TRY_VOID(for_each_member(*times, [&](const std::string&, const Field& time) -> Result<void> {
    if (!time.json().is_number()) return time.fail("must be a number");
    sum += time.json().get<double>();
    return {};
  }));
  return sum;
}

// A case that was compiled and cannot be run here. What the audit of it finds is the outcome's error.
Result<void> read_compiled(const Field& compiled, Outcome& outcome) {
  TRY_VOID(compiled.expect_object());
  if (const auto delegated = find_set(compiled, "delegated")) {
    TRY(outcome.delegated, read_small(*delegated));
  }
  const auto audit = find_set(compiled, "audit");
  if (!audit) return {};
  TRY(const std::vector<AuditFinding> findings, audit_answer(*audit));
  outcome.status = findings.empty() ? Status::Audited : Status::Error;
  if (findings.empty()) return {};
  outcome.stage = "audit";
  outcome.kind = name(findings.front().kind);
  outcome.message = fmt::format("{}: {}", findings.front().where, findings.front().what);
  for (const AuditFinding& finding : findings) outcome.detail += fmt::format("{}: {}\n", finding.where, finding.what);
  return {};
}

Result<Outcome> read_outcome(const Field& root, const Case& test) {
  Outcome outcome;
  TRY(outcome.status, read_status(root));
  TRY(outcome.milliseconds, read_milliseconds(root));
  if (outcome.status == Status::Ok) {
    TRY_VOID(read_runs(root, test, outcome));
    return outcome;
  }
  TRY(outcome.stage, text_or_empty(root, "stage"));
  TRY(outcome.kind, text_or_empty(root, "kind"));
  outcome.raised_by = detector_raising(outcome.kind);
  TRY(outcome.message, text_or_empty(root, "message"));
  for (const std::string_view part : {"because", "traceback", "stderr"}) {
    TRY(std::string text, text_or_empty(root, part));
    if (!text.empty()) outcome.detail += text + "\n";
  }
  if (const auto compiled = find_set(root, "compiled")) TRY_VOID(read_compiled(*compiled, outcome));
  return outcome;
}

Result<StageOutcome> read_stage(const Field& entry, const Graph& graph) {
  TRY_VOID(entry.expect_object());
  StageOutcome stage;
  TRY(stage.name, entry.need_text("name"));
  TRY(stage.outcome.message, text_or_empty(entry, "error"));
  if (stage.outcome.message.empty()) {
    TRY(stage.outcome.a, read_observation(entry, graph));
  } else {
    stage.outcome.status = Status::Error;
    stage.outcome.stage = stage.name;
  }
  return stage;
}

// By name, or as an object of its own.
Result<Profile> read_hello_profile(const Field& root) {
  TRY(Field field, root.need("profile"));
  if (field.json().is_object()) return read_profile(field);
  TRY(const std::string name, field.text());
  const Profile* known = find_profile(name);
  if (known == nullptr) return field.fail("'{}' is no profile that is known here", name);
  return *known;
}

Result<DType> read_dtype(const Field& field) {
  TRY(std::string text, field.text());
  if (const auto dtype = parse_dtype(text)) return *dtype;
  return field.fail("'{}' is no dtype", text);
}

Result<Hello> read_hello(const Field& root) {
  Hello hello;
  TRY(Field protocol, root.need("protocol"));
  TRY(int64_t version, protocol.integer());
  if (version != 1) return protocol.fail("protocol {} is not known here, 1 is", version);
  TRY(Field name, root.need("name"));
  TRY(hello.name, name.text());
  TRY(hello.version, text_or_empty(root, "version"));
  TRY(hello.profile, read_hello_profile(root));
  if (const auto versions = find_set(root, "versions")) {
    TRY_VOID(versions->expect_object());
    TRY_VOID(for_each_member(*versions, [&](const std::string& part, const Field& value) -> Result<void> {
      TRY(std::string text, value.text());
      hello.versions.emplace_back(part, std::move(text));
      return {};
    }));
  }
  // A worker may tell of its own version only once.
  const auto is_told = [&](const auto& part) { return part.second == hello.version; };
  if (!hello.version.empty() && std::ranges::none_of(hello.versions, is_told)) {
    hello.versions.emplace_back(hello.name, hello.version);
  }
  if (const auto dtypes = find_set(root, "dtypes")) {
    TRY(hello.dtypes, read_array(*dtypes, read_dtype));
  }
  if (const auto ops = find_set(root, "ops")) {
    TRY(hello.ops, read_array(*ops, [](const Field& op) { return op.text(); }));
  }
  if (const auto cases = find_set(root, "cases_a_program")) {
    TRY(const int64_t number, cases->integer());
    if (number < 1 || number > most_cases_a_program) {
      return cases->fail("must be a number from 1 to {}", most_cases_a_program);
    }
    hello.cases_a_program = static_cast<int>(number);
  }
  bool custom_ops = false;
  const std::pair<std::string_view, bool*> flags[] = {{"promises_identity", &hello.promises_identity},
                                                      {"gradients", &hello.gradients},
                                                      {"strided_sources", &hello.strided_sources},
                                                      {"written_inputs", &hello.written_inputs},
                                                      {"several_runs", &hello.several_runs},
                                                      {"instances", &hello.instances},
                                                      {"methods", &hello.methods},
                                                      {"counts", &hello.counts},
                                                      {"artifacts", &hello.artifacts},
                                                      {"writing_subgraphs", &hello.writing_subgraphs},
                                                      {"custom_ops", &custom_ops}};
  for (const auto& [key, flag] : flags) {
    const auto field = find_set(root, key);
    if (!field) continue;
    if (!field->json().is_boolean()) return field->fail("must be true or false");
    *flag = field->json().get<bool>();
  }
  if (const auto subgraphs = find_set(root, "subgraphs")) {
    TRY(hello.control_kinds, read_control_kinds(*subgraphs));
  }
  hello.control_kinds.set(place_of(ControlKind::Custom), custom_ops);
  if (const auto delegates = find_set(root, "delegates")) {
    TRY_VOID(delegates->expect_object());
    TRY(const Field ops, delegates->need("ops"));
    TRY(hello.delegated_ops, read_array(ops, [](const Field& op) { return op.text(); }));
    TRY(const Field dtypes, delegates->need("dtypes"));
    TRY(hello.delegated_dtypes, read_array(dtypes, read_dtype));
  }
  if (const auto switches = find_set(root, "switches")) {
    TRY_VOID(switches->expect_object());
    for (const auto& [key, _] : switches->json().items()) {
      TRY(const Field values, switches->need(key));
      TargetSwitch one{key, {}};
      TRY(one.values, read_array(values, [](const Field& value) { return value.text(); }));
      if (one.values.empty()) return values.fail("must list the default at least");
      hello.switches.push_back(std::move(one));
    }
  }
  return hello;
}

}  // namespace

std::string encode_hello(int64_t id) { return write_json(Json{{"id", id}, {"do", "hello"}}); }

namespace {

// A request to run a case, its last brace left open. The case is text already; the rest is put around it, so that it is
// not parsed again.
std::string open_request(int64_t id, const Case& test) {
  Case asked = test;
  asked.expect = {};
  for (LaterRun& run : asked.later) run.expect = {};
  asked.origin.clear();
  return fmt::format(R"({{"id":{},"do":"run","case":{})", id, to_json(asked));
}

}  // namespace

std::string encode_stages(int64_t id, const Case& test) { return open_request(id, test) + R"(,"stages":true})"; }

std::string encode_artifact(int64_t id, const Case& test, const std::filesystem::path& folder) {
  return open_request(id, test) + R"(,"artifact":)" + write_json(Json(folder.string())) + "}";
}

std::string encode_run(int64_t id, const Case& test, const std::vector<Tensor>* second, bool anew, int threads) {
  std::string request = open_request(id, test);
  if (second) {
    const std::vector<FeedSlot> slots = feed_slots(test.graph);
    PARALLAX_CHECK(slots.size() == second->size());
    Json feed = Json::object();
    for (std::size_t i = 0; i < slots.size(); ++i) feed[slots[i].name] = tensor_json((*second)[i]);
    request += R"(,"second_feed":)" + write_json(feed);
  }
  if (anew) request += R"(,"anew":true)";
  if (threads > 1) request += fmt::format(R"(,"threads":{})", threads);
  return request + "}";
}

Result<Hello> decode_hello(std::string_view reply, int64_t id) {
  TRY(Json json, parse_reply(reply, id));
  return read_hello(Field(json, ""));
}

Outcome decode_run(std::string_view reply, int64_t id, const Case& test) {
  auto outcome = [&]() -> Result<Outcome> {
    TRY(Json json, parse_reply(reply, id));
    return read_outcome(Field(json, ""), test);
  }();
  return outcome ? *std::move(outcome) : protocol_failure("a reply breaks the protocol: " + outcome.error().text());
}

Result<std::vector<StageOutcome>> decode_stages(std::string_view reply, int64_t id, const Graph& graph) {
  TRY(Json json, parse_reply(reply, id));
  const auto stages = find_set(Field(json, ""), "stages");
  if (!stages) return std::vector<StageOutcome>{};
  return read_array(*stages, [&](const Field& entry) { return read_stage(entry, graph); });
}

bool is_of_profile(const Error& error) { return error.pointer.starts_with("/profile"); }

Outcome protocol_failure(std::string message, std::string detail) {
  Outcome outcome;
  outcome.status = Status::Error;
  outcome.stage = "adapter";
  outcome.kind = protocol_kind;
  outcome.message = std::move(message);
  outcome.detail = std::move(detail);
  return outcome;
}

bool is_protocol_failure(const Outcome& outcome) {
  return outcome.status == Status::Error && outcome.kind == protocol_kind;
}

}  // namespace parallax
