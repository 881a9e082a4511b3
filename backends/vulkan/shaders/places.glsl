// Places that are counted off: an invocation goes through what there is until it comes to the one of its own number.
//
// Metadata: what is counted, the dtypes and offsets of operand and result, how much there is to go through, the result's
// steps from one number to the next and from one dim's coordinate to the next, two words of what stands where there is
// no such place, and two numbers. For NonZero those are 0, and what follows is the rank and for each dim its size and
// the operand's step; for Repeats they are the operand's step and the numbers there have to be; for the triangles, which
// have no operand, the columns and the diagonal.
const uint NonZero = 0, Repeats = 1, Below = 2, Above = 3;

void put(int target, uint dtype, int64_t place) { store(0u, dtype, target, integer_bits(place)); }

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint task = metadata[at];
  uint from = metadata[at + 1u];
  uint to = metadata[at + 2u];
  int source = int(metadata[at + 3u]);
  int target = int(metadata[at + 4u]) + int(item) * int(metadata[at + 6u]);
  uint count = metadata[at + 5u];
  int coordinate_step = int(metadata[at + 7u]);
  int64_t missing = to_integer(uvec2(metadata[at + 8u], metadata[at + 9u]));
  int first = int(metadata[at + 10u]);
  int second = int(metadata[at + 11u]);
  uint rank = metadata[at + 12u];
  at += 13u;
  int64_t before = 0;  // numbers that have been given
  for (uint i = 0u; i < count; ++i) {
    int64_t numbers;
    if (task == NonZero) {
      numbers = int64_t(converted(load(0u, from, source + offset_in(i, at, rank)), from, Bool).x);
    } else if (task == Repeats) {
      numbers = to_integer(load(0u, from, source + int(i) * first));
      if (numbers < 0) {
        raise(WrongCount, numbers, int64_t(0));
        return;
      }
    } else {
      int kept = clamp(int(i) + second + (task == Below ? 1 : 0), 0, first);
      numbers = int64_t(task == Below ? kept : first - kept);
    }
    bool is_own = before <= int64_t(item) && int64_t(item) < before + numbers;
    if (is_own && task == NonZero) {
      uint left = i;
      for (uint d = rank; d-- > 0u;) {
        put(target + int(d) * coordinate_step, to, int64_t(left % metadata[at + 2u * d]));
        left /= metadata[at + 2u * d];
      }
      return;
    }
    if (is_own) {
      put(target, to, int64_t(i));
      int64_t column = int64_t(item) - before + (task == Above ? int64_t(first) - numbers : int64_t(0));
      if (task != Repeats) put(target + coordinate_step, to, column);
      // The first one goes on, to see how many there are.
      if (task != Repeats || item != 0u) return;
    }
    before += numbers;
  }
  if (task == NonZero) {
    for (uint d = 0u; d < rank; ++d) put(target + int(d) * coordinate_step, to, missing);
  } else if (task == Repeats && before != int64_t(second)) {
    raise(WrongCount, before, int64_t(second));
  }
}
