// Arithmetic of two or three operands, element by element, in the result's dtype.
#include <algorithm>
#include <array>

#include "backends/portable/element_loops.h"

namespace parallax::portable {
namespace {

struct Add {
  template <class C>
  C operator()(C a, C b) const {
    return add(a, b);
  }
};
struct Subtract {
  template <class C>
  C operator()(C a, C b) const {
    return add(a, negate(b));
  }
};
struct Multiply {
  template <class C>
  C operator()(C a, C b) const {
    return multiply(a, b);
  }
};
struct Divide {
  template <class C>
  C operator()(C a, C b) const {
    return a / b;
  }
};
// NaN of either operand goes through.
struct Maximum {
  template <class C>
  C operator()(C a, C b) const {
    return a != a || a > b ? a : b;
  }
};
struct Minimum {
  template <class C>
  C operator()(C a, C b) const {
    return a != a || a < b ? a : b;
  }
};

// f(a, alpha b)
template <class F>
Result<void> binary_with_alpha(const KernelCall& call) {
  with_compute_type(call.output().dtype, [&]<class C>(std::type_identity<C>) {
    const C alpha = call.alpha<C>();
    combine<C>(call, [&](C a, C b) { return F()(a, multiply(alpha, b)); });
  });
  return {};
}

// self + value tensor1 tensor2
Result<void> addcmul(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const C value = call.number<C>(arg::value);
    Numbers<C> self = call.operand<C>(arg::self, dtype);
    const Numbers<C> a = call.operand<C>(arg::tensor1, dtype);
    const Numbers<C> b = call.operand<C>(arg::tensor2, dtype);
    for (std::size_t i = 0; i < self.size(); ++i) {
      self[i] = add(self[i], multiply(multiply(value, a[i]), b[i]));
    }
    call.write(self);
  });
  return {};
}

constexpr std::array binary_table = {
    KernelEntry{"aten.add.Tensor", binary_with_alpha<Add>, Overwrites::Elements},
    KernelEntry{"aten.add.Scalar", binary_with_alpha<Add>, Overwrites::Elements},
    KernelEntry{"aten.sub.Tensor", binary_with_alpha<Subtract>, Overwrites::Elements},
    KernelEntry{"aten.sub.Scalar", binary_with_alpha<Subtract>, Overwrites::Elements},
    KernelEntry{"aten.mul.Tensor", binary<Multiply>, Overwrites::Elements},
    KernelEntry{"aten.mul.Scalar", binary<Multiply>, Overwrites::Elements},
    KernelEntry{"aten.div.Tensor", float_binary<Divide>, Overwrites::Elements},
    KernelEntry{"aten.div.Scalar", float_binary<Divide>, Overwrites::Elements},
    KernelEntry{"aten.maximum.default", binary<Maximum>, Overwrites::Elements},
    KernelEntry{"aten.minimum.default", binary<Minimum>, Overwrites::Elements},
    KernelEntry{"aten.addcmul.default", addcmul, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> binary_kernels() { return binary_table; }

}  // namespace parallax::portable
