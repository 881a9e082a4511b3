// Pictures at other sizes: an invocation makes one element of a result [batch, channel, z, y, x].
//
// Metadata: the mode, whether corners are aligned, the dtype, offsets of operand and result; sizes of the result, steps
// of operand and result, five words each; for each of the last three dims the operand's size and, in two words, how far
// a step in the result goes in the operand.
const uint Nearest = 0, NearestExact = 1, Linear = 2, Cubic = 3;

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint mode = metadata[at];
  bool aligned = metadata[at + 1u] != 0u;
  uint dtype = metadata[at + 2u];
  int source = int(metadata[at + 3u]);
  int target = int(metadata[at + 4u]);
  at += 5u;
  int coordinates[5];
  uint rest = item;
  for (uint d = 5u; d-- > 0u;) {
    coordinates[d] = int(rest % metadata[at + d]);
    rest /= metadata[at + d];
    target += coordinates[d] * int(metadata[at + 10u + d]);
  }
  for (uint d = 0u; d < 2u; ++d) source += coordinates[d] * int(metadata[at + 5u + d]);
  ivec3 steps = ivec3(metadata[at + 7u], metadata[at + 8u], metadata[at + 9u]);
  for (uint d = 0u; d < 3u; ++d) {
    uint row = at + 15u + 3u * d;
    int size = int(metadata[row]);
    int made = int(metadata[at + 2u + d]);
    double scale = to_double(uvec2(metadata[row + 1u], metadata[row + 2u]));
    int own = coordinates[d + 2u];
    precise double centre = (double(own) + 0.5lf) * scale;
    precise double place = aligned ? double(own) * scale : centre - 0.5lf;
    if (mode == Nearest) {
      precise double edge = double(own) * scale;
      set_one_tap(d, min(int(floor(edge)), size - 1));
    } else if (mode == NearestExact) {
      set_one_tap(d, min(int(floor(centre)), size - 1));
    } else if (mode == Linear) {
      if (made == size) place = double(own);
      place = max(place, 0.0lf);
      int low = min(int(place), size - 1);
      set_linear_weights(d, double(low), min(place, double(low + 1)));
      tap_places[d][0] = low;
      tap_places[d][1] = min(low + 1, size - 1);
    } else {
      precise double low = floor(place);
      set_cubic_weights(d, low, place);
      for (int i = 0; i < 4; ++i) tap_places[d][i] = clamp(int(low) + i - 1, 0, size - 1);
    }
  }
  if (mode <= NearestExact) {
    ivec3 place = ivec3(tap_places[0][0], tap_places[1][0], tap_places[2][0]);
    store(0u, dtype, target, load(0u, dtype, source + place.x * steps.x + place.y * steps.y + place.z * steps.z));
    return;
  }
  double sum = weighted_sum(dtype, source, steps);
  if (class_of(dtype) == IntegerClass) {
    store(0u, dtype, target, integer_bits(int64_t(clamp(roundEven(float(sum)), 0.0, 255.0))));
  } else {
    store(0u, dtype, target, converted(double_bits(sum), F64, dtype));
  }
}
