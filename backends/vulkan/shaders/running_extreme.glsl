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
  ivec3 elements = ivec3(metadata[at + 2u], metadata[at + 3u], metadata[at + 4u]);
  uint length = metadata[at + 5u];
  ivec3 steps = ivec3(metadata[at + 6u], metadata[at + 7u], metadata[at + 8u]);
  uint outer = metadata[at + 9u];
  at += 10u;
  uint rest = item;
  for (uint d = outer; d-- > 0u;) {
    uint row = at + 4u * d;
    int coordinate = int(rest % metadata[row]);
    rest /= metadata[row];
    elements += coordinate * ivec3(metadata[row + 1u], metadata[row + 2u], metadata[row + 3u]);
  }
  uvec2 best = uvec2(0u);
  uint place = 0u;
  for (uint i = 0u; i < length; ++i) {
    uvec2 number = load(0u, dtype, elements.x);
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
    store(0u, dtype, elements.y, best);
    store(1u, I64, elements.z, integer_bits(int64_t(place)));
    elements += steps;
  }
}
