// Tape mutator: changes a tape of choices where its spans begin and end.
//
// A byte taken out of a tape moves what every later choice reads, so that the rest of the case becomes another one. Cut
// at spans, the rest stays: a node goes, comes twice, changes places with another or takes another's choices, and the
// others read what they read before. Total, as reading is: whatever comes out is a valid case.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/choices.h"

namespace parallax {

// Reads a tape as the target does that it is for.
using ReadTape = std::function<void(Choices& choices)>;
// What an engine does to bytes of which nothing is known, LLVMFuzzerMutate: the new size, at most `max_size`.
using MutateBytes = std::size_t (*)(uint8_t* data, std::size_t size, std::size_t max_size);

using Bytes = std::vector<uint8_t>;

// A tape as it is read: without what is beyond the last choice, and with its spans, of which none is empty.
struct SpannedTape {
  Bytes bytes;
  std::vector<Choices::Span> spans;
};
SpannedTape read_spans(std::span<const uint8_t> tape, const ReadTape& read);

enum class TapeEdit : uint8_t {
  Remove,     // a span goes; of a node, the number of nodes goes down
  Duplicate,  // a span comes twice in a row; of a node, the number goes up
  Swap,       // two spans of one label change places
  Copy,       // a span takes the bytes of another one of its label
  Redraw,     // a span gets bytes drawn anew
};
inline constexpr int tape_edits = 5;

// The tape after an edit of spans[at]; `other` is the second span of Swap and Copy, which does nothing where one of the
// two lies inside the other. `draws` gives the bytes of Redraw.
Bytes edited(const SpannedTape& tape, TapeEdit edit, std::size_t at, std::size_t other, Choices& draws);

// One edit of a drawn span or, in a third of the draws, what `mutate_bytes` does; null: always an edit. At most
// `max_size` bytes. The same arguments give the same tape.
Bytes mutated(std::span<const uint8_t> tape, std::size_t max_size, const ReadTape& read, MutateBytes mutate_bytes,
              uint64_t seed);

// `first` with a drawn span put in the place of one of the same label, or, of a node, beside it, from `second`.
Bytes crossed(std::span<const uint8_t> first, std::span<const uint8_t> second, std::size_t max_size,
              const ReadTape& read, uint64_t seed);

}  // namespace parallax
