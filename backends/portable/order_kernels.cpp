// Sorting, and elements by their rank: each lane's places are put in order, and what is asked for is read off.
#include <algorithm>
#include <array>
#include <numeric>

#include "backends/portable/lane_access.h"

namespace parallax::portable {
namespace {

// The places of a lane from the least to the greatest element, or the other way round; equals stay in their order.
template <class C>
void order_places(std::span<const C> lane, bool descending, std::span<int64_t> places) {
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](int64_t i, int64_t j) {
    const C a = lane[static_cast<std::size_t>(i)];
    const C b = lane[static_cast<std::size_t>(j)];
    return descending ? is_below(b, a) : is_below(a, b);
  });
}

// Which results of an op are the elements and their places, counted from 0; -1 for none.
struct Results {
  int values = 0;
  int indices = 1;
};
constexpr Results both;
constexpr Results values_alone = {.indices = -1};
constexpr Results places_alone = {.values = -1, .indices = 0};

// Nothing where a call names no dim: the tensor is one lane.
std::optional<int64_t> dim_of(const KernelCall& call) {
  return call.has(arg::dim) ? std::optional(call.integer(arg::dim)) : std::nullopt;
}

// The first `kept` elements of each ordered lane.
Result<void> write_ordered(const KernelCall& call, int64_t dim, bool descending, std::optional<int64_t> kept,
                           const Results& at) {
  const DType dtype = call.input(arg::self).dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Lanes<C> lanes = read_lanes<C>(call, call.input(arg::self), dim, dtype);
    Numbers<int64_t> places = call.numbers<int64_t>(static_cast<int64_t>(lanes.length));
    Numbers<C> values = call.numbers<C>(0);
    Numbers<int64_t> indices = call.numbers<int64_t>(0);
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      order_places<C>(lanes[lane], descending, places);
      for (int64_t place : std::span(places).first(kept ? static_cast<std::size_t>(*kept) : places.size())) {
        values.push_back(lanes[lane][static_cast<std::size_t>(place)]);
        indices.push_back(place);
      }
    }
    if (at.values >= 0) write_lanes(call, values, dim, static_cast<std::size_t>(at.values));
    if (at.indices >= 0) write_lanes(call, indices, dim, static_cast<std::size_t>(at.indices));
  });
  return {};
}

// msort is along the first dim, from the least element on.
template <Results at>
Result<void> sort(const KernelCall& call) {
  const bool descending = call.takes(arg::descending) && call.boolean(arg::descending);
  return write_ordered(call, dim_of(call).value_or(0), descending, std::nullopt, at);
}

Result<void> topk(const KernelCall& call) {
  // A 0-d tensor is returned whole, even for k = 0.
  const bool is_number = call.input(arg::self).layout->rank() == 0;
  const int64_t kept = is_number ? 1 : call.integer(arg::k);
  return write_ordered(call, call.integer(arg::dim), call.boolean(arg::largest), kept, both);
}

// One element of each lane, given by its place: `pick(lane, scratch)`.
template <class Pick>
Result<void> write_picked(const KernelCall& call, const Results& at, Pick&& pick) {
  const DType dtype = call.input(arg::self).dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Lanes<C> lanes = read_lanes<C>(call, call.input(arg::self), dim_of(call), dtype);
    Numbers<int64_t> places = call.numbers<int64_t>(static_cast<int64_t>(lanes.length));
    Numbers<C> values = call.numbers<C>(0);
    Numbers<int64_t> indices = call.numbers<int64_t>(0);
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      const std::span<const C> elements = lanes[lane];
      // Of no elements the median is NaN.
      const int64_t place = elements.empty() ? 0 : pick(elements, std::span(places));
      indices.push_back(place);
      values.push_back(elements.empty() ? std::numeric_limits<C>::quiet_NaN()
                                        : elements[static_cast<std::size_t>(place)]);
    }
    if (at.values >= 0) call.write(values, static_cast<std::size_t>(at.values));
    if (at.indices >= 0) call.write(indices, static_cast<std::size_t>(at.indices));
  });
  return {};
}

// The lower of the two in the middle. A NaN makes it NaN, or is passed over.
template <bool passes_over_nan, Results at>
Result<void> median(const KernelCall& call) {
  return write_picked(call, at, []<class C>(std::span<const C> lane, std::span<int64_t> places) {
    order_places(lane, false, places);
    const auto numbers = static_cast<std::size_t>(std::ranges::count_if(lane, [](C x) { return x == x; }));
    if (numbers < lane.size() && !passes_over_nan) return places[numbers];
    return places[numbers == 0 ? 0 : (numbers - 1) / 2];
  });
}

Result<void> kthvalue(const KernelCall& call) {
  const auto rank = static_cast<std::size_t>(call.integer(arg::k) - 1);
  return write_picked(call, both, [&]<class C>(std::span<const C> lane, std::span<int64_t> places) {
    order_places(lane, false, places);
    return places[rank];
  });
}

// The first of the greatest, or of the least; NaN is more extreme than any number.
template <bool greatest>
struct Extreme {
  template <class C>
  int64_t operator()(std::span<const C> lane, std::span<int64_t>) const {
    const auto first_nan = std::ranges::find_if(lane, [](C x) { return x != x; });
    if (first_nan != lane.end()) return first_nan - lane.begin();
    return (greatest ? std::ranges::max_element(lane) : std::ranges::min_element(lane)) - lane.begin();
  }
};

template <bool greatest, Results at>
Result<void> extreme(const KernelCall& call) {
  return write_picked(call, at, Extreme<greatest>());
}

// _unique2: what is left of all elements in order where each comes once, where each element went, and how often.
Result<void> unique(const KernelCall& call) {
  constexpr ParameterRef return_inverse{2};
  constexpr ParameterRef return_counts{3};
  const TensorRef& self = call.input(arg::self);
  const Numbers<int64_t> values = call.read<int64_t>(self, *self.layout, self.dtype);
  Numbers<int64_t> different(values);
  std::ranges::sort(different);
  const auto rest = std::ranges::unique(different);
  different.erase(rest.begin(), rest.end());
  const auto planned = static_cast<std::size_t>(call.output().layout->numel());
  if (different.size() != planned) return refuse("{} elements are different, and not {}", different.size(), planned);
  call.write(different);
  Numbers<int64_t> inverse = call.numbers<int64_t>(0);
  Numbers<int64_t> counts = call.numbers<int64_t>(static_cast<int64_t>(different.size()));
  for (const int64_t value : values) {
    inverse.push_back(std::ranges::lower_bound(different, value) - different.begin());
    ++counts[static_cast<std::size_t>(inverse.back())];
  }
  if (call.boolean(return_inverse)) call.write(inverse, 1);
  if (call.boolean(return_counts)) call.write(counts, 2);
  return {};
}

constexpr std::array order_table = {
    KernelEntry{"aten._unique2.default", unique},
    KernelEntry{"aten.sort.default", sort<both>},
    KernelEntry{"aten.sort.stable", sort<both>},
    KernelEntry{"aten.argsort.default", sort<places_alone>},
    KernelEntry{"aten.argsort.stable", sort<places_alone>},
    KernelEntry{"aten.msort.default", sort<values_alone>},
    KernelEntry{"aten.topk.default", topk},
    KernelEntry{"aten.median.default", median<false, values_alone>},
    KernelEntry{"aten.nanmedian.default", median<true, values_alone>},
    KernelEntry{"aten.median.dim", median<false, both>},
    KernelEntry{"aten.nanmedian.dim", median<true, both>},
    KernelEntry{"aten.kthvalue.default", kthvalue},
    KernelEntry{"aten.max.dim", extreme<true, both>},
    KernelEntry{"aten.min.dim", extreme<false, both>},
    KernelEntry{"aten.argmax.default", extreme<true, places_alone>},
    KernelEntry{"aten.argmin.default", extreme<false, places_alone>},
};

}  // namespace

std::span<const KernelEntry> order_kernels() { return order_table; }

}  // namespace parallax::portable
