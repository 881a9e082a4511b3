// Running sums, products and logarithms of sums of exponentials: an invocation goes along one line of a tensor.
//
// Metadata: function (0 sum, 1 product, 2 logarithm of floats), dtypes and offsets of operand and result, the length of
// a line and its steps in both, the number of outer dims, and for each its size and both steps. It computes in the
// result's dtype.

// The logarithm is kept as the largest number so far and the sum of all exponentials over that one's.
float largest = -float_inf;
float over_largest = 0.0;
// Of a distance from the largest number, which may be -infinity.
float share(float distance) { return distance < -200.0 ? 0.0 : exp(distance); }
float log_of_sum(float x) {
  if (is_nan(x) || is_nan(largest)) {
    largest = float_nan;
    return float_nan;
  }
  precise float distance = x - largest;
  if (x == largest) {
    over_largest += 1.0;
  } else if (x < largest) {
    over_largest += share(distance);
  } else {
    over_largest = over_largest * share(-distance) + 1.0;
    largest = x;
  }
  precise float sum = largest + log(over_largest);
  return is_inf(largest) ? largest : sum;
}

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  bool product = metadata[at] == 1u;
  bool logarithm = metadata[at] == 2u;
  uint from = metadata[at + 1u];
  uint to = metadata[at + 2u];
  int elements[4] = int[4](int(metadata[at + 3u]), int(metadata[at + 4u]), 0, 0);
  uint length = metadata[at + 5u];
  int source_step = int(metadata[at + 6u]);
  int target_step = int(metadata[at + 7u]);
  descend(item, at + 9u, metadata[at + 8u], 2u, elements);
  precise float total = product ? 1.0 : 0.0;
  precise double wide_total = product ? 1.0lf : 0.0lf;
  int64_t whole_total = product ? 1 : 0;
  for (uint i = 0u; i < length; ++i) {
    uvec2 bits = converted(load(0u, from, elements[0]), from, to);
    if (class_of(to) == FloatClass) {
      total = logarithm ? log_of_sum(to_float(bits))
              : product ? total * to_float(bits) : total + to_float(bits);
      bits = float_bits(total);
    } else if (class_of(to) == IntegerClass) {
      whole_total = product ? whole_total * to_integer(bits) : whole_total + to_integer(bits);
      bits = integer_bits(whole_total);
    } else {
      wide_total = product ? wide_total * to_double(bits) : wide_total + to_double(bits);
      bits = double_bits(wide_total);
    }
    store(0u, to, elements[1], bits);
    elements[0] += source_step;
    elements[1] += target_step;
  }
}
