// The largest or the smallest number so far, and where it stands: an invocation goes along one line of a tensor.
//
// Metadata: whether the largest is sought, the dtype, offsets of operand, values and places, the length of a line and
// its steps in all three, the number of outer dims, and for each its size and the three steps.
void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  bool largest = metadata[at] != 0u;
  uint dtype = metadata[at + 1u];
  int elements[4] = int[4](int(metadata[at + 2u]), int(metadata[at + 3u]), int(metadata[at + 4u]), 0);
  uint length = metadata[at + 5u];
  descend(item, at + 10u, metadata[at + 9u], 3u, elements);
  uvec2 best = uvec2(0u);
  uint place = 0u;
  for (uint i = 0u; i < length; ++i) {
    uvec2 number = load(0u, dtype, elements[0]);
    // Of equals the last one counts. NaN stays, and every later one is the new one.
    bool replaces = i == 0u || is_nan(number, dtype);
    if (!replaces && !is_nan(best, dtype)) {
      int64_t rank = rank_of(number, dtype);
      int64_t highest = rank_of(best, dtype);
      replaces = largest ? rank >= highest : rank <= highest;
    }
    if (replaces) {
      best = number;
      place = i;
    }
    store(0u, dtype, elements[1], best);
    store(1u, I64, elements[2], integer_bits(int64_t(place)));
    for (uint k = 0u; k < 3u; ++k) elements[k] += int(metadata[at + 6u + k]);
  }
}
