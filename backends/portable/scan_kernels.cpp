// Products, extremes and logarithms of sums of all elements so far along a dim.
#include <algorithm>
#include <array>

#include "backends/portable/lane_access.h"

namespace parallax::portable {
namespace {

struct RunningProduct {
  template <class C>
  C operator()(C total, C x) const {
    return multiply(total, x);
  }
};
struct RunningLogOfSum {
  template <class C>
  C operator()(C total, C x) const {
    if (total != total || x != x) return total + x;
    if (total == x && std::isinf(x)) return x;
    return std::max(total, x) + std::log1p(std::exp(-std::fabs(total - x)));
  }
};

template <class C, class F>
void accumulate(const KernelCall& call, F&& f) {
  const int64_t dim = call.integer(arg::dim);
  Lanes<C> lanes = read_lanes<C>(call, call.input(arg::self), dim, call.output().dtype);
  for (std::size_t i = 0; i < lanes.values.size(); ++i) {
    if (i % lanes.length > 0) lanes.values[i] = f(lanes.values[i - 1], lanes.values[i]);
  }
  write_lanes(call, lanes.values, dim);
}

Result<void> cumprod(const KernelCall& call) {
  with_compute_type(call.output().dtype,
                    [&]<class C>(std::type_identity<C>) { accumulate<C>(call, RunningProduct()); });
  return {};
}

Result<void> logcumsumexp(const KernelCall& call) {
  with_float_type(call.output().dtype, [&]<class C>(std::type_identity<C>) { accumulate<C>(call, RunningLogOfSum()); });
  return {};
}

// Of equals the last one counts. NaN stays, and each later NaN is a new one.
template <bool greatest>
Result<void> running_extreme(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const int64_t dim = call.integer(arg::dim);
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Lanes<C> lanes = read_lanes<C>(call, call.input(arg::self), dim, dtype);
    Numbers<int64_t> places = call.numbers<int64_t>(static_cast<int64_t>(lanes.values.size()));
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      const std::span<C> elements = lanes[lane];
      std::size_t best = 0;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const C x = elements[i];
        const C extreme = elements[best];
        if (x != x || (extreme == extreme && (greatest ? x >= extreme : x <= extreme))) best = i;
        elements[i] = elements[best];
        places[lane * lanes.length + i] = static_cast<int64_t>(best);
      }
    }
    write_lanes(call, lanes.values, dim);
    write_lanes(call, places, dim, 1);
  });
  return {};
}

constexpr std::array scan_table = {
    KernelEntry{"aten.cumprod.default", cumprod},
    KernelEntry{"aten.logcumsumexp.default", logcumsumexp},
    KernelEntry{"aten.cummax.default", running_extreme<true>},
    KernelEntry{"aten.cummin.default", running_extreme<false>},
};

}  // namespace

std::span<const KernelEntry> scan_kernels() { return scan_table; }

}  // namespace parallax::portable
