// Where numbers would stand in sorted rows: an invocation bisects a row for one number.
//
// Metadata: whether equals are passed, the dtype to compare in, dtypes of rows, numbers and result, whether a sorter
// gives the order of a row, offsets of rows, numbers, sorter and result, the length of a row and the steps of row and
// sorter along it; the rank, and for each dim of the result its size and the steps of all four.
void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  bool passes = metadata[at] != 0u;
  uint dtype = metadata[at + 1u];
  uint row_dtype = metadata[at + 2u];
  uint number_dtype = metadata[at + 3u];
  uint result_dtype = metadata[at + 4u];
  bool is_sorted = metadata[at + 5u] != 0u;
  int elements[4];
  for (uint k = 0u; k < 4u; ++k) elements[k] = int(metadata[at + 6u + k]);
  int length = int(metadata[at + 10u]);
  int row_step = int(metadata[at + 11u]);
  int sorter_step = int(metadata[at + 12u]);
  descend(item, at + 14u, metadata[at + 13u], 4u, elements);
  for (int i = 0; is_sorted && i < length; ++i) {
    int64_t place = to_integer(load(2u, I64, elements[2] + i * sorter_step));
    if (place < 0 || place >= int64_t(length)) {
      raise(OutOfRange, place, int64_t(length));
      return;
    }
  }
  uvec2 number = converted(load(1u, number_dtype, elements[1]), number_dtype, dtype);
  int first = 0;
  int end = length;
  while (first < end) {
    int middle = first + (end - first) / 2;
    int place = is_sorted ? int(to_integer(load(2u, I64, elements[2] + middle * sorter_step))) : middle;
    uvec2 other = converted(load(0u, row_dtype, elements[0] + place * row_step), row_dtype, dtype);
    // What is compared with NaN never ends the search to the left.
    bool in_front = is_nan(number, dtype) || is_nan(other, dtype);
    if (!in_front) {
      int64_t ours = rank_of(number, dtype);
      int64_t theirs = rank_of(other, dtype);
      in_front = passes ? theirs <= ours : theirs < ours;
    }
    if (in_front) first = middle + 1; else end = middle;
  }
  store(0u, result_dtype, elements[3], integer_bits(int64_t(first)));
}
