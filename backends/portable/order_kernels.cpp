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

// What an overload of sort takes and gives; results are counted from 0, -1 for none.
struct Sort {
  int dim = 1;
  int descending = 2;
  int values = 0;
  int indices = 1;
};

// The first `kept` elements of each ordered lane, as values and as indices.
Result<void> write_ordered(const KernelCall& call, int64_t dim, bool descending, std::optional<int64_t> kept,
                           int values_at, int indices_at) {
  const DType dtype = call.input(0).dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Lanes<C> lanes = read_lanes<C>(call, call.input(0), dim, dtype);
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
    if (values_at >= 0) write_lanes(call, values, dim, static_cast<std::size_t>(values_at));
    if (indices_at >= 0) write_lanes(call, indices, dim, static_cast<std::size_t>(indices_at));
  });
  return {};
}

template <Sort at>
Result<void> sort(const KernelCall& call) {
  const int64_t dim = at.dim < 0 ? 0 : call.integer(at.dim);
  const bool descending = at.descending >= 0 && call.boolean(at.descending);
  return write_ordered(call, dim, descending, std::nullopt, at.values, at.indices);
}

Result<void> topk(const KernelCall& call) {
  return write_ordered(call, call.integer(2), call.boolean(3), call.integer(1), 0, 1);
}

// One element of each lane, given by its place; without a dim the tensor is one lane. `pick(lane, scratch)` gives it.
template <class Pick>
Result<void> write_picked(const KernelCall& call, std::optional<int64_t> dim, int values_at, int indices_at,
                          Pick&& pick) {
  const DType dtype = call.input(0).dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Lanes<C> lanes = read_lanes<C>(call, call.input(0), dim, dtype);
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
    if (values_at >= 0) call.write(values, static_cast<std::size_t>(values_at));
    if (indices_at >= 0) call.write(indices, static_cast<std::size_t>(indices_at));
  });
  return {};
}

// The lower of the two in the middle. A NaN makes it NaN, or is passed over.
template <bool passes_over_nan>
Result<void> median_of(const KernelCall& call, std::optional<int64_t> dim, int indices_at) {
  return write_picked(call, dim, 0, indices_at, []<class C>(std::span<const C> lane, std::span<int64_t> places) {
    order_places(lane, false, places);
    const auto numbers = static_cast<std::size_t>(std::ranges::count_if(lane, [](C x) { return x == x; }));
    if (numbers < lane.size() && !passes_over_nan) return places[numbers];
    return places[numbers == 0 ? 0 : (numbers - 1) / 2];
  });
}

template <bool passes_over_nan>
Result<void> median(const KernelCall& call) {
  return median_of<passes_over_nan>(call, std::nullopt, -1);
}
template <bool passes_over_nan>
Result<void> median_along(const KernelCall& call) {
  return median_of<passes_over_nan>(call, call.integer(1), 1);
}

Result<void> kthvalue(const KernelCall& call) {
  const auto rank = static_cast<std::size_t>(call.integer(1) - 1);
  return write_picked(call, call.integer(2), 0, 1, [&]<class C>(std::span<const C> lane, std::span<int64_t> places) {
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

template <bool greatest>
Result<void> extreme_along(const KernelCall& call) {
  return write_picked(call, call.integer(1), 0, 1, Extreme<greatest>());
}
template <bool greatest>
Result<void> place_of_extreme(const KernelCall& call) {
  const std::optional<int64_t> dim = call.has(1) ? std::optional(call.integer(1)) : std::nullopt;
  return write_picked(call, dim, -1, 0, Extreme<greatest>());
}

constexpr Sort plain;
constexpr Sort stable = {.dim = 2, .descending = 3};
constexpr Sort places_alone = {.values = -1, .indices = 0};
constexpr Sort stable_places_alone = {.dim = 2, .descending = 3, .values = -1, .indices = 0};
constexpr Sort along_the_first = {.dim = -1, .descending = -1, .indices = -1};

constexpr std::array table = {
    KernelEntry{"aten.sort.default", sort<plain>},
    KernelEntry{"aten.sort.stable", sort<stable>},
    KernelEntry{"aten.argsort.default", sort<places_alone>},
    KernelEntry{"aten.argsort.stable", sort<stable_places_alone>},
    KernelEntry{"aten.msort.default", sort<along_the_first>},
    KernelEntry{"aten.topk.default", topk},
    KernelEntry{"aten.median.default", median<false>},
    KernelEntry{"aten.nanmedian.default", median<true>},
    KernelEntry{"aten.median.dim", median_along<false>},
    KernelEntry{"aten.nanmedian.dim", median_along<true>},
    KernelEntry{"aten.kthvalue.default", kthvalue},
    KernelEntry{"aten.max.dim", extreme_along<true>},
    KernelEntry{"aten.min.dim", extreme_along<false>},
    KernelEntry{"aten.argmax.default", place_of_extreme<true>},
    KernelEntry{"aten.argmin.default", place_of_extreme<false>},
};

}  // namespace

std::span<const KernelEntry> order_kernels() { return table; }

}  // namespace parallax::portable
