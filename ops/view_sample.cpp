#include "ops/view_sample.h"

#include <algorithm>

#include "ops/sample.h"

namespace parallax {

std::pair<int64_t, int64_t> draw_dim_pair(Choices& choices, int rank) {
  const int64_t first = draw_dim(choices, rank);
  const int64_t second = ((first < 0 ? first + rank : first) + 1 + choices.between(0, rank - 2)) % rank;
  return {first, second};
}

IntList draw_factorisation(Choices& choices, int64_t numel) {
  IntList sizes;
  int64_t rest = numel;
  const int64_t cuts = choices.between(0, 3);
  for (int64_t i = 0; i < cuts; ++i) {
    IntList divisors;
    for (int64_t d = 1; d <= rest; ++d) {
      if (rest % d == 0) divisors.push_back(d);
    }
    sizes.push_back(choices.pick(divisors));
    rest /= sizes.back();
  }
  sizes.push_back(rest);
  return sizes;
}

IntList draw_partition(Choices& choices, int64_t total) {
  IntList sizes;
  int64_t rest = total;
  while (rest > 0 && sizes.size() < 3) {
    sizes.push_back(choices.between(choices.chance(5) ? 0 : 1, rest));
    rest -= sizes.back();
  }
  if (rest > 0 || sizes.empty()) sizes.push_back(rest);
  return sizes;
}

DrawnSlice draw_slice(Choices& choices, int64_t size) {
  DrawnSlice slice{integer_argument(0), Argument(), 1};
  if (size == 0 || choices.chance(5)) {  // an empty slice
    slice.end = integer_argument(0);
    return slice;
  }
  const int64_t first = choices.between(0, size - 1);
  const int64_t last = size - choices.between(0, size - 1 - first);
  slice.step = choices.chance(25) ? choices.between(2, 3) : 1;
  slice.start =
      first == 0 && choices.chance(30) ? Argument() : integer_argument(choices.chance(20) ? first - size : first);
  switch (choices.below(4)) {
    case 0:
      slice.end = integer_argument(last);
      break;
    case 1:
      slice.end = integer_argument(last == size ? INT64_MAX : last);
      break;
    case 2:
      slice.end = last == size ? Argument() : integer_argument(last);
      break;
    default:
      slice.end = integer_argument(last == size ? size + 3 : last - size);
      break;
  }
  return slice;
}

std::optional<ValueId> pick_of_rank(const SampleContext& context, int rank) {
  return context.pick([rank](const Candidate&, const TensorMeta& meta) { return meta.layout.rank() >= rank; });
}

std::optional<std::vector<Argument>> sample_view_twin(const Op& op, SampleContext& context) {
  return op.view_twin->sample(*op.view_twin, context);
}

std::optional<std::vector<Argument>> sample_inplace_twin(const Op& op, SampleContext& context) {
  std::vector<Candidate> writable;
  std::copy_if(context.pool().begin(), context.pool().end(), std::back_inserter(writable),
               [](const Candidate& candidate) { return candidate.writable; });
  SampleContext narrowed(context.choices(), writable, context.metas());
  return op.functional->sample(*op.functional, narrowed);
}

}  // namespace parallax
