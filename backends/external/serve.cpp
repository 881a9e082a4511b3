#include "backends/external/serve.h"

#include <fmt/format.h>

#include <array>

#include "core/json_field.h"
#include "graph/base64.h"
#include "graph/case_json.h"
#include "graph/runs.h"
#include "graph/tensor_json.h"
#include "ops/registry.h"

namespace parallax {
namespace {

Json encode(const Tensor& tensor) {
  return {{"type", type_text(tensor.dtype, tensor.sizes)}, {"data", {{"b64", encode_base64(tensor.bytes)}}}};
}

Json encode(const std::vector<Tensor>& tensors) {
  Json list = Json::array();
  for (const Tensor& tensor : tensors) list.push_back(encode(tensor));
  return list;
}

Json encode_state(const Graph& graph, SourceKind kind, const std::vector<std::optional<Tensor>>& tensors) {
  Json object = Json::object();
  auto tensor = tensors.begin();
  for (const Source& source : graph.sources) {
    if (source.kind != kind || tensor == tensors.end()) continue;
    object[graph.name(source.value)] = *tensor ? encode(**tensor) : Json();
    ++tensor;
  }
  return object;
}

Json encode(const Graph& graph, const Observation& run) {
  Json json = {{"outputs", encode(run.outputs)},
               {"inputs", encode_state(graph, SourceKind::Input, run.inputs)},
               {"buffers", encode_state(graph, SourceKind::Buffer, run.buffers)}};
  if (!run.identity.empty()) json["identity"] = run.identity;
  return json;
}

// Of the runs after the first.
Json encode_runs(const Case& test, const std::vector<Observation>& runs) {
  Json list = Json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) list.push_back(encode(called_graph(test, i + 1), runs[i]));
  return list;
}

Json encode(const Case& test, const Outcome& outcome) {
  const Graph& graph = test.graph;
  Json json = Json::object();
  if (outcome.status == Status::Ok) {
    json = encode(graph, *outcome.a);
    json["status"] = "ok";
    if (!outcome.a_kept.empty()) json["kept"] = encode(outcome.a_kept);
    if (outcome.b) json["b"] = encode(graph, *outcome.b);
    if (outcome.a_again) json["again"] = encode(graph, *outcome.a_again);
    if (!outcome.later.empty()) json["later"] = encode_runs(test, outcome.later);
    for (const auto& kept : outcome.later_kept) json["later_kept"].push_back(encode(kept));
    if (!outcome.later_again.empty()) json["later_again"] = encode_runs(test, outcome.later_again);
    if (outcome.delegated >= 0) json["delegated"] = outcome.delegated;
    if (outcome.fused >= 0) json["fused"] = outcome.fused;
    if (outcome.fusable >= 0) json["fusable"] = outcome.fusable;
    json["ms"] = {{"all", outcome.milliseconds}};
    return json;
  }
  const bool refused = outcome.status == Status::Unsupported || outcome.status == Status::Rejected;
  json["status"] = outcome.status == Status::Rejected ? "rejected" : refused ? "unsupported" : "error";
  json["stage"] = outcome.stage;
  json["kind"] = outcome.kind;
  json["message"] = outcome.message;
  return json;
}

Result<std::vector<Tensor>> read_feed(const Field& feed, const Graph& graph) {
  std::vector<Tensor> tensors;
  for (const FeedSlot& slot : feed_slots(graph)) {
    TRY(const Field data, feed.need(slot.name));
    TRY(tensors.emplace_back(), read_tensor(data, {slot.dtype, slot.layout.sizes, slot.layout.numel()}));
  }
  return tensors;
}

Result<Json> answer_run(Target& target, const Field& request) {
  TRY(const Field written, request.need("case"));
  TRY(const Case test, parse_case(write_json(written.json())));
  std::optional<std::vector<Tensor>> second;
  if (const auto feed = request.find("second_feed")) {
    TRY_VOID(feed->expect_object());
    TRY(second, read_feed(*feed, test.graph));
  }
  return encode(test, target.run(test, second ? &*second : nullptr));
}

Result<Json> answer(Target& target, std::string_view version, const Field& request) {
  TRY_VOID(request.expect_object());
  TRY(const std::string wanted, request.need_text("do"));
  if (wanted == "run") return answer_run(target, request);
  if (wanted != "hello") return fail("'{}' is nothing that a worker does", wanted);
  return Json{{"protocol", 1},
              {"name", target.name()},
              {"version", version},
              {"dtypes", nullptr},
              {"ops", nullptr},
              {"profile", target.profile().name},
              {"promises_identity", target.promises_identity()},
              {"several_runs", target.takes_several_runs()},
              {"instances", target.takes_instances()},
              {"methods", target.takes_methods()},
              {"counts", target.takes(op_named("aten.nonzero.default"))},
              {"subgraphs", names_of(target.control_kinds() & branches_and_loops)},
              {"custom_ops", target.control_kinds().test(place_of(ControlKind::Custom))}};
}

Json reply_to(Target& target, std::string_view version, const std::string& line) {
  const Result<Json> request = parse_json(line);
  Result<Json> reply = request ? answer(target, version, Field(*request, "")) : std::unexpected(request.error());
  if (!reply) reply = {{"status", "unsupported"}, {"stage", "adapter"}, {"message", reply.error().text()}};
  if (request && request->is_object() && request->contains("id")) (*reply)["id"] = (*request)["id"];
  return *std::move(reply);
}

}  // namespace

void serve(Target& target, std::string_view version, std::istream& requests, std::ostream& replies) {
  for (std::string line; std::getline(requests, line);) {
    replies << write_json(reply_to(target, version, line)) << std::endl;
  }
}

}  // namespace parallax
