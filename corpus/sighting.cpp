#include "corpus/sighting.h"

#include <algorithm>
#include <array>
#include <climits>

#include "core/json_field.h"

namespace parallax {
namespace {

// By RunKind, PlaceKind and ElementState.
constexpr std::array<std::string_view, 8> run_names = {"a",
                                                       "b",
                                                       "later",
                                                       "a kept after b",
                                                       "a kept after the last",
                                                       "later kept",
                                                       "a on a fresh instance",
                                                       "later on a fresh instance"};
static_assert(run_names.size() == static_cast<std::size_t>(RunKind::LaterOnFreshInstance) + 1);
constexpr std::array<std::string_view, 5> place_names = {"output", "input", "buffer", "gradient", "outputs"};
constexpr std::array<std::string_view, 3> state_names = {"inside", "outside", "undecided"};

template <class Kind, std::size_t count>
Result<Kind> read_name(const Field& field, const std::array<std::string_view, count>& names) {
  TRY(const std::string text, field.text());
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return field.fail("'{}' is none of {}", text, fmt::join(names, ", "));
  return static_cast<Kind>(found - names.begin());
}

template <std::size_t count>
std::string_view name_in(const std::array<std::string_view, count>& names, auto kind) {
  return names[static_cast<std::size_t>(kind)];
}

Result<int64_t> read_count(const Field& object, std::string_view key) {
  TRY(const Field field, object.need(key));
  TRY(const int64_t count, field.integer());
  if (count < 0) return field.fail("must not be negative");
  return count;
}

Json row_json(const ElementRow& row) {
  return {row.index, row.expected, row.bound, row.got, row.ulp, name_in(state_names, row.state)};
}

Result<ElementRow> read_row(const Field& field) {
  constexpr std::size_t members = 6;
  TRY_VOID(field.expect_array());
  if (field.json().size() != members) return field.fail("must have {} members", members);
  ElementRow row;
  const std::array<std::string*, members - 1> texts = {&row.index, &row.expected, &row.bound, &row.got, &row.ulp};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    TRY(*texts[i], field.element(i).text());
  }
  TRY(row.state, read_name<ElementState>(field.element(members - 1), state_names));
  return row;
}

Json tensor_json(const TensorElements& tensor) {
  Json json = {{"run", name_in(run_names, tensor.run.kind)},
               {"number", tensor.run.number},
               {"place", name_in(place_names, tensor.place.kind)},
               {"index", tensor.place.index},
               {"name", tensor.place.name},
               {"type", tensor.type},
               {"total", tensor.total},
               {"outside", tensor.outside},
               {"undecided", tensor.undecided}};
  if (!tensor.other.empty()) json["other"] = tensor.other;
  json["rows"] = Json::array();
  for (const ElementRow& row : tensor.rows) json["rows"].push_back(row_json(row));
  return json;
}

Result<TensorElements> read_tensor(const Field& field) {
  TRY_VOID(field.expect_object());
  TensorElements tensor;
  TRY(const Field run, field.need("run"));
  TRY(tensor.run.kind, read_name<RunKind>(run, run_names));
  TRY(const int64_t number, read_count(field, "number"));
  TRY(const Field place, field.need("place"));
  TRY(tensor.place.kind, read_name<PlaceKind>(place, place_names));
  TRY(const int64_t index, read_count(field, "index"));
  if (number > INT_MAX || index > INT_MAX) return field.fail("has a number that is too large");
  tensor.run.number = static_cast<int>(number);
  tensor.place.index = static_cast<int>(index);
  TRY(tensor.place.name, field.need_text("name"));
  TRY(tensor.type, field.need_text("type"));
  TRY(tensor.total, read_count(field, "total"));
  TRY(tensor.outside, read_count(field, "outside"));
  TRY(tensor.undecided, read_count(field, "undecided"));
  if (field.find("other")) {
    TRY(tensor.other, field.need_text("other"));
  }
  TRY(const Field rows, field.need("rows"));
  TRY(tensor.rows, read_array(rows, read_row));
  return tensor;
}

Json stage_json(const StageReport& stage) {
  Json json = {{"name", stage.name}, {"said", stage.said}, {"wrong", stage.wrong}};
  if (!stage.lines.empty()) json["lines"] = stage.lines;
  return json;
}

Result<StageReport> read_stage(const Field& field) {
  TRY_VOID(field.expect_object());
  StageReport stage;
  TRY(stage.name, field.need_text("name"));
  TRY(stage.said, field.need_text("said"));
  TRY(const Field wrong, field.need("wrong"));
  if (!wrong.json().is_boolean()) return wrong.fail("must be true or false");
  stage.wrong = wrong.json().get<bool>();
  const auto lines = field.find("lines");
  if (!lines) return stage;
  TRY(stage.lines, read_array(*lines, [](const Field& line) { return line.text(); }));
  return stage;
}

}  // namespace

std::string sighting_json(const Sighting& sighting) {
  Json json = Json::object();
  if (!sighting.detail.empty()) json["detail"] = sighting.detail;
  json["tensors"] = Json::array();
  for (const TensorElements& tensor : sighting.tensors) json["tensors"].push_back(tensor_json(tensor));
  json["stages"] = Json::array();
  for (const StageReport& stage : sighting.stages) json["stages"].push_back(stage_json(stage));
  return write_json(json, 2) + "\n";
}

Result<Sighting> parse_sighting(std::string_view json) {
  TRY(const Json document, parse_json(json));
  const Field root(document, "");
  TRY_VOID(root.expect_object());
  Sighting sighting;
  if (root.find("detail")) {
    TRY(sighting.detail, root.need_text("detail"));
  }
  TRY(const Field tensors, root.need("tensors"));
  TRY(sighting.tensors, read_array(tensors, read_tensor));
  TRY(const Field stages, root.need("stages"));
  TRY(sighting.stages, read_array(stages, read_stage));
  return sighting;
}

}  // namespace parallax
