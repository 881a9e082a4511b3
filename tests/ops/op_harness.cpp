#include "tests/ops/op_harness.h"

#include <cmath>

#include "core/check.h"
#include "ops/registry.h"

namespace parallax {

ValueId OpHarness::place(DType dtype, const Layout& layout, StorageId storage) {
  metas_.push_back({dtype, layout, storage});
  views_.push_back({storages_[storage.index].get(), dtype, layout});
  return ValueId(metas_.size() - 1);
}

ValueId OpHarness::add(DType dtype, const Layout& layout) {
  storages_.push_back(std::make_unique<BallStorage>(dtype, layout.extent()));
  return place(dtype, layout, StorageId(storages_.size() - 1));
}

ValueId OpHarness::add(DType dtype, const Dims& sizes, const std::vector<double>& elements) {
  const ValueId value = add(dtype, sizes);
  PARALLAX_CHECK(static_cast<int64_t>(elements.size()) == meta(value).layout.numel());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    if (is_floating(dtype)) {
      ball(value, index) = Ball::exact(round_to(dtype, elements[i]));
    } else {
      integer(value, index) = {wrap_to(dtype, static_cast<int64_t>(elements[i])), Undecided::No};
    }
  }
  return value;
}

ValueId OpHarness::view(ValueId of, const Layout& layout) { return place(meta(of).dtype, layout, meta(of).storage); }

Result<std::vector<ResultMeta>> OpHarness::infer(std::string_view op, std::vector<Argument> positional,
                                                 std::vector<std::pair<std::string, Argument>> named) const {
  const Op& record = op_named(op);
  TRY(const std::vector<Argument> arguments, bind_arguments(record, std::move(positional), std::move(named)));
  return record.infer(Call(record, arguments, metas_));
}

Result<ValueId> OpHarness::call(std::string_view op, std::vector<Argument> positional,
                                std::vector<std::pair<std::string, Argument>> named) {
  const Op& record = op_named(op);
  TRY(const std::vector<Argument> arguments, bind_arguments(record, std::move(positional), std::move(named)));
  return call(record, arguments);
}

Result<ValueId> OpHarness::call(const Op& op, const std::vector<Argument>& arguments) {
  TRY(const std::vector<ResultMeta> results, op.infer(Call(op, arguments, metas_)));
  const ValueId value(metas_.size());
  std::vector<BallView> outputs;
  for (const ResultMeta& result : results) {
    const ValueId placed = result.alias.valid() ? place(result.dtype, result.layout, meta(result.alias).storage)
                                                : add(result.dtype, result.layout);
    outputs.push_back(views_[placed.index]);
  }
  if (!op.is_view()) TRY_VOID(op.reference(ReferenceCall(Call(op, arguments, metas_), views_, outputs, *profile_)));
  return value;
}

Ball& OpHarness::ball(ValueId value, int64_t index) const {
  const BallView& view = view_of(value);
  return view.ball(elements_of(view.layout)[static_cast<std::size_t>(index)]);
}

IntegerBall& OpHarness::integer(ValueId value, int64_t index) const {
  const BallView& view = view_of(value);
  return view.integer(elements_of(view.layout)[static_cast<std::size_t>(index)]);
}

bool same_ball(const Ball& a, const Ball& b) {
  const bool same_mid = a.mid == b.mid || (std::isnan(a.mid) && std::isnan(b.mid));
  return same_mid && a.radius == b.radius && a.may_nan == b.may_nan && a.may_inf == b.may_inf &&
         a.undecided == b.undecided;
}

bool in_ball(DType dtype, const Ball& ball, double got) {
  if (!ball.decided()) return true;
  if (std::isnan(got)) return ball.may_nan || std::isnan(ball.mid);
  if (std::isinf(got) && ball.may_inf) return true;
  if (!std::isfinite(ball.mid)) return got == ball.mid;
  // An end between two elements of the dtype reaches to the outer one.
  double low = round_to(dtype, ball.low());
  double high = round_to(dtype, ball.high());
  if (low > ball.low()) low = next_down(dtype, low);
  if (high < ball.high()) high = next_up(dtype, high);
  return low <= got && got <= high;
}

}  // namespace parallax
