// Exact search: is there a packing of at most a given height?
//
// Depth first over canonical packings, in the manner of MiniMalloc (Moffitt, ASPLOS 2023). Any packing can be pushed
// down until each block lies at 0 or on another one; such a packing is found by placing blocks in the order of their
// offsets, so a block only ever goes to the top of what is placed under it. What cuts the tree:
// - order: offsets never fall along a branch; equal ones go by rank. A block that could have gone lower and was passed
//   over must come to lie on a block that is still open, which bounds it from below (`least`).
// - heights: in each section (steps between which no life begins or ends) the open blocks, stacked in the order of
//   these bounds, must end under the capacity: the bound of one machine with release times.
// - dominance: no block goes so high that an open one fits under it; of equal blocks the first goes first; a block that
//   no open one lives beside is placed once.
// - parts: where no open block crosses a section's end, the two sides are searched apart, each in an order of its own:
//   what is crowded in a part is another matter than what was crowded in the whole.
// - memory: open blocks with the same bounds under them were searched before, however what is under them was stacked.
#pragma once

#include <array>
#include <span>
#include <unordered_map>

#include "planner/packing.h"

namespace parallax {

// Which of the blocks that could go to the same offset is tried first.
struct SearchOrder {
  static constexpr int64_t crowd = -1;  // stands for the most bytes of open blocks at one step of the block's life

  std::vector<std::array<int64_t, 3>> keys;  // by block; the greatest goes first, ties go by the block's number
  std::vector<double> scale;                 // by block: what its first key is multiplied by
};

class ExactSearch {
 public:
  enum class Answer { Found, Impossible, OutOfSteps };

  // All blocks must have bytes.
  explicit ExactSearch(const PackingProblem& problem);

  // A step is a node of the search.
  Answer run(int64_t capacity, const SearchOrder& order, int64_t max_steps);

  // By block, after Found.
  const std::vector<int64_t>& offsets() const { return offsets_; }
  // Of all runs together.
  int64_t steps() const { return steps_; }

 private:
  struct Box {
    int first = 0;  // sections [first, end)
    int end = 0;
    int64_t size = 0;
    int64_t alignment = 1;
    int rank = 0;
    int twin = -1;                       // the equal block of the next smaller number
    bool open = true;                    // not placed
    int64_t low = 0;                     // on top of what is placed under it
    int64_t least = 0;                   // no packing of this branch has it lower
    uint64_t low_key = 0, high_key = 0;  // of (block, low), for the memory
  };
  // Where along the canonical order a branch is: no block may be placed before it.
  struct Place {
    int64_t offset = 0;
    int rank = 0;
    auto operator<=>(const Place&) const = default;
  };
  // An open box as it was sorted last.
  struct Ranked {
    int64_t least = 0;
    int rank = 0;
    int box = 0;
    auto operator<=>(const Ranked&) const = default;
  };
  using Open = std::vector<Ranked>;  // ascending
  struct Span {
    int first = 0;
    int end = 0;
  };
  struct Change {
    int box = 0;
    int64_t low = 0;
    int64_t least = 0;
  };
  struct Key {
    uint64_t low = 0, high = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key.low; }
  };

  Box& box(int i) { return boxes_[static_cast<std::size_t>(i)]; }
  void make_sections(const PackingProblem& problem);
  void find_twins();
  void rank(const Open& part);
  // Whether an earlier choice went past the place that the box had: it must come to lie on an open one.
  static bool passed_over(const Box& box, Place from) { return box.least > box.low || Place{box.low, box.rank} < from; }
  void set_low(int i, int64_t low);
  void raise_least(int i, int64_t least, Span& changed);
  void undo(std::size_t mark);
  Answer search(Open open, Span sections, Place from, Span changed);
  Answer search_parts(const Open& open, Span sections, Place from, Span changed);
  Answer search_part(Open open, Span sections, Place from, Span changed);
  Answer place(int i, const Open& open, Span sections, bool& covered);
  bool raise_passed_over(const Open& open, Place from, Span& changed);
  bool fits(const Open& open, Span changed);
  void sort(Open& open);

  std::vector<Box> boxes_;
  std::vector<std::vector<int>> neighbours_;  // by box: those that live at the same time
  int section_count_ = 0;
  std::vector<int> crossing_;   // by section: open boxes that reach into the next one
  std::vector<int64_t> stack_;  // by section: working memory of fits() and rank()
  const SearchOrder* order_ = nullptr;
  uint64_t part_key_ = 0;  // of the part that is searched: memories of another part, ranked otherwise, do not apply
  std::vector<Change> trail_;
  Open moved_, kept_;  // working memory of sort()
  std::unordered_map<Key, Place, KeyHash> failed_;
  std::vector<int64_t> offsets_;
  int64_t capacity_ = 0;
  int64_t steps_ = 0;
  int64_t last_step_ = 0;
};

}  // namespace parallax
