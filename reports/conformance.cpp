#include "reports/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json_field.h"

namespace parallax {
namespace {

constexpr std::array<std::string_view, conformance_count> names = {"right",    "fell back", "undecided",
                                                                   "declined", "wrong",     "crashed"};

std::string_view cell_name(const std::optional<Conformance>& cell) { return cell ? name(*cell) : "not tried"; }

Result<Conformance> read_cell(const Field& field) {
  TRY(const std::string text, field.text());
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return field.fail("'{}' is none of {}", text, fmt::join(names, ", "));
  return static_cast<Conformance>(found - names.begin());
}

Result<ConformanceRow> read_row(const Field& field) {
  TRY_VOID(field.expect_object());
  ConformanceRow row;
  TRY(const Field op, field.need("op"));
  TRY(row.op, op.text());
  if (const auto why = field.find("why")) {
    TRY(row.why, why->text());
  }
  TRY(const Field dtypes, field.need("dtypes"));
  TRY_VOID(dtypes.expect_object());
  TRY_VOID(for_each_member(dtypes, [&](const std::string& key, const Field& cell) -> Result<void> {
    const auto dtype = parse_dtype(key);
    if (!dtype) return cell.fail("'{}' is no dtype", key);
    TRY(row.cells[static_cast<std::size_t>(*dtype)], read_cell(cell));
    return {};
  }));
  return row;
}

Result<ConformanceTable> read_table(const Field& root) {
  TRY_VOID(root.expect_object());
  ConformanceTable table;
  TRY(const Field target, root.need("target"));
  TRY(table.target, target.text());
  if (const auto versions = root.find("versions")) {
    TRY_VOID(versions->expect_object());
    TRY_VOID(for_each_member(*versions, [&](const std::string& part, const Field& field) -> Result<void> {
      TRY(std::string version, field.text());
      table.versions.emplace_back(part, std::move(version));
      return {};
    }));
  }
  TRY(const Field ops, root.need("ops"));
  TRY_VOID(ops.expect_array());
  for (std::size_t i = 0; i < ops.json().size(); ++i) {
    TRY(table.rows.emplace_back(), read_row(ops.element(i)));
  }
  return table;
}

std::string change_text(const ConformanceChange& change) {
  return fmt::format("{:48} {:5} {} → {}{}{}\n", change.op, name(change.dtype), cell_name(change.before),
                     cell_name(change.after), change.why.empty() ? "" : "  ",
                     change.why.substr(0, change.why.find('\n')));
}

}  // namespace

std::string_view name(Conformance cell) { return names[static_cast<std::size_t>(cell)]; }

std::map<Conformance, int64_t> ConformanceTable::totals() const {
  std::map<Conformance, int64_t> totals;
  for (const ConformanceRow& row : rows) {
    for (const auto& cell : row.cells) {
      if (cell) ++totals[*cell];
    }
  }
  return totals;
}

std::string ConformanceTable::title() const {
  std::string text = target;
  for (const auto& [part, version] : versions) text += fmt::format(", {} {}", part, version);
  return text;
}

std::string conformance_line(const ConformanceRow& row) {
  std::string text = fmt::format("{:48}", row.op);
  for (std::size_t d = 0; d < dtype_count; ++d) {
    if (row.cells[d]) text += fmt::format(" {} {};", name(static_cast<DType>(d)), name(*row.cells[d]));
  }
  return text + "\n";
}

Json conformance_json(const ConformanceTable& table) {
  Json ops = Json::array();
  for (const ConformanceRow& row : table.rows) {
    Json json = {{"op", row.op}, {"dtypes", Json::object()}};
    for (std::size_t d = 0; d < dtype_count; ++d) {
      if (row.cells[d]) json["dtypes"][std::string(name(static_cast<DType>(d)))] = name(*row.cells[d]);
    }
    if (!row.why.empty()) json["why"] = row.why;
    ops.push_back(std::move(json));
  }
  Json json = {{"target", table.target}, {"totals", Json::object()}, {"ops", std::move(ops)}};
  for (const auto& [cell, count] : table.totals()) json["totals"][std::string(name(cell))] = count;
  for (const auto& [cell, count] : table.calls) json["calls"][std::string(name(cell))] = count;
  for (const auto& [part, version] : table.versions) json["versions"][part] = version;
  return json;
}

Result<ConformanceTable> parse_conformance(std::string_view text) {
  TRY(const Json document, parse_json(text));
  return read_table(Field(document, ""));
}

bool ConformanceChange::diverges() const {
  const auto is_bad = [](const std::optional<Conformance>& cell) { return cell && *cell >= Conformance::Wrong; };
  return is_bad(after) && !is_bad(before);
}

ConformanceDifference difference(const ConformanceTable& before, const ConformanceTable& after) {
  std::map<std::string, std::pair<const ConformanceRow*, const ConformanceRow*>> rows;
  for (const ConformanceRow& row : before.rows) rows[row.op].first = &row;
  for (const ConformanceRow& row : after.rows) rows[row.op].second = &row;
  ConformanceDifference result{before.title(), after.title(), {}, 0};
  const ConformanceRow nothing;
  for (const auto& [op, both] : rows) {
    const ConformanceRow& was = both.first ? *both.first : nothing;
    const ConformanceRow& is = both.second ? *both.second : nothing;
    for (std::size_t d = 0; d < dtype_count; ++d) {
      if (was.cells[d] == is.cells[d]) {
        result.same += was.cells[d].has_value();
        continue;
      }
      ConformanceChange change{op, static_cast<DType>(d), was.cells[d], is.cells[d], {}};
      change.why = is.cells[d] == Conformance::Right ? was.why : is.why;
      result.changes.push_back(std::move(change));
    }
  }
  return result;
}

std::string difference_text(const ConformanceDifference& difference) {
  std::string text = fmt::format("from {}\nto   {}\n", difference.before, difference.after);
  for (const ConformanceChange& change : difference.changes) text += change_text(change);
  const auto worse = std::ranges::count_if(difference.changes, &ConformanceChange::is_worse);
  return text + fmt::format("{} changed, {} of them for the worse, {} the same\n", difference.changes.size(), worse,
                            difference.same);
}

Json difference_json(const ConformanceDifference& difference) {
  Json changes = Json::array();
  for (const ConformanceChange& change : difference.changes) {
    Json json = {{"op", change.op}, {"dtype", name(change.dtype)}};
    json["before"] = change.before ? Json(name(*change.before)) : Json(nullptr);
    json["after"] = change.after ? Json(name(*change.after)) : Json(nullptr);
    json["worse"] = change.is_worse();
    if (!change.why.empty()) json["why"] = change.why;
    changes.push_back(std::move(json));
  }
  return {{"before", difference.before}, {"after", difference.after}, {"same", difference.same}, {"changes", changes}};
}

}  // namespace parallax
