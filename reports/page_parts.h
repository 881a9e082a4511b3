// Page parts: what the pages are put together from.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "reports/html.h"
#include "reports/standing.h"

namespace parallax {

// "1 node", "2 nodes".
std::string plural(std::size_t count, std::string_view what);

// The head of a page: whose it is, what it is of, and a line more.
void write_top(Html& html, std::string_view heading, std::string_view line);

// A box that scrolls by itself, so that the page never does sideways. `label` names it for who reaches it by keyboard.
Html::Scope scroll_box(Html& html, std::string_view label, std::string_view kind = "scroll");

// The first row of a table.
void write_columns(Html& html, std::initializer_list<std::string_view> columns);

// One number of a list of numbers, within a <dl class="numbers">.
void write_number(Html& html, std::string_view number, std::string_view what);

// A small label, and that of a standing; nothing for Unknown.
void write_badge(Html& html, std::string_view text, std::string_view kind);
void write_standing(Html& html, Standing standing);

}  // namespace parallax
