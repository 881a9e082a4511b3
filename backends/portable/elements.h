// Elements: how the portable kernels read and write memory of any dtype and layout.
//
// A kernel computes in one of three types: float for f16, bf16 and f32, double for f64, int64_t for integers and bool.
// Reading converts into that type, writing rounds or wraps once into the tensor's dtype.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "core/dtype.h"
#include "core/layout.h"

namespace parallax::portable {

// A tensor in memory: `storage` is where its storage starts, in whole; the layout leads from there.
struct TensorRef {
  std::byte* storage = nullptr;
  DType dtype = DType::F32;
  const Layout* layout = nullptr;
};

// A dim counted from either end as one counted from the front.
inline int wrapped_dim(int64_t dim, int rank) { return static_cast<int>(dim < 0 ? dim + rank : dim); }

// Memory types of the dtypes that C++ has no arithmetic type for. A bool may hold any byte while it is poison.
struct BoolBits {
  uint8_t bits;
};
struct HalfBits {
  uint16_t bits;
};
struct BrainBits {
  uint16_t bits;
};

// Calls `visit(std::type_identity<M>())` with the memory type of a dtype.
template <class Visit>
decltype(auto) with_memory_type(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::Bool:
      return visit(std::type_identity<BoolBits>());
    case DType::U8:
      return visit(std::type_identity<uint8_t>());
    case DType::I8:
      return visit(std::type_identity<int8_t>());
    case DType::I16:
      return visit(std::type_identity<int16_t>());
    case DType::I32:
      return visit(std::type_identity<int32_t>());
    case DType::I64:
      return visit(std::type_identity<int64_t>());
    case DType::F16:
      return visit(std::type_identity<HalfBits>());
    case DType::BF16:
      return visit(std::type_identity<BrainBits>());
    case DType::F32:
      return visit(std::type_identity<float>());
    case DType::F64:
      break;
  }
  return visit(std::type_identity<double>());
}

// Calls `visit(std::type_identity<C>())` with the type that kernels compute a dtype in.
template <class Visit>
decltype(auto) with_compute_type(DType dtype, Visit&& visit) {
  if (dtype == DType::F64) return visit(std::type_identity<double>());
  if (is_floating(dtype)) return visit(std::type_identity<float>());
  return visit(std::type_identity<int64_t>());
}
// Likewise for a dtype that is known to be floating: no integer code is made.
template <class Visit>
decltype(auto) with_float_type(DType dtype, Visit&& visit) {
  if (dtype == DType::F64) return visit(std::type_identity<double>());
  return visit(std::type_identity<float>());
}

// One number as another type. A float that no int64_t holds gives the smallest one: eager leaves it undefined.
template <class To, class From>
To convert(From x) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return x >= From(-0x1p63) && x < From(0x1p63) ? static_cast<To>(x) : std::numeric_limits<To>::min();
  } else {
    return static_cast<To>(x);
  }
}

// Sums and products of the compute type. Integers wrap, which signed types of the language do not promise.
template <class C>
C add(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <class C>
C multiply(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}
template <class C>
C negate(C a) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(-static_cast<uint64_t>(a));
  } else {
    return -a;
  }
}

// A memory element as a number of the compute type.
template <class C, class M>
C load(M element) {
  if constexpr (std::is_same_v<M, BoolBits>) {
    return static_cast<C>(element.bits != 0);
  } else if constexpr (std::is_same_v<M, HalfBits>) {
    return convert<C>(f16_to_float(element.bits));
  } else if constexpr (std::is_same_v<M, BrainBits>) {
    return convert<C>(bf16_to_float(element.bits));
  } else {
    return convert<C>(element);
  }
}

// A number of the compute type as a memory element. f64 goes to the 16-bit formats through f32, as in eager.
template <class M, class C>
M store(C x) {
  if constexpr (std::is_same_v<M, BoolBits>) {
    return {static_cast<uint8_t>(x != 0)};
  } else if constexpr (std::is_same_v<M, HalfBits>) {
    return {double_to_f16(static_cast<double>(static_cast<float>(x)))};
  } else if constexpr (std::is_same_v<M, BrainBits>) {
    return {double_to_bf16(static_cast<double>(static_cast<float>(x)))};
  } else if constexpr (std::is_integral_v<M>) {
    return static_cast<M>(convert<int64_t>(x));
  } else {
    return static_cast<M>(x);
  }
}

// The elements of `layout` over the tensor's storage, row-major, as numbers. `to` has room for layout.numel().
template <class C>
void read_elements(const TensorRef& tensor, const Layout& layout, C* to) {
  with_memory_type(tensor.dtype, [&]<class M>(std::type_identity<M>) {
    for_each_element(layout, [&](int64_t element) {
      M memory;
      std::memcpy(&memory, tensor.storage + element * static_cast<int64_t>(sizeof(M)), sizeof(M));
      *to++ = load<C>(memory);
    });
  });
}

// Writes numbers, row-major, to the elements of `layout` over the tensor's storage.
template <class C>
void write_elements(const TensorRef& tensor, const Layout& layout, const C* from) {
  with_memory_type(tensor.dtype, [&]<class M>(std::type_identity<M>) {
    for_each_element(layout, [&](int64_t element) {
      const M memory = store<M>(*from++);
      std::memcpy(tensor.storage + element * static_cast<int64_t>(sizeof(M)), &memory, sizeof(M));
    });
  });
}

// x as `dtype` holds it, still in the compute type: an operand converted to the dtype that an op computes in.
template <class C>
C rounded_to(DType dtype, C x) {
  return with_memory_type(dtype, [&]<class M>(std::type_identity<M>) { return load<C>(store<M>(x)); });
}

}  // namespace parallax::portable
