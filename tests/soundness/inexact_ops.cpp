#include "tests/soundness/inexact_ops.h"

#include <algorithm>
#include <array>

#include "ops/profiles.h"
#include "ops/registry.h"
#include "tests/soundness/checked_call.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 20251121;
// An overload that rounds does so in one of the first calls whose operands are exact and off the grid; only those that
// never round are drawn so often.
constexpr uint64_t streams = 400;

bool rounds(const CheckedCall& call) {
  if (!call.exact()) return false;
  const auto results = call.result_balls();
  return std::ranges::any_of(results, [](const std::vector<Ball>& result) {
    return std::ranges::any_of(result, [](const Ball& ball) { return ball.decided() && ball.radius > 0; });
  });
}

bool is_inexact(const Op& op) {
  const Profile& profile = *find_profile("eager");
  // Some kernels are of double alone.
  for (const DType dtype : {DType::F32, DType::F64}) {
    // What most functions are defined on, and what the rest needs: signs, and numbers over 1.
    for (const auto domain : {PlainOp::Domain::Positive, PlainOp::Domain::Any}) {
      const PlainOp probe{any_family, op.name, PlainOp::Whole(nullptr), domain};
      for (uint64_t stream = 0; stream < streams; ++stream) {
        const auto call = CheckedCall::draw(probe, dtype, profile, seed, stream);
        if (call && rounds(*call)) return true;
      }
    }
  }
  return false;
}

}  // namespace

std::vector<std::string_view> inexact_overloads() {
  std::vector<std::string_view> names;
  for (const Op& op : all_ops()) {
    if (op.sample && !op.is_view() && !op.functional && is_inexact(op)) names.push_back(op.name);
  }
  return names;
}

}  // namespace parallax
