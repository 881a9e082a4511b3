#include "ops/number.h"

namespace parallax {

void set_number(const BallView& view, int64_t element, const Scalar& number, const CallProfile& profile) {
  if (view.floating()) {
    view.ball(element) = BallMath(view.dtype, profile).scalar(as_double(number));
  } else {
    view.integer(element) = {number_as(view.dtype, number), Undecided::No};
  }
}

void fill_with(const ReferenceCall& call, const Scalar& number) {
  const BallView& output = call.output();
  for_each_element(output.layout, [&](int64_t element) { set_number(output, element, number, call.profile()); });
}

}  // namespace parallax
