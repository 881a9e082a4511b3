#include "fuzz/generate/tape_mutator.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "fuzz/generate/generate.h"

namespace parallax {
namespace {

using Span = Choices::Span;
using Range = std::span<const uint8_t>;

// Out of 100.
constexpr int share_of_bytes = 33;

Range bytes_of(const SpannedTape& tape, const Span& span) {
  return Range(tape.bytes).subspan(span.begin, span.end - span.begin);
}

// The tape with bytes [begin, end) replaced.
Bytes replaced(Range tape, std::size_t begin, std::size_t end, Range by) {
  Bytes result(tape.begin(), tape.begin() + static_cast<std::ptrdiff_t>(begin));
  result.insert(result.end(), by.begin(), by.end());
  result.insert(result.end(), tape.begin() + static_cast<std::ptrdiff_t>(end), tape.end());
  return result;
}

// The count of nodes is one byte, of which the remainder counts, so that one up or down changes it by one unless it
// wraps. It comes before the nodes, so their cuts do not move it.
void change_count(const SpannedTape& tape, const Span& span, int by, Bytes& bytes) {
  if (span.label != node_span) return;
  const auto count = std::ranges::find(tape.spans, node_count_span, &Span::label);
  if (count == tape.spans.end() || count->begin >= span.begin) return;
  const int changed = bytes[count->begin] + by;
  if (changed >= 0 && changed <= std::numeric_limits<uint8_t>::max()) {
    bytes[count->begin] = static_cast<uint8_t>(changed);
  }
}

bool overlap(const Span& a, const Span& b) { return a.begin < b.end && b.begin < a.end; }

Bytes swapped(const SpannedTape& tape, const Span& a, const Span& b) {
  const auto& [first, second] = a.begin < b.begin ? std::tie(a, b) : std::tie(b, a);
  const Bytes with_first_below = replaced(tape.bytes, second.begin, second.end, bytes_of(tape, first));
  return replaced(with_first_below, first.begin, first.end, bytes_of(tape, second));
}

// A span of that label, or nothing.
std::optional<std::size_t> draw_span_of(const SpannedTape& tape, std::string_view label, Choices& draws) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tape.spans.size(); ++i) {
    if (tape.spans[i].label == label) places.push_back(i);
  }
  if (places.empty()) return std::nullopt;
  return draws.pick(places);
}

// A span of a drawn label: of some labels there are many more than of others. The tape has spans.
std::size_t draw_span(const SpannedTape& tape, Choices& draws) {
  std::vector<std::string_view> labels;
  for (const Span& span : tape.spans) {
    if (std::ranges::find(labels, span.label) == labels.end()) labels.push_back(span.label);
  }
  return *draw_span_of(tape, draws.pick(labels), draws);
}

Bytes cut_to(Bytes bytes, std::size_t max_size) {
  bytes.resize(std::min(bytes.size(), max_size));
  return bytes;
}

}  // namespace

SpannedTape read_spans(std::span<const uint8_t> tape, const ReadTape& read) {
  Choices choices(tape);
  read(choices);
  SpannedTape spanned{choices.tape(), choices.spans()};
  std::erase_if(spanned.spans, [](const Span& span) { return span.begin == span.end; });
  return spanned;
}

Bytes edited(const SpannedTape& tape, TapeEdit edit, std::size_t at, std::size_t other, Choices& draws) {
  const Span& span = tape.spans[at];
  const Span& second = tape.spans[other];
  switch (edit) {
    case TapeEdit::Remove: {
      Bytes result = replaced(tape.bytes, span.begin, span.end, {});
      change_count(tape, span, -1, result);
      return result;
    }
    case TapeEdit::Duplicate: {
      Bytes result = replaced(tape.bytes, span.end, span.end, bytes_of(tape, span));
      change_count(tape, span, 1, result);
      return result;
    }
    case TapeEdit::Swap:
      return overlap(span, second) ? tape.bytes : swapped(tape, span, second);
    case TapeEdit::Copy:
      return overlap(span, second) ? tape.bytes : replaced(tape.bytes, span.begin, span.end, bytes_of(tape, second));
    case TapeEdit::Redraw: {
      Bytes drawn(span.end - span.begin);
      for (uint8_t& byte : drawn) byte = static_cast<uint8_t>(draws.below(256));
      return replaced(tape.bytes, span.begin, span.end, drawn);
    }
  }
  return tape.bytes;
}

Bytes mutated(std::span<const uint8_t> tape, std::size_t max_size, const ReadTape& read, MutateBytes mutate_bytes,
              uint64_t seed) {
  Choices draws(seed, 0);
  SpannedTape spanned = read_spans(tape, read);
  if (spanned.spans.empty() || (mutate_bytes && draws.chance(share_of_bytes))) {
    Bytes bytes = cut_to(std::move(spanned.bytes), max_size);
    if (!mutate_bytes) return bytes;
    const std::size_t size = bytes.size();
    bytes.resize(max_size);
    bytes.resize(mutate_bytes(bytes.data(), size, max_size));
    return bytes;
  }
  const std::size_t at = draw_span(spanned, draws);
  const std::size_t other = *draw_span_of(spanned, spanned.spans[at].label, draws);
  return cut_to(edited(spanned, static_cast<TapeEdit>(draws.below(tape_edits)), at, other, draws), max_size);
}

Bytes crossed(std::span<const uint8_t> first, std::span<const uint8_t> second, std::size_t max_size,
              const ReadTape& read, uint64_t seed) {
  Choices draws(seed, 0);
  const SpannedTape into = read_spans(first, read);
  const SpannedTape from = read_spans(second, read);
  if (into.spans.empty() || from.spans.empty()) return cut_to(into.bytes, max_size);
  const Span& taken = from.spans[draw_span(from, draws)];
  const std::optional<std::size_t> place = draw_span_of(into, taken.label, draws);
  if (!place) return cut_to(into.bytes, max_size);
  const Span& span = into.spans[*place];
  const bool beside = taken.label == node_span && draws.chance(50);
  Bytes result = replaced(into.bytes, beside ? span.end : span.begin, span.end, bytes_of(from, taken));
  if (beside) change_count(into, span, 1, result);
  return cut_to(std::move(result), max_size);
}

}  // namespace parallax
