// Kernel: how the portable backend computes one op. A table of names and functions, in a few files by family.
//
// Kernels are written from ATen's documentation and share nothing with the oracle's reference kernels, so that a
// mistake in one is seen in the other. A kernel's results overlap its operands only as its entry allows.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "backends/portable/elements.h"
#include "ops/op.h"

namespace parallax::portable {

// Working memory of one kernel call.
template <class T>
using Numbers = std::pmr::vector<T>;

// A call with its operands and results in memory.
class KernelCall : public Call {
 public:
  // `tensors` goes by value id; `scratch` is reset between calls.
  KernelCall(const Call& call, std::span<const TensorRef> tensors, std::span<const ValueId> results,
             std::pmr::memory_resource& scratch)
      : Call(call), tensors_(tensors), results_(results), scratch_(&scratch) {}

  const TensorRef& ref(ValueId value) const { return tensors_[value.index]; }
  const TensorRef& input(ParameterRef parameter) const { return ref(value(parameter)); }
  const TensorRef& output(std::size_t k = 0) const { return ref(results_[k]); }
  std::size_t output_count() const { return results_.size(); }
  const Dims& output_sizes() const { return output().layout->sizes; }

  // n numbers, all zero.
  template <class C>
  Numbers<C> numbers(int64_t n) const {
    return Numbers<C>(static_cast<std::size_t>(n), scratch_);
  }
  // The elements of any layout over a tensor's storage, row-major, converted to `common` on the way.
  template <class C>
  Numbers<C> read(const TensorRef& tensor, const Layout& layout, DType common) const {
    Numbers<C> values = numbers<C>(layout.numel());
    if (common == DType::Bool && is_floating(tensor.dtype)) {
      // 0.5 is true, and would be 0 as the integer that a bool is computed as.
      Numbers<double> exact = numbers<double>(layout.numel());
      read_elements(tensor, layout, exact.data());
      std::ranges::transform(exact, values.begin(), [](double x) { return static_cast<C>(x != 0); });
      return values;
    }
    read_elements(tensor, layout, values.data());
    // Float holds all of f32 and int64_t all of i64, and what is wider than the common dtype loses its excess.
    if (common != tensor.dtype && common != DType::F32 && common != DType::F64 && common != DType::I64) {
      for (C& value : values) value = rounded_to(common, value);
    }
    return values;
  }
  // The elements of a tensor parameter in its own layout.
  template <class C>
  Numbers<C> read(ParameterRef parameter, DType common) const {
    return read<C>(input(parameter), *input(parameter).layout, common);
  }
  // A tensor parameter broadcast to the output's sizes.
  template <class C>
  Numbers<C> operand(ParameterRef parameter, DType common) const {
    return broadcast<C>(input(parameter), output_sizes(), common);
  }
  template <class C>
  Numbers<C> broadcast(const TensorRef& tensor, const Dims& sizes, DType common) const {
    const std::optional<Layout> layout = broadcast_to(*tensor.layout, sizes);
    PARALLAX_CHECK(layout.has_value());
    return read<C>(tensor, *layout, common);
  }
  // A parameter that is a tensor or a Python number, for every element of the output.
  template <class C>
  Numbers<C> operand_or_number(ParameterRef parameter, DType common) const {
    if (is_tensor(parameter)) return operand<C>(parameter, common);
    Numbers<C> values = numbers<C>(output().layout->numel());
    std::ranges::fill(values, number<C>(parameter, common));
    return values;
  }
  // A scalar parameter as it is, and as an operand of the common dtype: as a bool, what is not 0 is 1.
  template <class C>
  C number(ParameterRef parameter) const {
    return std::visit([](auto x) { return convert<C>(x); }, scalar(parameter));
  }
  template <class C>
  C number(ParameterRef parameter, DType common) const {
    if (common == DType::Bool) return static_cast<C>(as_double(scalar(parameter)) != 0);
    return rounded_to(common, number<C>(parameter));
  }
  // What scales an operand before it is added: not rounded to the result's dtype, and a truth where that is bool.
  template <class C>
  C alpha() const {
    return output().dtype == DType::Bool ? number<C>(arg::alpha, DType::Bool) : number<C>(arg::alpha);
  }

  // Copies the storage of `parameter` into the output's, what lies between the elements included: eager makes the
  // results of copy and of the scatter ops from a clone of the whole storage, and as_strided can reach all of it.
  // Nothing to do where the result has no gaps.
  void clone_gaps(ParameterRef parameter) const;
  // Puts row-major numbers into output k.
  template <class C>
  void write(const Numbers<C>& values, std::size_t k = 0) const {
    write_elements(output(k), *output(k).layout, values.data());
  }

 private:
  std::span<const TensorRef> tensors_;
  std::span<const ValueId> results_;
  std::pmr::memory_resource* scratch_;
};

// Fills the outputs, or says what is wrong with the data (an index out of range).
using Kernel = Result<void> (*)(const KernelCall& call);

// Whether a result may be written over an operand of the same layout and element size. Elements: the kernel reads each
// element of any tensor operand before it writes the same element of its one result.
enum class Overwrites : uint8_t { Nothing, Elements };

struct KernelEntry {
  std::string_view op;
  Kernel kernel;
  Overwrites overwrites = Overwrites::Nothing;
};

// The families. A new one is its file and one line in kernel.cpp.
std::span<const KernelEntry> unary_kernels();
std::span<const KernelEntry> binary_kernels();
std::span<const KernelEntry> division_kernels();
std::span<const KernelEntry> comparison_kernels();
std::span<const KernelEntry> fill_kernels();
std::span<const KernelEntry> reduction_kernels();
std::span<const KernelEntry> move_kernels();
std::span<const KernelEntry> index_kernels();
std::span<const KernelEntry> product_kernels();
std::span<const KernelEntry> convolution_kernels();
std::span<const KernelEntry> pool_kernels();
std::span<const KernelEntry> pad_kernels();
std::span<const KernelEntry> function_kernels();
std::span<const KernelEntry> rounding_kernels();
std::span<const KernelEntry> bit_kernels();
std::span<const KernelEntry> pair_kernels();
std::span<const KernelEntry> order_kernels();
std::span<const KernelEntry> scan_kernels();
std::span<const KernelEntry> scatter_kernels();
std::span<const KernelEntry> lookup_kernels();
std::span<const KernelEntry> resample_kernels();
std::span<const KernelEntry> grid_kernels();
std::span<const KernelEntry> distance_kernels();
std::span<const KernelEntry> gamma_kernels();
std::span<const KernelEntry> bessel_kernels();
std::span<const KernelEntry> polynomial_kernels();
std::span<const KernelEntry> bag_kernels();
std::span<const KernelEntry> gradient_kernels();
std::span<const KernelEntry> quantization_kernels();

// The kernel of an op, or null.
Kernel find_kernel(std::string_view op);
// Whether the kernel of an op may write its result over the operand of that parameter (planner/in_place.h).
bool writes_in_place(const Op& op, int parameter);

}  // namespace parallax::portable
