// Norms of the differences of vectors: an invocation makes one.
//
// Metadata: which norm, the dtype, two words of its order, offsets of both operands and of the result, the length of a
// vector and its step in both; the number of vectors and the step from one to the next, if all pairs of one set are
// asked for (0 and 0 otherwise), and the result's step then; the rank, and for each dim its size and the steps of both
// operands and the result.
const uint Differing = 0, Sum = 1, Root = 2, Largest = 3, Power = 4;

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint norm = metadata[at];
  uint dtype = metadata[at + 1u];
  float order = float(to_double(uvec2(metadata[at + 2u], metadata[at + 3u])));
  int elements[4] = int[4](int(metadata[at + 4u]), int(metadata[at + 5u]), int(metadata[at + 6u]), 0);
  uint length = metadata[at + 7u];
  int left_step = int(metadata[at + 8u]);
  int right_step = int(metadata[at + 9u]);
  uint vectors = metadata[at + 10u];
  int vector_step = int(metadata[at + 11u]);
  descend(item, at + 14u, metadata[at + 13u], 3u, elements);
  if (vectors > 0u) {
    // The first with all behind it, then the second, and so on.
    uint first = 0u;
    uint pair = item;
    while (pair >= vectors - 1u - first) {
      pair -= vectors - 1u - first;
      first += 1u;
    }
    elements[0] += int(first) * vector_step;
    elements[1] += int(first + 1u + pair) * vector_step;
    elements[2] += int(item) * int(metadata[at + 12u]);
  }
  precise float total = 0.0;
  precise double wide_total = 0.0lf;
  bool wide = class_of(dtype) == DoubleClass;
  for (uint i = 0u; i < length; ++i) {
    uvec2 a = load(0u, dtype, elements[0] + int(i) * left_step);
    uvec2 b = load(1u, dtype, elements[1] + int(i) * right_step);
    if (wide) {
      precise double term = abs(to_double(a) - to_double(b));
      if (norm == Differing && !is_nan(term)) term = term == 0.0lf ? 0.0lf : 1.0lf;
      if (norm == Root) term = term * term;
      wide_total = norm != Largest ? wide_total + term : is_nan(wide_total) || wide_total > term ? wide_total : term;
    } else {
      precise float term = abs(to_float(a) - to_float(b));
      if (norm == Differing && !is_nan(term)) term = term == 0.0 ? 0.0 : 1.0;
      if (norm == Root) term = term * term;
      if (norm == Power) term = power(term, order);
      total = norm != Largest ? total + term : is_nan(total) || total > term ? total : term;
    }
  }
  if (norm == Root) {
    total = sqrt(total);
    wide_total = sqrt(wide_total);
  }
  if (norm == Power) total = power(total, 1.0 / order);
  store(0u, dtype, elements[2], wide ? double_bits(wide_total) : float_bits(total));
}
