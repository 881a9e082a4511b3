// Running sums and products: an invocation goes along one line of a tensor.
//
// Metadata: function (0 sum, 1 product), dtypes and offsets of operand and result, the length of a line and its steps
// in both, the number of outer dims, and for each its size and both steps. It computes in the result's dtype.
void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  bool product = metadata[at] == 1u;
  uint from = metadata[at + 1u];
  uint to = metadata[at + 2u];
  int source = int(metadata[at + 3u]);
  int target = int(metadata[at + 4u]);
  uint length = metadata[at + 5u];
  int source_step = int(metadata[at + 6u]);
  int target_step = int(metadata[at + 7u]);
  uint outer = metadata[at + 8u];
  at += 9u;
  uint rest = item;
  for (uint d = outer; d-- > 0u;) {
    int coordinate = int(rest % metadata[at + 3u * d]);
    rest /= metadata[at + 3u * d];
    source += coordinate * int(metadata[at + 3u * d + 1u]);
    target += coordinate * int(metadata[at + 3u * d + 2u]);
  }
  precise float total = product ? 1.0 : 0.0;
  precise double wide_total = product ? 1.0lf : 0.0lf;
  int64_t whole_total = product ? 1 : 0;
  for (uint i = 0u; i < length; ++i) {
    uvec2 bits = converted(load(0u, from, source), from, to);
    if (class_of(to) == FloatClass) {
      total = product ? total * to_float(bits) : total + to_float(bits);
      bits = float_bits(total);
    } else if (class_of(to) == IntegerClass) {
      whole_total = product ? whole_total * to_integer(bits) : whole_total + to_integer(bits);
      bits = integer_bits(whole_total);
    } else {
      wide_total = product ? wide_total * to_double(bits) : wide_total + to_double(bits);
      bits = double_bits(wide_total);
    }
    store(0u, to, target, bits);
    source += source_step;
    target += target_step;
  }
}
