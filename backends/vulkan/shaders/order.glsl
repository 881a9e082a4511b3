// Sorting, and elements by their rank: an invocation takes one element, counts how many of its lane go before it, and
// writes it to where that is.
//
// Metadata: what is asked for, whether the greatest comes first, the dtype, the number of elements that are kept or the
// one that is picked, which results there are (1: values, 2: places), offsets of operand, values and places; the length
// of a lane, the steps of values and places along it; the numbers of outer and of inner dims; for each outer dim its
// size and the steps of operand, values and places, for each inner one its size and the operand's step.
const uint Keeps = 0, Picks = 1, Median = 2, MedianOfNumbers = 3;

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint task = metadata[at];
  bool descending = metadata[at + 1u] != 0u;
  uint dtype = metadata[at + 2u];
  uint number = metadata[at + 3u];
  uint results = metadata[at + 4u];
  int elements[4] = int[4](int(metadata[at + 5u]), int(metadata[at + 6u]), int(metadata[at + 7u]), 0);
  uint length = metadata[at + 8u];
  int values_step = int(metadata[at + 9u]);
  int places_step = int(metadata[at + 10u]);
  uint outer = metadata[at + 11u];
  uint inner = metadata[at + 12u];
  at += 13u;
  descend(item / length, at, outer, 3u, elements);
  at += 4u * outer;
  uint own = item % length;
  uvec2 mine = uvec2(0u);
  int64_t my_rank = 0;
  uint before = 0u;
  uint numbers = 0u;
  // Once to see the own element, once to compare the others with it.
  for (uint i = 0u; i <= length; ++i) {
    uint place = i == 0u ? own : i - 1u;
    uvec2 other = load(0u, dtype, elements[0] + offset_in(place, at, inner));
    int64_t rank = rank_of(other, dtype);
    if (i == 0u) {
      mine = other;
      my_rank = rank;
      continue;
    }
    // Equals stay in their order either way.
    bool goes_before = rank == my_rank ? place < own : (rank < my_rank) != descending;
    before += goes_before ? 1u : 0u;
    numbers += is_nan(other, dtype) ? 0u : 1u;
  }
  bool is_written = before < number;
  if (task == Picks) is_written = before == number;
  // The lower of the two in the middle, but for a NaN, which is the first behind the numbers.
  if (task == Median || task == MedianOfNumbers) {
    uint middle = numbers == 0u ? 0u : (numbers - 1u) / 2u;
    is_written = before == (task == Median && numbers < length ? numbers : middle);
  }
  if (!is_written) return;
  int line = task == Keeps ? int(before) : 0;
  bool has_values = (results & 1u) != 0u;
  if (has_values) store(0u, dtype, elements[1] + line * values_step, mine);
  if ((results & 2u) != 0u) store(has_values ? 1u : 0u, I64, elements[2] + line * places_step, integer_bits(int64_t(own)));
}
