// Pooling: which elements of a picture each element of the result looks at, with a given kernel or adaptively.
#pragma once

#include <vector>

#include "ops/op.h"

namespace parallax {

// What the schema of a pooling op does not say.
struct PoolParameters {
  int spatial = 2;
  bool empty_channels = false;  // a dim of size 0 that is not the batch, but not a spatial one either
  bool holds_kernel = false;    // eager wants the input to be as large as the kernel, without its padding
};

// One element's window, as row-major indices over the input's spatial dims, in order.
struct PoolWindow {
  std::vector<int64_t> elements;
  int64_t padded = 0;  // how many places it has with the padding that lies in it
};

struct PoolPlan {
  Layout input;  // with a batch dim
  bool unbatched = false;
  Dims sizes;                       // of the result, with a batch dim
  std::vector<PoolWindow> windows;  // for each spatial position of the result, row-major; empty where it has no batch
};

// The plan of a call, or what eager refuses. An adaptive op has an output_size in place of a kernel; an empty stride
// stands for the kernel. Windows are worked out only on demand: infer needs none of them.
Result<PoolPlan> plan_pool(const Call& call, const PoolParameters& at, bool with_windows);

// Calls `visit(window, picture, result)` for each element of the result: its window, the storage elements of the
// picture that the window lies in, and the storage element of the result.
template <class Visit>
void for_each_window(const PoolPlan& plan, const Layout& input, const Layout& output, Visit&& visit) {
  const std::vector<int64_t> from = elements_of(input);
  const std::vector<int64_t> to = elements_of(output);
  const std::size_t windows = plan.windows.size();
  const std::size_t pictures = windows == 0 ? 0 : to.size() / windows;
  const std::size_t picture_size = pictures == 0 ? 0 : from.size() / pictures;
  for (std::size_t picture = 0; picture < pictures; ++picture) {
    for (std::size_t w = 0; w < windows; ++w) {
      visit(plan.windows[w], from.data() + picture * picture_size, to[picture * windows + w]);
    }
  }
}

// When a result is in the memory format that the input suggests; otherwise it is contiguous.
enum class PoolFormat { Contiguous, OfBatches, OfInput };
Layout pooled_layout(const PoolPlan& plan, PoolFormat format);

// A drawn kernel with its stride, padding and dilation for an operand.
struct DrawnPool {
  IntList kernel;
  IntList stride;
  IntList padding;
  IntList dilation;
};
DrawnPool draw_pool(Choices& choices, const Layout& input, int spatial, bool dilates);

// Whether a tensor has the rank of a pooling op's operand, with elements.
bool may_pool(const TensorMeta& meta, int spatial);

}  // namespace parallax
