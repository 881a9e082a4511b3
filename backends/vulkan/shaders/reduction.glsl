// Reductions and contractions: an invocation makes one element of the result, out of all elements of a tensor, or
// products of two, that belong to it.
//
// Metadata: function, dtype to compute in, operands (1 or 2, and 3 where there is an addend), dtypes and offsets of
// three operands and of the result, the ranks of the outer and the inner dims; then for each outer dim its size and the
// steps of the three operands and the result, for each inner dim its size and the steps of the first two; then two
// factors of two words each.
const uint Sum = 0, Product = 1, Largest = 2, Smallest = 3, Mean = 4, PlaceOfLargest = 5, PlaceOfSmallest = 6;

int offsets[4];

uvec2 operand(uint slot, uint dtype) {
  uint own = metadata[push.metadata + 3u + slot];
  return converted(load(slot, own, offsets[slot]), own, dtype);
}

float combined(uint function, float total, float x) {
  if (function == Product) return total * x;
  if (function == Largest || function == PlaceOfLargest) return is_nan(total) || total > x ? total : x;
  if (function == Smallest || function == PlaceOfSmallest) return is_nan(total) || total < x ? total : x;
  return total + x;
}
double combined(uint function, double total, double x) {
  if (function == Product) return total * x;
  if (function == Largest || function == PlaceOfLargest) return is_nan(total) || total > x ? total : x;
  if (function == Smallest || function == PlaceOfSmallest) return is_nan(total) || total < x ? total : x;
  return total + x;
}
int64_t combined(uint function, int64_t total, int64_t x) {
  if (function == Product) return total * x;
  if (function == Largest || function == PlaceOfLargest) return max(total, x);
  if (function == Smallest || function == PlaceOfSmallest) return min(total, x);
  return total + x;
}
// Whether the running extreme was replaced, rather than kept.
bool is_new(float before, float after) {
  return is_nan(after) ? !is_nan(before) : before != after;
}
bool is_new(double before, double after) {
  return is_nan(after) ? !is_nan(before) : before != after;
}

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint function = metadata[at];
  uint dtype = metadata[at + 1u];
  uint operands = metadata[at + 2u];
  uint result_dtype = metadata[at + 6u];
  for (uint k = 0u; k < 4u; ++k) offsets[k] = int(metadata[at + 7u + k]);
  uint outer = metadata[at + 11u];
  uint inner = metadata[at + 12u];
  at += 13u;
  descend(item, at, outer, 4u, offsets);
  at += 5u * outer;
  uint count = 1u;
  for (uint d = 0u; d < inner; ++d) count *= metadata[at + 3u * d];
  int first_a = offsets[0];
  int first_b = offsets[1];
  uint numbers = class_of(dtype);
  float total = function == Product ? 1.0 : function == Largest ? -float_inf : function == Smallest ? float_inf : 0.0;
  double wide_total = double(total);
  int64_t whole_total = function == Product ? int64_t(1) : function == Largest ? int64_t(1) << 63
                        : function == Smallest ? ~(int64_t(1) << 63) : int64_t(0);
  bool places = function == PlaceOfLargest || function == PlaceOfSmallest;
  uint place = 0u;
  for (uint i = 0u; i < count; ++i) {
    offsets[0] = first_a;
    offsets[1] = first_b;
    descend(i, at, inner, 2u, offsets);
    uvec2 a = operand(0u, dtype);
    uvec2 b = operands >= 2u ? operand(1u, dtype) : uvec2(0u);
    bool starts = places && i == 0u;
    if (numbers == FloatClass) {
      precise float x = to_float(a);
      if (operands >= 2u) x = x * to_float(b);
      precise float next = starts ? x : combined(function, total, x);
      if (places && !starts && is_new(total, next)) place = i;
      total = next;
    } else if (numbers == IntegerClass) {
      int64_t x = to_integer(a);
      if (operands >= 2u) x = x * to_integer(b);
      int64_t next = starts ? x : combined(function, whole_total, x);
      if (places && !starts && next != whole_total) place = i;
      whole_total = next;
    } else {
      precise double x = to_double(a);
      if (operands >= 2u) x = x * to_double(b);
      precise double next = starts ? x : combined(function, wide_total, x);
      if (places && !starts && is_new(wide_total, next)) place = i;
      wide_total = next;
    }
  }
  if (function == Mean) {
    total = total / float(count);
    wide_total = wide_total / double(count);
  }
  if (operands == 3u) {
    at += 3u * inner;
    uvec2 alpha = uvec2(metadata[at], metadata[at + 1u]);
    uvec2 beta = uvec2(metadata[at + 2u], metadata[at + 3u]);
    uvec2 addend = operand(2u, dtype);
    // With a beta of 0 not even NaN of the addend is seen.
    bool counts = (beta.x | beta.y) != 0u;
    precise float sum = to_float(alpha) * total;
    if (counts) sum = to_float(beta) * to_float(addend) + sum;
    precise double wide_sum = to_double(alpha) * wide_total;
    if (counts) wide_sum = to_double(beta) * to_double(addend) + wide_sum;
    total = sum;
    wide_total = wide_sum;
    whole_total = to_integer(alpha) * whole_total + to_integer(beta) * to_integer(addend);
  }
  uvec2 number = places ? integer_bits(int64_t(place))
                 : numbers == FloatClass ? float_bits(total)
                 : numbers == IntegerClass ? integer_bits(wrapped(whole_total, dtype)) : double_bits(wide_total);
  store(0u, result_dtype, offsets[3], places ? number : converted(number, dtype, result_dtype));
}
