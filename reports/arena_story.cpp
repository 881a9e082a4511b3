#include "reports/arena_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace parallax {
namespace {

constexpr int least_step = 44;
constexpr int most_step = 120;
constexpr int whole_width = 880;  // that few steps are spread over
constexpr int left = 56;
constexpr int top = 40;
constexpr int least_row = 26;
constexpr int most_row = 56;
constexpr int most_steps = 40;

// Where on the page an offset lies: each stretch between two borders of blocks gets a height of its own, so that four
// bytes beside four thousand can be read.
class Rows {
 public:
  explicit Rows(const std::vector<ArenaBlock>& blocks) {
    std::set<int64_t> borders = {0};
    for (const ArenaBlock& block : blocks) borders.insert({block.offset, block.offset + block.size});
    double y = top;
    int64_t before = 0;
    for (const int64_t border : borders) {
      if (border > before) y += std::clamp(static_cast<double>(border - before), double{least_row}, double{most_row});
      places_.emplace_back(border, y);
      before = border;
    }
  }

  double y(int64_t offset) const {
    return std::ranges::lower_bound(places_, offset, {}, &std::pair<int64_t, double>::first)->second;
  }
  double bottom() const { return places_.back().second; }
  const std::vector<std::pair<int64_t, double>>& places() const { return places_; }

 private:
  std::vector<std::pair<int64_t, double>> places_;
};

class Drawing {
 public:
  Drawing(Html& html, const ArenaStory& story) : html_(html), story_(story) {
    first_ = 0;
    end_ = static_cast<int>(story.steps.size()) + 1;  // one column for the return
    if (end_ > most_steps && !story.clashes.empty()) {
      const ArenaClash& clash = story.clashes.front();
      const int from = std::max(0, std::max(clash.written_by, std::min(clash.overwritten_by, clash.read_by)) - 2);
      first_ = std::min(from, std::max(0, clash.read_by - most_steps + 2));
      first_ = std::max(0, std::min(first_, end_ - most_steps));
      end_ = first_ + most_steps;
    } else {
      end_ = std::min(end_, most_steps);
    }
    step_width_ = std::clamp(whole_width / std::max(1, end_ - first_), least_step, most_step);
    for (const ArenaBlock& block : story.blocks) {
      if (block.last >= first_ && block.first < end_) blocks_.push_back(block);
    }
  }

  void draw(std::string_view label) {
    const Rows rows(blocks_);
    const double width = x(end_) + 8;
    const double height = rows.bottom() + 12;
    const auto svg = html_.in("svg", {{"class", "arena"},
                                      {"role", "img"},
                                      {"aria-label", label},
                                      {"width", number(width)},
                                      {"height", number(height)},
                                      {"viewBox", fmt::format("0 0 {} {}", number(width), number(height))}});
    draw_grid(rows);
    const ArenaClash* clash = story_.clashes.empty() ? nullptr : &story_.clashes.front();
    for (const ArenaBlock& block : blocks_) {
      if (!is_role(block, clash)) draw_block(rows, block, "slot");
    }
    // The victim and what overwrites it lie over the others.
    if (clash) draw_clash(rows, *clash);
  }

 private:
  static std::string number(double x) { return fmt::format("{:.6g}", x); }
  double x(int step) const { return left + static_cast<double>(step_width_) * (step - first_); }

  const ArenaBlock* victim(const ArenaClash& clash) const {
    return clash.block < 0 ? nullptr : &story_.blocks[static_cast<std::size_t>(clash.block)];
  }
  bool is_culprit(const ArenaBlock& block, const ArenaClash& clash) const {
    const ArenaBlock* wanted = victim(clash);
    return wanted && !clash.in_next_run && clash.overwritten_by >= 0 && block.first <= clash.overwritten_by &&
           clash.overwritten_by <= block.last && block.name != wanted->name &&
           block.offset < wanted->offset + wanted->size && wanted->offset < block.offset + block.size;
  }
  bool is_role(const ArenaBlock& block, const ArenaClash* clash) const {
    if (!clash) return false;
    const ArenaBlock* wanted = victim(*clash);
    return (wanted && block.name == wanted->name) || is_culprit(block, *clash);
  }

  void line(double x1, double y1, double x2, double y2, std::string_view kind) {
    html_.empty("line",
                {{"class", kind}, {"x1", number(x1)}, {"y1", number(y1)}, {"x2", number(x2)}, {"y2", number(y2)}});
  }
  void label(double at_x, double at_y, std::string_view kind, std::string_view text) {
    html_.element("text", text, {{"class", kind}, {"x", number(at_x)}, {"y", number(at_y)}});
  }

  void draw_grid(const Rows& rows) {
    for (const auto& [offset, y] : rows.places()) {
      line(left, y, x(end_), y, "grid");
      label(left - 8, y + 4, "offset", fmt::format("{}", offset));
    }
    for (int step = first_; step < end_; ++step) {
      const bool is_return = step == static_cast<int>(story_.steps.size());
      if (step > static_cast<int>(story_.steps.size())) break;
      line(x(step), top, x(step), rows.bottom(), "grid");
      html_.element("text", is_return ? "ret" : step_label(step),
                    {{"class", "step"},
                     {"data-step", fmt::format("{}", step)},
                     {"x", number(x(step) + step_width_ / 2.0)},
                     {"y", number(top - 20)}});
    }
  }

  // "#3 d": the number, and what the step makes where there is room.
  std::string step_label(int step) const {
    const std::string number = fmt::format("#{}", step);
    const std::string& text = story_.steps[static_cast<std::size_t>(step)];
    const std::string full = number + " " + text.substr(0, text.find(' '));
    return full.size() * 7 < static_cast<std::size_t>(step_width_) ? full : number;
  }

  void draw_block(const Rows& rows, const ArenaBlock& block, std::string_view kind) {
    const int from = std::max(block.first, first_);
    const int to = std::min(block.last, end_ - 1) + 1;
    const double y = rows.y(block.offset);
    const double height = rows.y(block.offset + block.size) - y;
    const double width = x(to) - x(from) - 4;
    const auto group = html_.in("g", {{"class", kind},
                                      {"data-first", fmt::format("{}", block.first)},
                                      {"data-last", fmt::format("{}", block.last)}});
    html_.element("title", fmt::format("{}: bytes {} to {}, steps {} to {}", block.name, block.offset,
                                       block.offset + block.size, block.first, block.last));
    html_.empty("rect", {{"x", number(x(from) + 2)},
                         {"y", number(y + 1)},
                         {"width", number(width)},
                         {"height", number(height - 2)},
                         {"rx", "4"}});
    // A name that does not fit would lie over its neighbours.
    const auto fits = static_cast<std::size_t>(std::max(1.0, (width - 6) / 7.5));
    const std::string text = block.name.size() <= fits ? block.name : block.name.substr(0, fits - 1) + "…";
    label(x(from) + 7, y + height / 2 + 4, "name", text);
  }

  void draw_clash(const Rows& rows, const ArenaClash& clash) {
    const ArenaBlock* wanted = victim(clash);
    if (!wanted) return;
    draw_block(rows, *wanted, "slot victim");
    for (const ArenaBlock& block : blocks_) {
      if (is_culprit(block, clash)) draw_block(rows, block, "slot culprit");
    }
    const double y = rows.y(wanted->offset);
    const double end = rows.y(wanted->offset + wanted->size);
    const auto mark = [&](int step, std::string_view kind, std::string_view sign) {
      if (step < first_ || step >= end_) return;
      html_.empty("rect", {{"class", kind},
                           {"data-at", fmt::format("{}", step)},
                           {"x", number(x(step) + 1)},
                           {"y", number(y)},
                           {"width", number(step_width_ - 2)},
                           {"height", number(end - y)},
                           {"rx", "4"}});
      label(x(step) + step_width_ / 2.0, top - 4, kind, sign);
    };
    mark(clash.overwritten_by, "overwrite", "✗");
    mark(clash.read_by, "misread", "?");
  }

  Html& html_;
  const ArenaStory& story_;
  std::vector<ArenaBlock> blocks_;
  int first_ = 0;
  int end_ = 0;
  int step_width_ = least_step;
};

}  // namespace

void draw_arena(Html& html, const ArenaStory& story, std::string_view label) { Drawing(html, story).draw(label); }

}  // namespace parallax
