// What a mask chooses: an invocation makes one element of the result. Where the mask is not, that is the operand's, and
// where it is, the value whose number is how many places the mask has before.
//
// Metadata: the dtype, that of the mask, offsets of operand, mask, values and result; whether there have to be as many
// values as places, the number of values (all bits: one for all), their step from one place to the next; the number of dims,
// the first that the mask has and how many it has; for each dim its size and the steps of operand, values and result;
// for each of the mask's its step.
bool is_chosen(uint dtype, int element) {
  uvec2 flag = load(1u, dtype, element);
  return (flag.x | flag.y) != 0u;
}

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint dtype = metadata[at];
  uint mask_dtype = metadata[at + 1u];
  int self = int(metadata[at + 2u]);
  int mask = int(metadata[at + 3u]);
  int value = int(metadata[at + 4u]);
  int result = int(metadata[at + 5u]);
  bool exactly = metadata[at + 6u] != 0u;
  uint given = metadata[at + 7u];
  int value_step = int(metadata[at + 8u]);
  uint rank = metadata[at + 9u];
  uint first = metadata[at + 10u];
  uint masked = metadata[at + 11u];
  at += 12u;
  uint flags_at = at + 4u * rank;
  uint rest = item;
  uint own = 0u;  // the number of the place in the mask
  uint flags = 1u;
  for (uint d = rank; d-- > 0u;) {
    uint row = at + 4u * d;
    uint size = metadata[row];
    uint coordinate = rest % size;
    rest /= size;
    self += int(coordinate) * int(metadata[row + 1u]);
    value += int(coordinate) * int(metadata[row + 2u]);
    result += int(coordinate) * int(metadata[row + 3u]);
    if (d < first || d >= first + masked) continue;
    own += coordinate * flags;
    flags *= size;
  }
  bool counts_all = exactly && item == 0u;
  uint before = 0u;
  uint all = 0u;
  bool chosen = false;
  for (uint i = 0u; i < (counts_all ? flags : own + 1u); ++i) {
    int element = mask;
    uint left = i;
    for (uint d = masked; d-- > 0u;) {
      uint size = metadata[at + 4u * (first + d)];
      element += int(left % size) * int(metadata[flags_at + d]);
      left /= size;
    }
    if (!is_chosen(mask_dtype, element)) continue;
    all += 1u;
    if (i < own) before += 1u;
    if (i == own) chosen = true;
  }
  if (counts_all && all != given) raise(WrongCount, int64_t(all), int64_t(given));
  if (!chosen) {
    store(0u, dtype, result, load(0u, dtype, self));
    return;
  }
  if (before >= given) {
    if (!exactly) raise(WrongCount, int64_t(before) + 1, int64_t(given));
    return;
  }
  store(0u, dtype, result, load(2u, dtype, value + int(before) * value_step));
}
