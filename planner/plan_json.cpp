#include "planner/plan_json.h"

#include <algorithm>
#include <unordered_map>

#include "core/json_field.h"
#include "core/tensor.h"
#include "graph/layout_json.h"
#include "graph/type_text.h"

namespace parallax {
namespace {

constexpr int64_t most_bytes = int64_t{1} << 28;

template <class Id, class Name>
Json names(const std::vector<Id>& ids, Name&& name) {
  Json list = Json::array();
  for (Id id : ids) list.push_back(name(id));
  return list;
}

class Writer {
 public:
  explicit Writer(const PlannedSchedule& planned) : schedule_(planned.schedule), plan_(planned.plan) {}

  Json write() const {
    Json json = {{"plan", 1}, {"arenas", Json::object()}};
    for (std::size_t a = 0; a < arena_count; ++a) {
      const ArenaUse& arena = plan_.arenas[a];
      if (arena != ArenaUse()) {
        json["arenas"][std::string(arena_names[a])] = {{"bytes", arena.size}, {"alignment", arena.alignment}};
      }
    }
    json["storages"] = Json::array();
    for (std::size_t s = 0; s < schedule_.storages.size(); ++s) json["storages"].push_back(storage(StorageId(s)));
    json["values"] = Json::array();
    for (const ScheduledValue& value : schedule_.values) json["values"].push_back(this->value(value));
    json["steps"] = Json::array();
    for (const ScheduledStep& step : schedule_.steps) json["steps"].push_back(this->step(step));
    json["outputs"] = values(schedule_.outputs);
    json["reuses"] = Json::array();
    for (const Reuse& reuse : plan_.reuses) {
      json["reuses"].push_back({{"step", schedule_.steps[reuse.node.index].name},
                                {"operand", schedule_.storage(reuse.operand).name},
                                {"result", schedule_.storage(reuse.result).name}});
    }
    return json;
  }

 private:
  Json values(const std::vector<ValueId>& ids) const {
    return names(ids, [&](ValueId id) { return schedule_.value(id).name; });
  }

  Json storage(StorageId id) const {
    const ScheduledStorage& storage = schedule_.storage(id);
    const auto& [arena, slot] = plan_.placement(id);
    return {{"name", storage.name},
            {"bytes", storage.bytes},
            {"given", storage.given},
            {"arena", std::string(name(arena))},
            {"slot", {slot.offset, slot.size}}};
  }

  Json value(const ScheduledValue& value) const {
    Json strides = Json::array();
    for (int64_t stride : value.layout.strides) strides.push_back(stride);
    return {{"name", value.name},
            {"storage", schedule_.storage(value.storage).name},
            {"type", type_text(value.dtype, value.layout.sizes)},
            {"strides", std::move(strides)},
            {"offset", value.layout.offset}};
  }

  Json step(const ScheduledStep& step) const {
    Json json = {{"name", step.name}};
    if (!step.makes.empty()) {
      json["makes"] = names(step.makes, [&](StorageId id) { return schedule_.storage(id).name; });
    }
    if (!step.reads.empty()) json["reads"] = values(step.reads);
    if (!step.writes.empty()) json["writes"] = values(step.writes);
    if (!step.elementwise.empty()) json["elementwise"] = values(step.elementwise);
    return json;
  }

  const Schedule& schedule_;
  const Plan& plan_;
};

Result<int64_t> integer_in(const Field& field, int64_t low, int64_t high) {
  TRY(const int64_t value, field.integer());
  if (value < low || value > high) return field.fail("{} is not in [{}, {}]", value, low, high);
  return value;
}

// What has a name, and the number that it is known by.
template <class Id>
class Names {
 public:
  explicit Names(std::string_view kind) : kind_(kind) {}

  Result<void> add(const Field& field, const std::string& name) {
    if (!ids_.emplace(name, Id(ids_.size())).second) return field.fail("a second {} is called '{}'", kind_, name);
    return {};
  }
  Result<Id> find(const Field& field) const {
    TRY(const std::string name, field.text());
    const auto found = ids_.find(name);
    if (found == ids_.end()) return field.fail("no {} is called '{}'", kind_, name);
    return found->second;
  }
  // The list under that key, which may be left out.
  Result<std::vector<Id>> list(const Field& object, std::string_view key) const {
    std::vector<Id> ids;
    const std::optional<Field> field = object.find(key);
    if (!field) return ids;
    TRY_VOID(field->expect_array());
    for (std::size_t i = 0; i < field->json().size(); ++i) {
      TRY(const Id id, find(field->element(i)));
      ids.push_back(id);
    }
    return ids;
  }

 private:
  std::string_view kind_;
  std::unordered_map<std::string, Id> ids_;
};

class Reader {
 public:
  Result<PlannedSchedule> read(const Field& root) {
    TRY(const Field version, root.need("plan"));
    TRY_VOID(integer_in(version, 1, 1));
    TRY_VOID(read_arenas(root));
    TRY_VOID(each(root, "storages", [&](const Field& field) { return read_storage(field); }));
    TRY_VOID(each(root, "values", [&](const Field& field) { return read_value(field); }));
    TRY_VOID(each(root, "steps", [&](const Field& field) { return read_step(field); }));
    TRY(planned_.schedule.outputs, values_.list(root, "outputs"));
    if (root.find("reuses")) TRY_VOID(each(root, "reuses", [&](const Field& field) { return read_reuse(field); }));
    return std::move(planned_);
  }

 private:
  template <class Visit>
  Result<void> each(const Field& root, std::string_view key, Visit&& visit) {
    TRY(const Field list, root.need(key));
    TRY_VOID(list.expect_array());
    for (std::size_t i = 0; i < list.json().size(); ++i) TRY_VOID(visit(list.element(i)));
    return {};
  }

  template <class Id>
  static Result<std::string> read_name(const Field& field, Names<Id>& names) {
    TRY(const Field entry, field.need("name"));
    TRY(std::string name, entry.text());
    TRY_VOID(names.add(entry, name));
    return name;
  }

  static Result<Arena> read_arena_name(const Field& field, const std::string& text) {
    const auto found = std::ranges::find(arena_names, text);
    if (found == arena_names.end()) return field.fail("no arena is called '{}'", text);
    return static_cast<Arena>(found - arena_names.begin());
  }

  Result<void> read_arenas(const Field& root) {
    TRY(const Field arenas, root.need("arenas"));
    TRY_VOID(arenas.expect_object());
    return for_each_member(arenas, [&](const std::string& key, const Field& field) -> Result<void> {
      TRY(const Arena arena, read_arena_name(field, key));
      TRY(const Field bytes, field.need("bytes"));
      TRY(const Field alignment, field.need("alignment"));
      TRY(planned_.plan.arena(arena).size, integer_in(bytes, 0, most_bytes));
      TRY(planned_.plan.arena(arena).alignment, integer_in(alignment, 1, most_bytes));
      return {};
    });
  }

  Result<void> read_storage(const Field& field) {
    ScheduledStorage storage;
    TRY(storage.name, read_name(field, storages_));
    TRY(const Field bytes, field.need("bytes"));
    TRY(storage.bytes, integer_in(bytes, 0, most_bytes));
    if (const std::optional<Field> given = field.find("given")) {
      if (!given->json().is_boolean()) return given->fail("must be true or false");
      storage.given = given->json().get<bool>();
    }
    Placement placement;
    TRY(const Field arena, field.need("arena"));
    TRY(const std::string arena_name, arena.text());
    TRY(placement.arena, read_arena_name(arena, arena_name));
    TRY(const Field slot, field.need("slot"));
    TRY_VOID(slot.expect_array());
    if (slot.json().size() != 2) return slot.fail("must be [offset, size]");
    // Offsets that make no sense are for the checker; only their sums must not overflow.
    TRY(placement.slot.offset, integer_in(slot.element(0), -most_bytes, most_bytes));
    TRY(placement.slot.size, integer_in(slot.element(1), 0, most_bytes));
    planned_.schedule.storages.push_back(std::move(storage));
    planned_.plan.placements.push_back(placement);
    return {};
  }

  Result<void> read_value(const Field& field) {
    ScheduledValue value;
    TRY(value.name, read_name(field, values_));
    TRY(const Field storage, field.need("storage"));
    TRY(value.storage, storages_.find(storage));
    TRY(const Field type_field, field.need("type"));
    TRY(const std::string text, type_field.text());
    const Result<TensorType> type = parse_type(text);
    if (!type) return at(type_field.pointer(), type.error());
    value.dtype = type->dtype;
    TRY(value.layout, read_layout(field, type->sizes));
    const int64_t bytes = planned_.schedule.storage(value.storage).bytes;
    if (type->numel > 0 && value.layout.extent() > bytes / size_of(value.dtype)) {
      return field.fail("reaches past the {} bytes of storage '{}'", bytes,
                        planned_.schedule.storage(value.storage).name);
    }
    planned_.schedule.values.push_back(std::move(value));
    return {};
  }

  Result<void> read_step(const Field& field) {
    ScheduledStep step;
    TRY(step.name, read_name(field, steps_));
    TRY(step.makes, storages_.list(field, "makes"));
    TRY(step.reads, values_.list(field, "reads"));
    TRY(step.writes, values_.list(field, "writes"));
    TRY(step.elementwise, values_.list(field, "elementwise"));
    for (StorageId made : step.makes) {
      const ScheduledStorage& storage = planned_.schedule.storage(made);
      if (storage.given) return field.fail("makes '{}', which is given", storage.name);
    }
    for (ValueId value : step.elementwise) {
      const std::string& name = planned_.schedule.value(value).name;
      if (std::ranges::find(step.reads, value) == step.reads.end()) return field.fail("does not read '{}'", name);
      if (step.writes.size() != 1 ||
          planned_.schedule.value(step.writes.front()).layout.sizes != planned_.schedule.value(value).layout.sizes) {
        return field.fail("'{}' has not the sizes of the one value that is written", name);
      }
    }
    planned_.schedule.steps.push_back(std::move(step));
    return {};
  }

  Result<void> read_reuse(const Field& field) {
    TRY(const Field step, field.need("step"));
    TRY(const Field operand, field.need("operand"));
    TRY(const Field result, field.need("result"));
    Reuse reuse;
    TRY(reuse.node, steps_.find(step));
    TRY(reuse.operand, storages_.find(operand));
    TRY(reuse.result, storages_.find(result));
    planned_.plan.reuses.push_back(reuse);
    return {};
  }

  PlannedSchedule planned_;
  Names<StorageId> storages_{"storage"};
  Names<ValueId> values_{"value"};
  Names<NodeId> steps_{"step"};
};

}  // namespace

Json plan_json(const PlannedSchedule& planned) { return Writer(planned).write(); }

Result<PlannedSchedule> read_plan(const Json& json) { return Reader().read(Field(json, "")); }

}  // namespace parallax
