#include "planner/exact_search.h"

#include <algorithm>

#include "core/choices.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

constexpr std::size_t most_memories = std::size_t{1} << 20;

}  // namespace

ExactSearch::ExactSearch(const PackingProblem& problem) : boxes_(problem.blocks.size()), neighbours_(boxes_.size()) {
  make_sections(problem);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    boxes_[i].size = problem.blocks[i].size;
    boxes_[i].alignment = problem.blocks[i].alignment;
    for (std::size_t j = 0; j < boxes_.size(); ++j) {
      if (i != j && (j < i || taken_unless_dropped<"neighbours_before_only">()) &&
          problem.blocks[i].range.overlaps(problem.blocks[j].range)) {
        neighbours_[i].push_back(static_cast<int>(j));
      }
    }
  }
  find_twins();
  offsets_.assign(boxes_.size(), 0);
}

void ExactSearch::make_sections(const PackingProblem& problem) {
  std::vector<int64_t> ends;
  for (const Block& block : problem.blocks) {
    ends.push_back(block.range.first);
    ends.push_back(int64_t{block.range.last} + 1);
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const auto section_at = [&](int64_t step) {
    return static_cast<int>(std::ranges::lower_bound(ends, step) - ends.begin());
  };
  section_count_ = std::max(static_cast<int>(ends.size()) - 1, 0);
  crossing_.assign(static_cast<std::size_t>(section_count_), 0);
  stack_.assign(static_cast<std::size_t>(section_count_), 0);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    Box& box = boxes_[i];
    box.first = section_at(problem.blocks[i].range.first);
    box.end = section_at(int64_t{problem.blocks[i].range.last} + 1);
    for (int s = box.first; s + 1 < box.end; ++s) ++crossing_[static_cast<std::size_t>(s)];
  }
}

void ExactSearch::find_twins() {
  for (int i = 0; i < static_cast<int>(boxes_.size()); ++i) {
    for (int j : neighbours_[static_cast<std::size_t>(i)]) {
      const Box& other = box(j);
      const bool equal = box(i).first == other.first && box(i).end == other.end && box(i).size == other.size &&
                         box(i).alignment == other.alignment;
      if (equal && j < i) box(i).twin = std::max(box(i).twin, j);
    }
  }
}

void ExactSearch::rank(const Open& part) {
  std::ranges::fill(stack_, 0);
  for (const Ranked& ranked : part) {
    const Box& box = this->box(ranked.box);
    for (int s = box.first; s < box.end; ++s) stack_[static_cast<std::size_t>(s)] += box.size;
  }
  std::vector<std::pair<std::array<int64_t, 3>, int>> sorted;
  for (const Ranked& ranked : part) {
    const Box& box = this->box(ranked.box);
    std::array<int64_t, 3> keys = order_->keys[static_cast<std::size_t>(ranked.box)];
    const auto crowd = std::max_element(stack_.begin() + box.first, stack_.begin() + box.end);
    std::ranges::replace(keys, SearchOrder::crowd, *crowd);
    const double scaled = static_cast<double>(keys[0]) * order_->scale[static_cast<std::size_t>(ranked.box)];
    keys[0] = static_cast<int64_t>(std::min(scaled, 0x1p62));
    for (int64_t& key : keys) key = -key;
    sorted.push_back({keys, ranked.box});
  }
  std::ranges::sort(sorted);
  for (std::size_t r = 0; r < sorted.size(); ++r) box(sorted[r].second).rank = static_cast<int>(r);
}

void ExactSearch::set_low(int i, int64_t low) {
  Box& box = this->box(i);
  box.low = low;
  box.low_key = mix(static_cast<uint64_t>(i), static_cast<uint64_t>(low));
  box.high_key = mix(box.low_key, static_cast<uint64_t>(i));
}

// `changed` grows to hold the sections of the box, if its bound rises.
void ExactSearch::raise_least(int i, int64_t least, Span& changed) {
  Box& box = this->box(i);
  if (least <= box.least) return;
  trail_.push_back({i, box.low, box.least});
  box.least = least;
  changed = {std::min(changed.first, box.first), std::max(changed.end, box.end)};
}

void ExactSearch::undo(std::size_t mark) {
  while (trail_.size() > mark) {
    const Change& change = trail_.back();
    if (box(change.box).low != change.low) set_low(change.box, change.low);
    box(change.box).least = change.least;
    trail_.pop_back();
  }
}

ExactSearch::Answer ExactSearch::run(int64_t capacity, const SearchOrder& order, int64_t max_steps) {
  capacity_ = capacity;
  order_ = &order;
  last_step_ = steps_ + max_steps;
  failed_.clear();
  trail_.clear();
  Open open;
  for (int i = 0; i < static_cast<int>(boxes_.size()); ++i) {
    set_low(i, 0);
    box(i).least = 0;
    open.push_back({0, i, i});
  }
  return search_parts(open, {0, section_count_}, {}, {0, section_count_});
}

// A branch changes the bounds of few boxes: those are sorted and merged with the rest.
void ExactSearch::sort(Open& open) {
  moved_.clear();
  kept_.clear();
  for (Ranked ranked : open) {
    const int64_t least = box(ranked.box).least;
    (least == ranked.least ? kept_ : moved_).push_back({least, ranked.rank, ranked.box});
  }
  if (moved_.empty()) return;
  std::ranges::sort(moved_);
  std::ranges::merge(kept_, moved_, open.begin());
}

// A box whose place in the order is past comes to lie on an open one. False where it has none to lie on.
bool ExactSearch::raise_passed_over(const Open& open, Place from, Span& changed) {
  for (const auto& [least, rank, i] : open) {
    const Box& passed = box(i);
    if (!passed_over(passed, from)) continue;
    int64_t support = INT64_MAX;
    for (int j : neighbours_[static_cast<std::size_t>(i)]) {
      const Box& under = box(j);
      if (under.open) support = std::min(support, std::max(under.least, from.offset) + under.size);
    }
    if (support > capacity_ - passed.size) return false;
    raise_least(i, align_up(support, passed.alignment), changed);
  }
  return true;
}

// `open` is sorted by `least`. Only the changed sections can have come to be too high.
bool ExactSearch::fits(const Open& open, Span changed) {
  std::fill(stack_.begin() + changed.first, stack_.begin() + std::max(changed.first, changed.end), 0);
  for (const Ranked& ranked : open) {
    const Box& box = this->box(ranked.box);
    const int end = std::min(box.end, changed.end);
    for (int s = std::max(box.first, changed.first); s < end; ++s) {
      int64_t& height = stack_[static_cast<std::size_t>(s)];
      height = std::max(height, box.least) + box.size;
      if (height > capacity_) return false;
    }
  }
  return true;
}

ExactSearch::Answer ExactSearch::search_parts(const Open& open, Span sections, Place from, Span changed) {
  int first = sections.first;
  for (int s = sections.first; s < sections.end; ++s) {
    if (s + 1 < sections.end && crossing_[static_cast<std::size_t>(s)] > 0) continue;
    Open part;
    for (const Ranked& ranked : open) {
      const Box& inside = box(ranked.box);
      if (inside.first >= first && inside.end <= s + 1) part.push_back(ranked);
    }
    const Span part_changed = {std::max(changed.first, first), std::min(changed.end, s + 1)};
    if (!part.empty()) {
      const Answer answer = search_part(std::move(part), {first, s + 1}, from, part_changed);
      if (answer != Answer::Found) return answer;
    }
    first = s + 1;
  }
  return Answer::Found;
}

// The order begins anew in a part. That a block was passed over remains: from here on its bound says so.
ExactSearch::Answer ExactSearch::search_part(Open open, Span sections, Place from, Span changed) {
  const std::size_t mark = trail_.size();
  const uint64_t key_before = part_key_;
  std::vector<std::pair<int, int>> ranks_before;  // by box
  for (const Ranked& ranked : open) ranks_before.push_back({ranked.box, box(ranked.box).rank});
  Answer answer = Answer::Impossible;
  if (raise_passed_over(open, from, changed)) {
    part_key_ = 0;
    rank(open);
    for (Ranked& ranked : open) {
      const Box& box = this->box(ranked.box);
      part_key_ += mix(static_cast<uint64_t>(ranked.box), box.least > box.low ? 1 : 0);
      ranked = {box.least, box.rank, ranked.box};
    }
    std::ranges::sort(open);
    answer = search(std::move(open), sections, {}, changed);
  }
  for (const auto& [i, rank] : ranks_before) box(i).rank = rank;
  part_key_ = key_before;
  undo(mark);
  return answer;
}

ExactSearch::Answer ExactSearch::search(Open open, Span sections, Place from, Span changed) {
  if (steps_ >= last_step_) return Answer::OutOfSteps;
  ++steps_;
  const std::size_t mark = trail_.size();
  const auto fail = [&] {
    undo(mark);
    return Answer::Impossible;
  };
  // The branch begins at the first box that may still be placed: what is before it makes no difference.
  Place first{INT64_MAX, 0};
  int64_t ceiling = INT64_MAX;
  Key key{part_key_, part_key_};
  for (const Ranked& ranked : open) {
    const Box& box = this->box(ranked.box);
    key.low += box.low_key;
    key.high += box.high_key;
    ceiling = std::min(ceiling, box.low + box.size);
    if (!passed_over(box, from)) first = std::min(first, Place{box.low, box.rank});
  }
  if (first.offset == INT64_MAX) return Answer::Impossible;
  const auto seen = failed_.find(key);
  if (seen != failed_.end() && seen->second <= first) return Answer::Impossible;
  if (!raise_passed_over(open, first, changed)) return fail();
  sort(open);
  if (!fits(open, changed)) return fail();
  for (const Ranked& ranked : open) {
    const Box& box = this->box(ranked.box);
    if (box.least >= ceiling) break;
    if (box.least > box.low || (box.twin >= 0 && this->box(box.twin).open)) continue;
    bool covered = false;
    const Answer answer = place(ranked.box, open, sections, covered);
    if (answer != Answer::Impossible) return answer;
    if (!covered) break;
  }
  undo(mark);
  if (failed_.size() < most_memories) {
    const auto [memory, fresh] = failed_.try_emplace(key, first);
    if (!fresh) memory->second = std::min(memory->second, first);
  }
  return Answer::Impossible;
}

// Places the box on what is under it and searches the rest. `covered`: an open box lives at the same time.
ExactSearch::Answer ExactSearch::place(int i, const Open& open, Span sections, bool& covered) {
  Box& placed = box(i);
  const std::size_t mark = trail_.size();
  const int64_t top = exact_or_one_less<"boxes_sink_in">(placed.low + placed.size);
  Span changed{section_count_, 0};
  placed.open = false;
  offsets_[static_cast<std::size_t>(i)] = placed.low;
  for (int j : neighbours_[static_cast<std::size_t>(i)]) {
    Box& other = box(j);
    if (!other.open) continue;
    covered = true;
    if (other.low >= top) continue;
    const int64_t low = align_up(top, other.alignment);
    trail_.push_back({j, other.low, other.least});
    set_low(j, low);
    if (low > other.least) {
      other.least = low;
      changed = {std::min(changed.first, other.first), std::max(changed.end, other.end)};
    }
  }
  bool parted = false;
  for (int s = placed.first; s + 1 < placed.end; ++s) parted |= --crossing_[static_cast<std::size_t>(s)] == 0;
  Open rest;
  rest.reserve(open.size());
  for (const Ranked& ranked : open) {
    if (ranked.box != i) rest.push_back(ranked);
  }
  const Place from{placed.low, placed.rank};
  Answer answer = Answer::Found;
  if (parted) {
    answer = search_parts(rest, sections, from, changed);
  } else if (!rest.empty()) {
    answer = search(std::move(rest), sections, from, changed);
  }
  // A search that is cut off leaves the state as it found it, too: the next run starts from it.
  for (int s = placed.first; s + 1 < placed.end; ++s) ++crossing_[static_cast<std::size_t>(s)];
  undo(mark);
  placed.open = true;
  return answer;
}

}  // namespace parallax
