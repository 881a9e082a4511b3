// OpHarness: tensors of balls and calls over them, without a graph. What the tests of op families share.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "ops/op.h"
#include "ops/profiles.h"

namespace parallax {

class OpHarness {
 public:
  explicit OpHarness(const Profile& profile = *find_profile("eager")) : profile_(&profile) {}

  // A tensor in a storage of its own; elements are 0.
  ValueId add(DType dtype, const Layout& layout);
  ValueId add(DType dtype, const Dims& sizes) { return add(dtype, contiguous_layout(sizes)); }
  // One of exact elements, row-major, rounded or cut to the dtype.
  ValueId add(DType dtype, const Dims& sizes, const std::vector<double>& elements);
  // Another tensor over a value's storage.
  ValueId view(ValueId of, const Layout& layout);

  // What the op infers for positional arguments and named ones.
  Result<std::vector<ResultMeta>> infer(std::string_view op, std::vector<Argument> positional,
                                        std::vector<std::pair<std::string, Argument>> named = {}) const;
  // Infers, computes and returns the first result, which for an in-place op is the written tensor under a new id. The
  // other results of an op that has several are the values right after it.
  Result<ValueId> call(std::string_view op, std::vector<Argument> positional,
                       std::vector<std::pair<std::string, Argument>> named = {});
  // The same for arguments that are bound already.
  Result<ValueId> call(const Op& op, const std::vector<Argument>& arguments);

  const TensorMeta& meta(ValueId value) const { return metas_[value.index]; }
  const std::vector<TensorMeta>& metas() const { return metas_; }
  const BallView& view_of(ValueId value) const { return views_[value.index]; }
  // The element at a row-major index.
  Ball& ball(ValueId value, int64_t index = 0) const;
  IntegerBall& integer(ValueId value, int64_t index = 0) const;

 private:
  ValueId place(DType dtype, const Layout& layout, StorageId storage);

  const Profile* profile_;
  std::vector<std::unique_ptr<BallStorage>> storages_;
  std::vector<TensorMeta> metas_;
  std::vector<BallView> views_;
};

// Whether two balls say the same.
bool same_ball(const Ball& a, const Ball& b);
// Whether the judge would take `got`, an element of the dtype, for this ball.
bool in_ball(DType dtype, const Ball& ball, double got);

}  // namespace parallax
