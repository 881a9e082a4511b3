// CellCases: the cases that the cells of a heat map (op × dtype) open: of each op one page with a part for each dtype.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "reports/html.h"

namespace parallax {

struct CellCase {
  std::string said;     // "undecided: …", "never drawn"
  std::string program;  // for people
  std::string json;     // the case file; empty where the command alone tells it
  std::string command;  // that prints the case file
};

struct OpCells {
  std::string op;
  std::array<std::optional<CellCase>, dtype_count> cells;  // by DType
};

// A cell's text in the table, a link where there is a case.
void write_map_cell(Html& html, std::string_view op, DType dtype, std::string_view text, std::string_view kind,
                    bool opens);

// Each op's page, as an article. `back` is where the table stands: "#coverage".
void write_cell_pages(Html& html, const std::vector<OpCells>& ops, std::string_view back);

// Whether an op's cell has a case. `ops` are sorted by name.
bool has_case(const std::vector<OpCells>& ops, std::string_view op, DType dtype);

}  // namespace parallax
