// Pads: a border added to the last dims, or cut off where its width is negative.
#include <algorithm>
#include <array>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// The element of a dim of `size` elements that is seen `at` places from its first; -1: none, a number stands there.
using Outside = int64_t (*)(int64_t at, int64_t size);

int64_t nothing(int64_t at, int64_t size) { return at < 0 || at >= size ? -1 : at; }
// The edge itself is seen once.
int64_t reflected(int64_t at, int64_t size) { return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at; }
int64_t nearest(int64_t at, int64_t size) { return std::clamp<int64_t>(at, 0, size - 1); }

// By element of the output, row-major: the row-major place in the operand that it shows, or -1.
Numbers<int64_t> shown_places(const KernelCall& call, Outside outside) {
  const Dims& from = call.input(arg::self).layout->sizes;
  const Dims& to = call.output_sizes();
  const Dims strides = contiguous_strides(from);
  // From the last dim on: before it, behind it.
  const IntList& widths = call.integers(call.takes(arg::pad) ? arg::pad : arg::padding);
  Numbers<int64_t> places = call.numbers<int64_t>(1);
  for (int dim = 0; dim < to.size(); ++dim) {
    const auto pair = static_cast<std::size_t>(2 * (to.size() - 1 - dim));
    const int64_t before = pair < widths.size() ? widths[pair] : 0;
    Numbers<int64_t> finer = call.numbers<int64_t>(0);
    finer.reserve(places.size() * static_cast<std::size_t>(to[dim]));
    for (int64_t place : places) {
      for (int64_t i = 0; i < to[dim]; ++i) {
        const int64_t at = outside(i - before, from[dim]);
        finer.push_back(place < 0 || at < 0 ? -1 : place + at * strides[dim]);
      }
    }
    places = std::move(finer);
  }
  return places;
}

template <Outside outside>
Result<void> pad(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Numbers<int64_t> places = shown_places(call, outside);
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> values = call.read<C>(arg::self, dtype);
    const C border = outside == nothing ? call.number<C>(arg::value, dtype) : C(0);
    Numbers<C> shown = call.numbers<C>(static_cast<int64_t>(places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
      shown[i] = places[i] < 0 ? border : values[static_cast<std::size_t>(places[i])];
    }
    call.write(shown);
  });
  return {};
}

constexpr std::array pad_table = {
    KernelEntry{"aten.constant_pad_nd.default", pad<nothing>},
    KernelEntry{"aten.reflection_pad1d.default", pad<reflected>},
    KernelEntry{"aten.reflection_pad2d.default", pad<reflected>},
    KernelEntry{"aten.reflection_pad3d.default", pad<reflected>},
    KernelEntry{"aten.replication_pad1d.default", pad<nearest>},
    KernelEntry{"aten.replication_pad2d.default", pad<nearest>},
    KernelEntry{"aten.replication_pad3d.default", pad<nearest>},
};

}  // namespace

std::span<const KernelEntry> pad_kernels() { return pad_table; }

}  // namespace parallax::portable
