#include "tests/soundness/checked_call.h"

#include <algorithm>

#include "core/check.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// What an op of a family may draw its operands from.
using Layouts = std::vector<Layout>;

Layouts matrices() {
  return {contiguous_layout({3, 64}),    contiguous_layout({64, 4}),  contiguous_layout({4, 64}),
          contiguous_layout({4}),        contiguous_layout({64}),     contiguous_layout({2, 3, 16}),
          contiguous_layout({2, 16, 4}), {{64, 3}, {1, 64}, 0},       contiguous_layout({5, 8}),
          contiguous_layout({8, 5}),     contiguous_layout({5}),      contiguous_layout({3, 4}),
          contiguous_layout({2, 256}),   contiguous_layout({256, 3}), contiguous_layout({3})};
}

Layouts pictures() {
  return {contiguous_layout({2, 4, 9}),
          contiguous_layout({6, 4, 3}),
          contiguous_layout({6, 2, 3}),
          contiguous_layout({2, 4, 6, 5}),
          contiguous_layout({3, 4, 3, 2}),
          contiguous_layout({4, 2, 3, 3}),
          contiguous_layout({4, 1, 2, 2}),
          contiguous_layout({4, 3, 2, 2}),
          contiguous_layout({3}),
          contiguous_layout({4}),
          contiguous_layout({6}),
          {{2, 4, 6, 5}, {120, 1, 20, 4}, 0},
          contiguous_layout({1, 4, 3, 4, 3}),
          contiguous_layout({4, 2, 2, 2, 2}),
          contiguous_layout({6, 4, 2, 1, 2}),
          contiguous_layout({4, 3, 3}),
          contiguous_layout({1, 4, 2, 1, 2}),
          contiguous_layout({4, 1, 2, 1, 1})};
}

// Pictures and volumes, and where in them is read.
Layouts grids() {
  return {contiguous_layout({2, 3, 4, 5}), {{2, 3, 4, 5}, {60, 1, 15, 3}, 0},  contiguous_layout({2, 2, 4, 2}),
          contiguous_layout({2, 3, 3, 2}), contiguous_layout({2, 1, 3, 2, 4}), contiguous_layout({2, 2, 1, 3, 3})};
}

Layouts tensors() {
  return {contiguous_layout({6, 8}), {{6, 8}, {1, 6}, 0},          {{6, 8}, {16, 2}, 0},  {{6, 8}, {0, 1}, 0},
          contiguous_layout({8}),    contiguous_layout({40}),      contiguous_layout({}), contiguous_layout({6, 1}),
          contiguous_layout({2}),    contiguous_layout({3, 4, 6}), contiguous_layout({4})};
}

// Queries, keys and values by heads, and masks for them.
Layouts sequences() {
  return {contiguous_layout({1, 4, 3, 8}),   contiguous_layout({1, 2, 5, 8}), contiguous_layout({1, 4, 5, 8}),
          {{1, 4, 3, 8}, {96, 8, 32, 1}, 0}, contiguous_layout({3, 5}),       contiguous_layout({3, 3}),
          contiguous_layout({5, 5}),         contiguous_layout({1, 1, 3, 5}), contiguous_layout({4, 6, 8}),
          contiguous_layout({4, 6, 6}),      contiguous_layout({6, 8}),       contiguous_layout({6, 6})};
}

// Weights of five hidden units, for one, three and four gates, and sequences for them.
Layouts recurrences() {
  return {contiguous_layout({20, 5}),   contiguous_layout({15, 5}),   contiguous_layout({5, 5}),
          contiguous_layout({20, 3}),   contiguous_layout({15, 3}),   contiguous_layout({5, 3}),
          contiguous_layout({20}),      contiguous_layout({15}),      contiguous_layout({5}),
          contiguous_layout({4, 2, 3}), contiguous_layout({4, 2, 5}), contiguous_layout({1, 2, 5}),
          contiguous_layout({2, 2, 5}), contiguous_layout({1, 4, 5}), contiguous_layout({2, 4, 5})};
}

// What gradients go back to, and the gradients.
Layouts gradients() {
  return {contiguous_layout({2, 4, 6, 5}), contiguous_layout({3, 4, 3, 2}), contiguous_layout({2, 3, 4, 4}),
          contiguous_layout({2, 4, 3, 2}), contiguous_layout({6, 8}),       contiguous_layout({6}),
          contiguous_layout({8}),          contiguous_layout({2, 4}),       contiguous_layout({4}),
          contiguous_layout({3}),          contiguous_layout({2}),          contiguous_layout({2, 4, 9})};
}

Layouts layouts_for(std::string_view family) {
  if (family == "matmul") return matrices();
  if (family == "grid sampler") return grids();
  if (family == "convolution" || family == "pool" || family == "upsample" || family == "batch norm") return pictures();
  if (family == "attention") return sequences();
  if (family == "recurrent") return recurrences();
  if (family == "gradient") return gradients();
  if (family != any_family) return tensors();
  Layouts all = tensors();
  for (const Layouts& more : {matrices(), pictures(), grids(), sequences(), recurrences(), gradients()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Numbers of one kind, drawn once a tensor.
class Numbers {
 public:
  Numbers(DType dtype, PlainOp::Domain domain, std::mt19937_64& random)
      : dtype_(dtype), domain_(domain), random_(&random), kind_(static_cast<int>(random() % 20)) {}

  double draw() const {
    const double x = round_to(dtype_, into_domain(any()));
    return std::isfinite(x) ? x : 1;
  }

 private:
  double unit() const { return std::uniform_real_distribution<double>(-1, 1)(*random_); }
  double any() const {
    if (kind_ < 5) return std::round(unit() * 16) / 4;
    if (kind_ < 12) return unit() * 2;
    if (kind_ < 16) return unit() * std::ldexp(1.0, static_cast<int>((*random_)() % 18) - 12);
    if (kind_ < 18) return 64 + unit();
    const DTypeInfo& format = info(dtype_);
    if (kind_ < 19) return unit() * 8 * format.smallest_normal;
    return unit() * std::sqrt(format.max_finite) / 4;
  }
  double into_domain(double x) const {
    switch (domain_) {
      case PlainOp::Domain::Positive:
        return std::fabs(x) + info(dtype_).smallest_normal;
      case PlainOp::Domain::Unit:
        return std::fabs(x) < 1 ? x : unit();
      case PlainOp::Domain::OverOne:
        return 1 + std::fabs(x);
      default:
        return x;
    }
  }

  DType dtype_;
  PlainOp::Domain domain_;
  std::mt19937_64* random_;
  int kind_;
};

// Every radius that arithmetic makes has this much to spare, for the double rounding of an end.
double margin(double mid) { return 0x1p-51 * std::fabs(mid); }

Ball around(DType dtype, double x, std::mt19937_64& random) {
  const double unit = FloatFormat(dtype).ulp(x);
  const double off = std::uniform_real_distribution<double>(-0.5, 0.5)(random) * unit;
  const double radius = unit * std::ldexp(1.0, static_cast<int>(random() % 8));
  return {x + off, radius + margin(x + off), false, false, Undecided::No};
}

// A value of the dtype in the ball; the ends are drawn often.
double member(DType dtype, const Ball& ball, std::mt19937_64& random) {
  if (ball.radius == 0) return ball.mid;
  double share = std::uniform_real_distribution<double>(-1, 1)(random);
  if (random() % 2 == 0) share = std::copysign(1.0, share);
  const double radius = ball.radius - margin(ball.mid);
  double x = round_to(dtype, ball.mid + share * radius);
  if (x > ball.mid + radius) x = next_down(dtype, x);
  if (x < ball.mid - radius) x = next_up(dtype, x);
  return x;
}

}  // namespace

CheckedCall::CheckedCall(std::string_view op, DType dtype, const Profile& profile)
    : dtype_(dtype), harness_(profile), op_(&op_named(op)) {}

std::optional<CheckedCall> CheckedCall::draw(const PlainOp& plain, DType dtype, const Profile& profile, uint64_t seed,
                                             uint64_t stream) {
  CheckedCall call(plain.name, dtype, profile);
  Choices choices(seed, stream);
  std::mt19937_64 random(mix(seed, stream));
  std::vector<Candidate> pool;
  for (const Layout& layout : layouts_for(plain.family)) {
    pool.push_back({call.harness_.add(dtype, layout), false, true});
    if (plain.takes_bool) pool.push_back({call.harness_.add(DType::Bool, layout), false, true});
    if (plain.takes_bytes) pool.push_back({call.harness_.add(DType::I8, layout), false, true});
    if (call.op_->index_ranges) pool.push_back({call.harness_.add(DType::I64, layout), false, true});
  }
  SampleContext context(choices, pool, call.harness_.metas());
  const auto arguments = call.op_->sample(*call.op_, context);
  if (!arguments) return std::nullopt;
  call.arguments_ = *arguments;
  std::map<uint32_t, int64_t> index_places;
  for (const IndexRange& range : call.index_ranges()) index_places.emplace(range.value.index, range.places);
  const int inexact_percent = static_cast<int>(random() % 3) * 50;
  bool first = true;
  bool fits = true;
  for (const Argument& argument : call.arguments_) {
    for_each_value(argument, [&](const ValueId& value) {
      const bool is_first = std::exchange(first, false);
      const bool condition = is_first && plain.takes_bool;
      const bool bytes = is_first && plain.takes_bytes;
      const auto index = index_places.find(value.index);
      const DType expected = condition                     ? DType::Bool
                             : bytes                       ? DType::I8
                             : index != index_places.end() ? DType::I64
                                                           : dtype;
      fits = fits && call.harness_.meta(value).dtype == expected;
      call.operands_.push_back(value);
      if (call.storages_.contains(call.harness_.meta(value).storage.index)) return;
      BallStorage& storage = *call.harness_.view_of(value).storage;
      const Numbers numbers(dtype, plain.domain, random);
      for (Ball& ball : storage.balls) {
        ball = Ball::exact(numbers.draw());
        if (static_cast<int>(random() % 100) >= inexact_percent) continue;
        ball = around(dtype, ball.mid, random);
        call.exact_ = false;
      }
      const int64_t places = index == index_places.end() ? 2 : std::max<int64_t>(index->second, 1);
      for (IntegerBall& integer : storage.integers) {
        const auto drawn = static_cast<int64_t>(random() % static_cast<uint64_t>(bytes ? 256 : places));
        integer = {bytes ? drawn - 128 : drawn, Undecided::No};
      }
      call.storages_.emplace(call.harness_.meta(value).storage.index, storage);
    });
  }
  if (!fits || !call.evaluate()) return std::nullopt;
  return call;
}

CheckedCall CheckedCall::build(std::string_view op, DType dtype, const Profile& profile,
                               const std::vector<Operand>& operands, const std::vector<Argument>& others) {
  CheckedCall call(op, dtype, profile);
  std::vector<Argument> given;
  for (const Operand& operand : operands) {
    const ValueId value = call.harness_.add(dtype, operand.sizes, operand.elements);
    call.operands_.push_back(value);
    call.storages_.emplace(call.harness_.meta(value).storage.index, *call.harness_.view_of(value).storage);
    given.emplace_back(value);
  }
  given.insert(given.end(), others.begin(), others.end());
  call.arguments_ = *bind_arguments(*call.op_, std::move(given));
  PARALLAX_CHECK(call.evaluate());
  return call;
}

std::vector<IndexRange> CheckedCall::index_ranges() const {
  if (!op_->index_ranges) return {};
  return op_->index_ranges(Call(*op_, arguments_, harness_.metas()));
}

bool CheckedCall::evaluate() {
  const auto results = op_->infer(Call(*op_, arguments_, harness_.metas()));
  if (!results || results->front().dtype != dtype_) return false;
  for (const ResultMeta& result : *results) {
    if (is_floating(result.dtype) && result.dtype != dtype_) return false;
    result_sizes_.push_back(result.layout.sizes);
  }
  const Result<ValueId> called = harness_.call(*op_, arguments_);
  if (!called) return false;
  first_result_ = *called;
  return true;
}

std::vector<std::vector<Ball>> CheckedCall::result_balls() const {
  std::vector<std::vector<Ball>> balls(result_sizes_.size());
  for (std::size_t k = 0; k < balls.size(); ++k) {
    const BallView& view = harness_.view_of(ValueId(first_result_.index + k));
    if (view.dtype != dtype_) continue;
    for_each_element(view.layout, [&](int64_t element) { balls[k].push_back(view.ball(element)); });
  }
  return balls;
}

std::vector<PlainTensor> CheckedCall::draw_members(std::mt19937_64& random) const {
  std::map<uint32_t, PlainTensor> elements;
  for (const auto& [index, storage] : storages_) {
    PlainTensor& drawn = elements[index];
    for (const Ball& ball : storage.balls) drawn.push_back(member(dtype_, ball, random));
    for (const IntegerBall& integer : storage.integers) drawn.push_back(static_cast<double>(integer.value));
  }
  std::vector<PlainTensor> values(harness_.metas().size());
  for (const ValueId value : operands_) {
    PlainTensor& tensor = values[value.index];
    if (!tensor.empty()) continue;
    const PlainTensor& storage = elements.at(harness_.meta(value).storage.index);
    for_each_element(harness_.meta(value).layout,
                     [&](int64_t element) { tensor.push_back(storage[static_cast<std::size_t>(element)]); });
  }
  return values;
}

std::vector<PlainTensor> CheckedCall::run(const PlainOp& op, Perturbed& p, const std::vector<PlainTensor>& values,
                                          const std::vector<Argument>* arguments) const {
  const Call call(*op_, arguments == nullptr ? arguments_ : *arguments, harness_.metas());
  return run_plain(op, p, PlainCall(call, values, result_sizes_));
}

}  // namespace parallax
