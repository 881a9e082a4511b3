// Pictures at points between -1 and 1 that a grid gives: an invocation makes one element of a result [batch, channel, z,
// y, x].
//
// Metadata: the mode, the padding, whether corners are aligned, the number of coordinates of a point, the dtype, offsets
// of operand, grid and result; sizes of the result, steps of operand and result, five words each, steps of the grid
// along batch, z, y, x and coordinate; the operand's last three sizes.
const uint Linear = 0, Nearest = 1, Cubic = 2;
const uint Zeros = 0, Border = 1, Reflection = 2;

// Mirrored at the first and the last element, or at their outer edges, as often as it takes.
double reflected(double place, double size, bool aligned) {
  double low = aligned ? 0.0lf : -0.5lf;
  double span = aligned ? size - 1.0lf : size;
  if (span == 0.0lf) return 0.0lf;
  precise double distance = abs(place - low);
  precise double times = floor(distance / span);
  precise double rest = distance - times * span;
  if (rest < 0.0lf) {
    rest = rest + span;
    times = times - 1.0lf;
  }
  bool even = floor(times * 0.5lf) * 2.0lf == times;
  return (even ? rest : span - rest) + low;
}

double padded(double place, double size, uint padding, bool aligned) {
  if (padding == Zeros) return place;
  if (padding == Reflection) place = reflected(place, size, aligned);
  place = place > 0.0lf ? place : 0.0lf;
  return place < size - 1.0lf ? place : size - 1.0lf;
}

int element_at(double place, double size) { return place > -1.0lf && place < size ? int(place) : -1; }

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint mode = metadata[at];
  uint padding = metadata[at + 1u];
  bool aligned = metadata[at + 2u] != 0u;
  uint spatial = metadata[at + 3u];
  uint dtype = metadata[at + 4u];
  int source = int(metadata[at + 5u]);
  int point = int(metadata[at + 6u]);
  int target = int(metadata[at + 7u]);
  at += 8u;
  uint rest = item;
  for (uint d = 5u; d-- > 0u;) {
    int coordinate = int(rest % metadata[at + d]);
    rest /= metadata[at + d];
    if (d < 2u) source += coordinate * int(metadata[at + 5u + d]);
    target += coordinate * int(metadata[at + 10u + d]);
    if (d != 1u) point += coordinate * int(metadata[at + 15u + (d == 0u ? 0u : d - 1u)]);
  }
  ivec3 steps = ivec3(metadata[at + 7u], metadata[at + 8u], metadata[at + 9u]);
  int point_step = int(metadata[at + 19u]);
  for (uint d = 0u; d < 3u; ++d) {
    if (d < 3u - spatial) {
      set_one_tap(d, 0);
      continue;
    }
    double size = double(int(metadata[at + 20u + d]));
    // A point is given from the last dim on.
    double given = to_double(converted(load(1u, dtype, point + int(2u - d) * point_step), dtype, F64));
    precise double moved = (given + 1.0lf) * (aligned ? size - 1.0lf : size) * 0.5lf;
    precise double place = aligned ? moved : moved - 0.5lf;
    if (mode == Nearest) {
      set_one_tap(d, element_at(round_to_even(padded(place, size, padding, aligned)), size));
    } else if (mode == Linear) {
      precise double inside = padded(place, size, padding, aligned);
      precise double low = floor(inside);
      set_linear_weights(d, low, inside);
      for (int i = 0; i < 2; ++i) tap_places[d][i] = element_at(low + double(i), size);
    } else {
      precise double low = floor(place);
      set_cubic_weights(d, low, place);
      for (int i = 0; i < 4; ++i) {
        tap_places[d][i] = element_at(padded(low + double(i - 1), size, padding, aligned), size);
      }
    }
  }
  store(0u, dtype, target, converted(double_bits(weighted_sum(dtype, source, steps)), F64, dtype));
}
