// Generate: a case from a tape of choices. Total: every byte string is a valid case.
#pragma once

#include <optional>
#include <string_view>

#include "core/choices.h"
#include "fuzz/generate/vocabulary.h"
#include "graph/case.h"

namespace parallax {

enum class GenerateProfile { Alias, State, Topology, Numeric, Shape, All, Shipped, Quantized };
std::optional<GenerateProfile> parse_generate_profile(std::string_view name);
std::string_view name(GenerateProfile profile);

struct GenerateWeights;
class Around;

struct GenerateOptions {
  GenerateProfile profile = GenerateProfile::Alias;
  int min_nodes = 4;
  int max_nodes = 22;
  const Vocabulary* words = nullptr;         // what graphs are drawn from; null: every op that can be sampled
  const GenerateWeights* weights = nullptr;  // other ones than the profile's
  const Around* around = nullptr;            // a model: graphs are parts of it, with calls drawn in between
};

// The spans of a tape that hold how many nodes a graph has, and what was drawn for one of them.
inline constexpr std::string_view node_count_span = "count";
inline constexpr std::string_view node_span = "node";

// A valid case, feed included. The same tape and options give the same case on every machine.
Case generate(Choices& choices, const GenerateOptions& options);

}  // namespace parallax
