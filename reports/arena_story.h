// Arena story: a memory plan as data for a picture: which storage lies where from which step to which, and what
// overwrites what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/html.h"

namespace parallax {

// Bytes [offset, offset + size) of the arena from step `first` to step `last`, both included.
struct ArenaBlock {
  std::string name;  // of the value that it was made for
  int64_t offset = 0;
  int64_t size = 0;
  int first = 0;
  int last = 0;  // the number of steps: until it is returned
};

// A read that meets other bytes than those that were written for it.
struct ArenaClash {
  int block = -1;            // whose bytes are wanted; -1 where it is not drawn
  int written_by = -1;       // the step; -1 for what is given
  int overwritten_by = -1;   // -1 where nothing wrote there
  int read_by = -1;          // the number of steps: by the caller
  bool in_next_run = false;  // the next run overwrites what the caller holds
};

struct ArenaStory {
  std::string about;               // which build of the program it is
  std::vector<std::string> steps;  // "a = sigmoid(x)"
  std::vector<int> nodes;          // by step: the node of the case that it comes from, -1 for none
  std::vector<ArenaBlock> blocks;
  std::vector<ArenaClash> clashes;
  int64_t bytes = 0;  // of the arena
};

// A drawing of steps by offsets, with the first clash marked. Larger programs than a person can look at are cut around
// that clash; `label` is what a screen reader says.
void draw_arena(Html& html, const ArenaStory& story, std::string_view label);

}  // namespace parallax
