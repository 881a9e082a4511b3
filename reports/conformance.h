// Conformance: what a target does with each op at each dtype, as a table: for a terminal, as JSON, and as the
// difference between two of them. As pages: reports/conformance_page.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/json_text.h"

namespace parallax {

// What became of an op's cases at one dtype, from good to bad.
enum class Conformance { Right, FellBack, Undecided, Declined, Wrong, Crashed };
inline constexpr std::size_t conformance_count = 6;
std::string_view name(Conformance cell);  // "right", "fell back" …

struct ConformanceRow {
  std::string op;
  std::array<std::optional<Conformance>, dtype_count> cells;  // by DType
  std::string why;                                            // of the first of the worst
  std::string why_declined;                                   // of the first that is declined
};

struct ConformanceTable {
  std::string target;
  std::vector<std::pair<std::string, std::string>> versions;
  std::vector<ConformanceRow> rows;
  std::map<Conformance, int64_t> calls;  // how many calls ended so; a cell is of several

  // How many cells are so.
  std::map<Conformance, int64_t> totals() const;
  // The target with its versions, for a heading.
  std::string title() const;
};

// One line a row: "aten.neg.default   f32 right; i64 declined;".
std::string conformance_line(const ConformanceRow& row);
// {"target", "totals", "ops": [{"op", "dtypes": {"f32": "right"}, "why"}], "calls", "versions"}, and back but for the calls; the error names the
// place in the text.
Json conformance_json(const ConformanceTable& table);
Result<ConformanceTable> parse_conformance(std::string_view text);

// A cell that is not what it was. Nothing: the op or the dtype was not tried.
struct ConformanceChange {
  std::string op;
  DType dtype = DType::F32;
  std::optional<Conformance> before;
  std::optional<Conformance> after;
  std::string why;  // of the row that is the worse

  bool is_worse() const { return before && after && *after > *before; }
  // It is wrong or crashes now, and did not.
  bool diverges() const;
};

struct ConformanceDifference {
  std::string before;  // titles of the tables
  std::string after;
  std::vector<ConformanceChange> changes;  // by op, then dtype
  int64_t same = 0;                        // cells
};

ConformanceDifference difference(const ConformanceTable& before, const ConformanceTable& after);
std::string difference_text(const ConformanceDifference& difference);
Json difference_json(const ConformanceDifference& difference);

}  // namespace parallax
