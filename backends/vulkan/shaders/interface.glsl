// The interface of every shader: one invocation does one item of work, numbered from 0, out of the words of metadata
// that the push constants lead to. Shapes, strides and dtypes are metadata, so that a new graph needs no new shader.
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require
#extension GL_EXT_spirv_intrinsics : require

// Numbers of SPV_KHR_float_controls: modes SignedZeroInfNanPreserve (4461) and RoundingModeRTE (4462), and the
// capabilities that they need.
#ifdef PRESERVE_SPECIAL_VALUES
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 64);
#endif
#ifdef ROUND_TO_NEAREST
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 64);
#endif

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push {
  uint metadata;
  uint first;
  uint count;
} push;
layout(set = 0, binding = 0) readonly buffer Metadata { uint metadata[]; };
layout(set = 0, binding = 1) buffer Status { uint status[]; };
layout(set = 0, binding = 2) readonly buffer Inputs { uint words[]; } inputs[INPUTS];
// One binding, written in elements of one, two or four bytes.
layout(set = 0, binding = 3) buffer Outputs8 { uint8_t bytes[]; } outputs8[OUTPUTS];
layout(set = 0, binding = 3) buffer Outputs16 { uint16_t halves[]; } outputs16[OUTPUTS];
layout(set = 0, binding = 3) buffer Outputs32 { uint words[]; } outputs32[OUTPUTS];

// The dtypes, numbered as on the host (core/dtype.h).
const uint Bool = 0, U8 = 1, I8 = 2, I16 = 3, I32 = 4, I64 = 5, F16 = 6, BF16 = 7, F32 = 8, F64 = 9;
// What a kernel computes in: float for f16, bf16 and f32, int64_t for integers and bool, double for f64. Numbers of
// every class are kept as 64 bits.
const uint FloatClass = 0, IntegerClass = 1, DoubleClass = 2;

uint class_of(uint dtype) { return dtype < F16 ? IntegerClass : dtype == F64 ? DoubleClass : FloatClass; }
uint log_size_of(uint dtype) {
  return dtype <= I8 ? 0u : dtype == I16 || dtype == F16 || dtype == BF16 ? 1u : dtype == I32 || dtype == F32 ? 2u : 3u;
}

uvec2 float_bits(float x) { return uvec2(floatBitsToUint(x), 0u); }
float to_float(uvec2 bits) { return uintBitsToFloat(bits.x); }
uvec2 integer_bits(int64_t x) { return uvec2(uint(uint64_t(x)), uint(uint64_t(x) >> 32)); }
int64_t to_integer(uvec2 bits) { return int64_t(uint64_t(bits.x) | uint64_t(bits.y) << 32); }
uvec2 flag_bits(bool flag) { return uvec2(flag ? 1u : 0u, 0u); }
uvec2 double_bits(double x) { return unpackDouble2x32(x); }
double to_double(uvec2 bits) { return packDouble2x32(bits); }

// By bits: what a driver makes of a comparison with NaN is its own affair.
bool is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bool is_inf(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }
bool is_negative(float x) { return floatBitsToUint(x) >> 31 != 0u; }
bool is_nan(double x) {
  uvec2 bits = unpackDouble2x32(x);
  uint high = bits.y & 0x7fffffffu;
  return high > 0x7ff00000u || (high == 0x7ff00000u && bits.x != 0u);
}
bool is_negative(double x) { return unpackDouble2x32(x).y >> 31 != 0u; }
#define float_nan uintBitsToFloat(0x7fc00000u)
#define float_inf uintBitsToFloat(0x7f800000u)

// The 16-bit formats by hand: the rounding of a conversion is the driver's choice, and so are subnormal halves.
float half_to_float(uint half_bits) {
  uint sign = (half_bits & 0x8000u) << 16;
  uint exponent = half_bits >> 10 & 31u;
  uint mantissa = half_bits & 1023u;
  uint normal = (exponent == 31u ? 0x7f800000u : exponent + 112u << 23) | mantissa << 13;
  uint bits = exponent == 0u ? floatBitsToUint(float(mantissa) * 5.9604644775390625e-8) : normal;
  return uintBitsToFloat(sign | bits);
}
uint float_to_half(float x) {
  uint bits = floatBitsToUint(x);
  uint sign = bits >> 16 & 0x8000u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return sign | 0x7e00u;
  if (bits >= 0x477ff000u) return sign | 0x7c00u;
  if (bits < 0x38800000u) return sign | uint(roundEven(uintBitsToFloat(bits) * 16777216.0));
  return sign | (bits + 0xfffu + (bits >> 13 & 1u) - 0x38000000u) >> 13;
}
uint float_to_brain(float x) {
  uint bits = floatBitsToUint(x);
  return is_nan(x) ? 0x7fc0u : bits + 0x7fffu + (bits >> 16 & 1u) >> 16;
}

// The element of an input as a number of its dtype's class.
uvec2 load(uint slot, uint dtype, int element) {
  uint log_size = log_size_of(dtype);
  uint at = uint(element) << log_size;
  uint low = inputs[slot].words[at >> 2];
  uint high = log_size == 3u ? inputs[slot].words[(at >> 2) + 1u] : 0u;
  uint shifted = low >> (at & 3u) * 8u;
  if (dtype == F32 || log_size == 3u) return uvec2(low, high);
  if (dtype == I32) return uvec2(low, uint(int(low) >> 31));
  if (dtype == F16) return float_bits(half_to_float(shifted & 0xffffu));
  if (dtype == BF16) return uvec2(shifted << 16, 0u);
  if (dtype == I16) return uvec2(uint(bitfieldExtract(int(shifted), 0, 16)), uint(int(shifted << 16) >> 31));
  if (dtype == I8) return uvec2(uint(bitfieldExtract(int(shifted), 0, 8)), uint(int(shifted << 24) >> 31));
  if (dtype == Bool) return uvec2((shifted & 0xffu) != 0u ? 1u : 0u, 0u);
  return uvec2(shifted & 0xffu, 0u);
}

// Rounds or wraps a number of the dtype's class into an output.
void store(uint slot, uint dtype, int element, uvec2 number) {
  uint log_size = log_size_of(dtype);
  if (log_size == 0u) {
    outputs8[slot].bytes[element] = uint8_t(dtype == Bool ? min(number.x | number.y, 1u) : number.x & 0xffu);
  } else if (log_size == 1u) {
    uint bits = dtype == I16 ? number.x & 0xffffu
                : dtype == F16 ? float_to_half(to_float(number)) : float_to_brain(to_float(number));
    outputs16[slot].halves[element] = uint16_t(bits);
  } else if (log_size == 2u) {
    outputs32[slot].words[element] = number.x;
  } else {
    outputs32[slot].words[2 * element] = number.x;
    outputs32[slot].words[2 * element + 1] = number.y;
  }
}

int64_t integer_of(float x) {
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? int64_t(x) : int64_t(1) << 63;
}
int64_t integer_of(double x) {
  return x >= -9223372036854775808.0lf && x < 9223372036854775808.0lf ? int64_t(x) : int64_t(1) << 63;
}

// An integer wrapped into an integer dtype.
int64_t wrapped(int64_t x, uint dtype) {
  if (dtype == I64) return x;
  if (dtype == I32) return int64_t(int(uint(uint64_t(x))));
  uint low = uint(uint64_t(x));
  if (dtype == I16) return int64_t(bitfieldExtract(int(low), 0, 16));
  if (dtype == I8) return int64_t(bitfieldExtract(int(low), 0, 8));
  if (dtype == U8) return int64_t(low & 0xffu);
  return int64_t(x != 0 ? 1 : 0);
}
float rounded(float x, uint dtype) {
  if (dtype == F16) return half_to_float(float_to_half(x));
  if (dtype == BF16) return uintBitsToFloat(float_to_brain(x) << 16);
  return x;
}

// A number of one dtype as one of another, as ATen casts: f64 goes to the 16-bit formats through f32.
uvec2 converted(uvec2 number, uint from, uint to) {
  uint source = class_of(from);
  uint target = class_of(to);
  uvec2 made;
  if (to == Bool && source != IntegerClass) {
    made = flag_bits(source == FloatClass ? (number.x & 0x7fffffffu) != 0u
                                          : (number.x | number.y & 0x7fffffffu) != 0u);
  } else if (target == IntegerClass) {
    int64_t whole = source == IntegerClass ? to_integer(number)
                    : source == FloatClass ? integer_of(to_float(number)) : integer_of(to_double(number));
    made = integer_bits(wrapped(whole, to));
  } else if (target == DoubleClass) {
    made = source == IntegerClass ? double_bits(double(to_integer(number)))
           : source == FloatClass ? double_bits(double(to_float(number))) : number;
  } else {
    float x = source == IntegerClass ? float(to_integer(number))
              : source == FloatClass ? to_float(number) : float(to_double(number));
    made = float_bits(rounded(x, to));
  }
  return made;
}

// Where an item lies in dims that are rows of metadata: a size, and the steps of `tensors` tensors, whose elements are
// moved from the first one of each.
void descend(uint item, uint rows, uint dims, uint tensors, inout int elements[4]) {
  for (uint d = dims; d-- > 0u;) {
    uint row = rows + (tensors + 1u) * d;
    int coordinate = int(item % metadata[row]);
    item /= metadata[row];
    for (uint k = 0u; k < tensors; ++k) elements[k] += coordinate * int(metadata[row + 1u + k]);
  }
}
// The same of one tensor, from its first element on.
int offset_in(uint item, uint rows, uint dims) {
  int elements[4] = int[4](0, 0, 0, 0);
  descend(item, rows, dims, 1u, elements);
  return elements[0];
}

// What eager would raise, once a dispatch: the first invocation that says so is the one to be heard.
void raise(uint code, int64_t first, int64_t second) {
  if (atomicCompSwap(status[0], 0u, code) != 0u) return;
  uvec2 bits = integer_bits(first);
  status[1] = bits.x;
  status[2] = bits.y;
  bits = integer_bits(second);
  status[3] = bits.x;
  status[4] = bits.y;
}
const uint ZeroDivision = 1, OutOfRange = 2, WrongCount = 3, FloatZeroDivision = 4;
