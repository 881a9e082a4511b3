// Elements chosen by the values of other tensors: an invocation moves one element, out of a place that indices name or
// into one.
//
// Metadata: the direction (0 gathers, 1 scatters, from 2 on combines where it scatters, in one invocation for all), dtypes and
// offsets of source and result, the number of indices, the rank; sizes; the steps of source and result along each dim;
// then for each index its dtype, offset, the size of the dim that it indexes, that dim's step in the tensor that is
// indexed, what the index may be, and its steps.
const uint Gathers = 0, Scatters = 1, Adds = 2, Multiplies = 3, KeepsLargest = 4, KeepsSmallest = 5;
const uint FromStart = 0, FromEitherEnd = 1, Wraps = 2, PassesOver = 3;

float combined(uint direction, float a, float b) {
  if (direction == Adds) return a + b;
  if (direction == Multiplies) return a * b;
  if (direction == KeepsLargest) return is_nan(a) || a > b ? a : b;
  return is_nan(a) || a < b ? a : b;
}
double combined(uint direction, double a, double b) {
  if (direction == Adds) return a + b;
  if (direction == Multiplies) return a * b;
  if (direction == KeepsLargest) return is_nan(a) || a > b ? a : b;
  return is_nan(a) || a < b ? a : b;
}
int64_t combined(uint direction, int64_t a, int64_t b) {
  if (direction == Adds) return a + b;
  if (direction == Multiplies) return a * b;
  return (direction == KeepsLargest) == (a > b) ? a : b;
}

// The element of the output as it is now, in its class.
uvec2 load_back(uint dtype, int element) {
  uint log_size = log_size_of(dtype);
  if (log_size == 3u) return uvec2(outputs32[0].words[2 * element], outputs32[0].words[2 * element + 1]);
  if (dtype == F32) return uvec2(outputs32[0].words[element], 0u);
  if (dtype == I32) return integer_bits(int64_t(int(outputs32[0].words[element])));
  uint bits = log_size == 1u ? uint(outputs16[0].halves[element]) : uint(outputs8[0].bytes[element]);
  if (dtype == F16) return float_bits(half_to_float(bits));
  if (dtype == BF16) return uvec2(bits << 16, 0u);
  return integer_bits(wrapped(int64_t(bits), dtype));
}

void move_element(uint item) {
  uint at = push.metadata;
  uint direction = metadata[at];
  uint from = metadata[at + 1u];
  uint to = metadata[at + 2u];
  int source = int(metadata[at + 3u]);
  int target = int(metadata[at + 4u]);
  uint indices = metadata[at + 5u];
  uint rank = metadata[at + 6u];
  at += 7u;
  int coordinates[8];
  uint rest = item;
  for (uint d = rank; d-- > 0u;) {
    uint size = metadata[at + d];
    coordinates[d] = int(rest % size);
    rest /= size;
  }
  at += rank;
  for (uint d = 0u; d < rank; ++d) {
    source += coordinates[d] * int(metadata[at + d]);
    target += coordinates[d] * int(metadata[at + rank + d]);
  }
  at += 2u * rank;
  for (uint i = 0u; i < indices; ++i) {
    int element = int(metadata[at + 1u]);
    for (uint d = 0u; d < rank; ++d) element += coordinates[d] * int(metadata[at + 5u + d]);
    int64_t index = to_integer(load(1u + i, metadata[at], element));
    int64_t size = int64_t(metadata[at + 2u]);
    uint range = metadata[at + 4u];
    // GLSL leaves the rest of negative integers open: that of -index - 1 is counted from the end.
    if (range == Wraps) {
      index = index < 0 ? size - 1 - int64_t(uint64_t(-(index + 1)) % uint64_t(size))
                        : int64_t(uint64_t(index) % uint64_t(size));
    }
    if (range == PassesOver && index == -1) return;
    int64_t lowest = range == FromEitherEnd ? -size : int64_t(0);
    if (index < lowest || index >= size) {
      raise(OutOfRange, index, size);
      return;
    }
    int step = int(index < 0 ? index + size : index) * int(metadata[at + 3u]);
    if (direction == Gathers) source += step; else target += step;
    at += 5u + rank;
  }
  uvec2 number = converted(load(0u, from, source), from, to);
  if (direction >= Adds) {
    uvec2 before = load_back(to, target);
    uint numbers = class_of(to);
    precise float both = combined(direction, to_float(before), to_float(number));
    precise double wide = combined(direction, to_double(before), to_double(number));
    int64_t whole = combined(direction, to_integer(before), to_integer(number));
    number = numbers == FloatClass ? float_bits(both)
             : numbers == DoubleClass ? double_bits(wide) : integer_bits(wrapped(whole, to));
  }
  store(0u, to, target, number);
}

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  if (metadata[push.metadata] < Adds) {
    move_element(item);
    return;
  }
  // Places may be named twice: one after the other.
  uint at = push.metadata + 7u;
  uint items = 1u;
  for (uint d = 0u; d < metadata[push.metadata + 6u]; ++d) items *= metadata[at + d];
  for (uint i = 0u; i < items; ++i) move_element(i);
}
