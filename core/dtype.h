// The element types, what each can hold, and the conversions between them.
//
// Conversions follow IEEE 754 round-to-nearest-even for floats and two's complement wrapping for
// integers. f16 and bf16 have no arithmetic of their own here: they are storage formats, computed in wider types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace parallax {

enum class DType : uint8_t { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64 };

inline constexpr int dtype_count = 10;
inline constexpr std::array<DType, dtype_count> all_dtypes = {DType::Bool, DType::U8,  DType::I8,  DType::I16,
                                                              DType::I32,  DType::I64, DType::F16, DType::BF16,
                                                              DType::F32,  DType::F64};

// What a person and the case file call it, and its numeric limits. The float fields are 0 for integers.
struct DTypeInfo {
  std::string_view name;
  int size;                   // bytes an element
  bool floating;              // f16, bf16, f32, f64
  int precision;              // bits of significand, the hidden one included
  double unit_roundoff;       // 2^-precision
  double max_finite;          // largest finite value
  double smallest_normal;     // below it precision is lost
  double smallest_subnormal;  // spacing of the subnormals
  int64_t min_integer;        // integers only
  int64_t max_integer;
};

const DTypeInfo& info(DType dtype);
inline std::string_view name(DType dtype) { return info(dtype).name; }
inline int size_of(DType dtype) { return info(dtype).size; }
inline bool is_floating(DType dtype) { return dtype >= DType::F16; }
inline bool is_integral(DType dtype) { return dtype < DType::F16; }  // bool included

// The dtype of a short name ("f32"), or nothing.
std::optional<DType> parse_dtype(std::string_view name);

// PyTorch's promotion of two tensors' dtypes of the same priority (torch.promote_types).
DType promote(DType a, DType b);

// Whether eager lets a result of `from` be written in place into a tensor of `to`
// (torch.can_cast: float into integer and anything into bool are errors).
bool can_cast(DType from, DType to);

// The value nearest to x that the float dtype holds: ties to even, overflow to infinity, NaN kept.
double round_to(DType dtype, double x);

// The next representable value of the float dtype above (below) x; x itself must be representable.
double next_up(DType dtype, double x);
double next_down(DType dtype, double x);

// x wrapped into an integer dtype as two's complement; for bool, whether it is non-zero.
int64_t wrap_to(DType dtype, int64_t x);

// Element access in memory, any alignment. load_double serves every dtype (i64 over 2^53 rounds);
// load_integer and store_integer are for integers and bool; store_integer wraps, store_double rounds.
double load_double(DType dtype, const std::byte* at);
int64_t load_integer(DType dtype, const std::byte* at);
void store_double(DType dtype, double x, std::byte* at);
void store_integer(DType dtype, int64_t x, std::byte* at);

// The bit patterns of the two 16-bit formats.
float f16_to_float(uint16_t bits);
uint16_t double_to_f16(double x);
float bf16_to_float(uint16_t bits);
uint16_t double_to_bf16(double x);

}  // namespace parallax
