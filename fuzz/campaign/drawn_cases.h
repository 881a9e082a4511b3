// Drawn cases: the numbered cases of a campaign that draws them. Case k is the same for the same options and seed,
// whoever asks for it and when.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/target.h"
#include "corpus/known.h"
#include "fuzz/generate/around.h"
#include "fuzz/generate/generate.h"

namespace parallax {

struct DrawOptions {
  GenerateProfile profile = GenerateProfile::All;
  std::optional<uint64_t> graphs = {};  // the sequence ends after that many cases
  int min_nodes = 4;
  int max_nodes = 22;
  uint64_t feeds = 1;                 // of each graph
  bool gradients = false;             // ask for gradients too, where a graph has some
  std::optional<Around> around = {};  // a model: graphs are parts of it
};

class DrawnCases {
 public:
  // The options must outlive the cases.
  DrawnCases(uint64_t seed, const DrawOptions& options);
  DrawnCases(const DrawnCases&) = delete;
  DrawnCases& operator=(const DrawnCases&) = delete;

  // Draws from what all of the targets take. Calls that are known to be wrong on every one of them are drawn for a part
  // of the graphs only.
  void draw_for(const std::vector<const Target*>& targets, const KnownFindings& known);

  // Case k, or nothing past the end. May be called from several threads.
  std::optional<Case> at(uint64_t k) const;

  // How many consecutive cases one worker had better have.
  std::size_t cases_a_turn() const;

 private:
  uint64_t seed_;
  const DrawOptions& options_;
  std::optional<Vocabulary> words_;
  std::optional<Vocabulary> news_;  // without calls that are known to be wrong; absent where none is
};

}  // namespace parallax
