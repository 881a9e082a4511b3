// Goes in front of shaders that compare: numbers as integers that stand in the same order, so that no driver has a say
// in it.

bool is_nan(uvec2 number, uint dtype) {
  uint numbers = class_of(dtype);
  return numbers == FloatClass ? is_nan(to_float(number)) : numbers == DoubleClass && is_nan(to_double(number));
}

// Both zeros are one, and NaN stands behind all.
int64_t rank_of(uvec2 number, uint dtype) {
  uint numbers = class_of(dtype);
  if (numbers == IntegerClass) return to_integer(number);
  if (is_nan(number, dtype)) return to_integer(uvec2(0xffffffffu, 0x7fffffffu));
  bool wide = numbers == DoubleClass;
  int64_t magnitude = to_integer(wide ? uvec2(number.x, number.y & 0x7fffffffu) : uvec2(number.x & 0x7fffffffu, 0u));
  return ((wide ? number.y : number.x) >> 31) != 0u ? -magnitude : magnitude;
}
