#include "reports/measurements.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "reports/json_lines.h"

namespace parallax {
namespace {

struct Column {
  std::string_view key;
  std::string_view heading;
  bool is_number;
  bool required;
};

constexpr std::array rediscovery_columns = {
    Column{"date", "date", false, true},
    Column{"bug", "bug", false, true},
    Column{"target", "target", false, true},
    Column{"options", "options", false, false},
    Column{"seed", "seed", true, false},
    Column{"found_after", "found after, s", true, false},
    Column{"graph", "graph", true, false},
    Column{"calls", "reduced to calls", true, false},
    Column{"reduced_in", "reduced in, s", true, false},
    Column{"note", "note", false, false},
};

constexpr std::array rate_columns = {
    Column{"date", "date", false, true},
    Column{"commit", "commit", false, false},
    Column{"target", "target", false, true},
    Column{"profile", "profile", false, false},
    Column{"seed", "seed", true, false},
    Column{"seconds", "seconds", true, false},
    Column{"known_calls", "known calls", false, true},
    Column{"graphs", "graphs", true, false},
    Column{"new_per_hour", "new findings per hour", true, true},
    Column{"silent_per_hour", "silent per hour", true, true},
};

Result<std::string> cell_of(const Column& column, const Field& value) {
  if (!column.is_number) {
    TRY(const std::string text, value.text());
    return markdown_cell(text);
  }
  TRY(const int64_t number, value.integer());
  return fmt::format("{}", number);
}

Result<std::vector<std::string>> row_of(std::span<const Column> columns, const Field& object) {
  std::vector<std::string> row(columns.size());
  TRY_VOID(for_each_member(object, [&](const std::string& key, const Field& value) -> Result<void> {
    const auto column = std::ranges::find(columns, key, &Column::key);
    if (column == columns.end()) return value.fail("'{}' is no member of a measurement", key);
    TRY(row[static_cast<std::size_t>(column - columns.begin())], cell_of(*column, value));
    return {};
  }));
  for (const Column& column : columns) {
    if (column.required) TRY_VOID(object.need(column.key));
  }
  return row;
}

Result<std::string> table_of(const std::string& file, std::string_view text, std::span<const Column> columns) {
  std::vector<std::vector<std::string>> rows;
  TRY_VOID(for_each_json_line(file, text, [&](const Field& object) -> Result<void> {
    TRY(rows.emplace_back(), row_of(columns, object));
    return {};
  }));
  std::vector<std::string_view> headings;
  for (const Column& column : columns) headings.push_back(column.heading);
  return markdown_table(headings, rows);
}

}  // namespace

Result<GeneratedPage> measurement_page(std::string_view rediscovery, std::string_view rates) {
  TRY(const std::string found_again, table_of("rediscovery.jsonl", rediscovery, rediscovery_columns));
  TRY(const std::string per_hour, table_of("rates.jsonl", rates, rate_columns));
  std::string text = generated_note("bugs/rediscovery.jsonl and bugs/rates.jsonl");
  text += R"(# Bugs found again, and new findings per hour

Measured on two shared cores that had other work. Compare numbers of one date only.

## Bugs found again

S1 to S4 are the bug reports in `corpus/cases/seeds`; tests find the same faults planted in our own compiler.
Times count from the start of the campaign, imports included. An empty "found after" means that the campaign ended without the bug.

)";
  text += found_again;
  text += R"(
## New findings per hour

Findings whose signature is new, one thread per target. Known calls are the calls to avoid in `corpus/known.jsonl`.
Rows with a commit compare that commit's program with another's on one list of known findings, the earlier one's. Their
findings were neither reduced nor put to a jury, so that one cause may have several signatures.

)";
  text += per_hour;
  return GeneratedPage{"measurements.md", std::move(text)};
}

}  // namespace parallax
