#include "core/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/check.h"

namespace parallax {
namespace {

template <class T>
constexpr int64_t low() {
  return std::numeric_limits<T>::min();
}
template <class T>
constexpr int64_t high() {
  return std::numeric_limits<T>::max();
}

constexpr std::array<DTypeInfo, dtype_count> table = {{
    {"bool", 1, false, 0, 0, 0, 0, 0, 0, 1},
    {"u8", 1, false, 0, 0, 0, 0, 0, low<uint8_t>(), high<uint8_t>()},
    {"i8", 1, false, 0, 0, 0, 0, 0, low<int8_t>(), high<int8_t>()},
    {"i16", 2, false, 0, 0, 0, 0, 0, low<int16_t>(), high<int16_t>()},
    {"i32", 4, false, 0, 0, 0, 0, 0, low<int32_t>(), high<int32_t>()},
    {"i64", 8, false, 0, 0, 0, 0, 0, low<int64_t>(), high<int64_t>()},
    {"f16", 2, true, 11, 0x1p-11, 65504.0, 0x1p-14, 0x1p-24, 0, 0},
    {"bf16", 2, true, 8, 0x1p-8, 0x1.FEp127, 0x1p-126, 0x1p-133, 0, 0},
    {"f32", 4, true, 24, 0x1p-24, std::numeric_limits<float>::max(), 0x1p-126, 0x1p-149, 0, 0},
    {"f64", 8, true, 53, 0x1p-53, std::numeric_limits<double>::max(), 0x1p-1022, 0x1p-1074, 0, 0},
}};

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void write(T value, std::byte* at) {
  std::memcpy(at, &value, sizeof value);
}

// x rounded to `precision` bits, with subnormals spaced by `tiny` and overflow past `largest` to infinity.
double round_to_format(double x, int precision, double tiny, double largest) {
  if (!std::isfinite(x) || x == 0) return x;
  const int exponent = std::ilogb(x);
  const double spacing = std::max(std::ldexp(1.0, exponent - precision + 1), tiny);
  const double rounded = std::nearbyint(x / spacing) * spacing;
  if (std::fabs(rounded) > largest) return std::copysign(std::numeric_limits<double>::infinity(), x);
  return rounded;
}

}  // namespace

const DTypeInfo& info(DType dtype) { return table[static_cast<std::size_t>(dtype)]; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i) {
    if (table[static_cast<std::size_t>(i)].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (is_floating(b)) {
    if (a == DType::F16 && b == DType::BF16) return DType::F32;
    return b;
  }
  if (a == DType::U8 && b == DType::I8) return DType::I16;
  return b;
}

bool can_cast(DType from, DType to) {
  if (is_floating(from) && !is_floating(to)) return false;
  return !(from != DType::Bool && to == DType::Bool);
}

double round_to(DType dtype, double x) {
  switch (dtype) {
    case DType::F64: return x;
    case DType::F32: return static_cast<double>(static_cast<float>(x));
    default: {
      const DTypeInfo& format = info(dtype);
      PARALLAX_CHECK(format.floating);
      return round_to_format(x, format.precision, format.smallest_subnormal, format.max_finite);
    }
  }
}

double next_up(DType dtype, double x) {
  if (std::isnan(x) || x == std::numeric_limits<double>::infinity()) return x;
  if (dtype == DType::F64) return std::nextafter(x, std::numeric_limits<double>::infinity());
  const DTypeInfo& format = info(dtype);
  if (x == -std::numeric_limits<double>::infinity()) return -format.max_finite;
  if (x >= format.max_finite) return std::numeric_limits<double>::infinity();
  if (x == 0) return format.smallest_subnormal;
  int exponent = std::ilogb(x);
  // Going up from a negative power of two enters the finer binade below it.
  if (x < 0 && std::ldexp(-1.0, exponent) == x) --exponent;
  return x + std::max(std::ldexp(1.0, exponent - format.precision + 1), format.smallest_subnormal);
}

double next_down(DType dtype, double x) { return -next_up(dtype, -x); }

int64_t wrap_to(DType dtype, int64_t x) {
  switch (dtype) {
    case DType::Bool: return x != 0;
    case DType::U8: return static_cast<uint8_t>(x);
    case DType::I8: return static_cast<int8_t>(x);
    case DType::I16: return static_cast<int16_t>(x);
    case DType::I32: return static_cast<int32_t>(x);
    default: return x;
  }
}

float f16_to_float(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  float magnitude;
  if (exponent == 31) {
    magnitude = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    magnitude = static_cast<float>(fraction) * 0x1p-24F;
  } else {
    magnitude = std::bit_cast<float>((static_cast<uint32_t>(exponent + 112) << 23) | (static_cast<uint32_t>(fraction) << 13));
  }
  return (bits & 0x8000) ? -magnitude : magnitude;
}

uint16_t double_to_f16(double x) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return sign | 0x7E00;
  const double magnitude = std::fabs(round_to(DType::F16, x));
  if (std::isinf(magnitude)) return sign | 0x7C00;
  if (magnitude < 0x1p-14) return static_cast<uint16_t>(sign | static_cast<uint16_t>(magnitude * 0x1p24));
  const int exponent = std::ilogb(magnitude);
  const auto fraction = static_cast<uint16_t>(std::ldexp(magnitude, 10 - exponent)) & 1023;
  return static_cast<uint16_t>(sign | ((exponent + 15) << 10) | fraction);
}

float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t double_to_bf16(double x) {
  if (std::isnan(x)) return static_cast<uint16_t>((std::signbit(x) ? 0x8000 : 0) | 0x7FC0);
  // The rounded value has at most 8 significant bits, so the float conversion is exact.
  const auto rounded = static_cast<float>(round_to(DType::BF16, x));
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(rounded) >> 16);
}

double load_double(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::F16: return static_cast<double>(f16_to_float(read<uint16_t>(at)));
    case DType::BF16: return static_cast<double>(bf16_to_float(read<uint16_t>(at)));
    case DType::F32: return static_cast<double>(read<float>(at));
    case DType::F64: return read<double>(at);
    default: return static_cast<double>(load_integer(dtype, at));
  }
}

int64_t load_integer(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::Bool: return read<uint8_t>(at) != 0;
    case DType::U8: return read<uint8_t>(at);
    case DType::I8: return read<int8_t>(at);
    case DType::I16: return read<int16_t>(at);
    case DType::I32: return read<int32_t>(at);
    case DType::I64: return read<int64_t>(at);
    default: PARALLAX_CHECK(is_integral(dtype)); return 0;
  }
}

void store_double(DType dtype, double x, std::byte* at) {
  switch (dtype) {
    case DType::F16: return write(double_to_f16(x), at);
    case DType::BF16: return write(double_to_bf16(x), at);
    case DType::F32: return write(static_cast<float>(x), at);
    case DType::F64: return write(x, at);
    default: PARALLAX_CHECK(is_floating(dtype));
  }
}

void store_integer(DType dtype, int64_t x, std::byte* at) {
  switch (dtype) {
    case DType::Bool: return write(static_cast<uint8_t>(x != 0), at);
    case DType::U8: return write(static_cast<uint8_t>(x), at);
    case DType::I8: return write(static_cast<int8_t>(x), at);
    case DType::I16: return write(static_cast<int16_t>(x), at);
    case DType::I32: return write(static_cast<int32_t>(x), at);
    case DType::I64: return write(x, at);
    default: PARALLAX_CHECK(is_integral(dtype));
  }
}

}  // namespace parallax
