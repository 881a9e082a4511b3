#include "tests/containment/containment.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/runtime/builds.h"
#include "compiler/compile.h"
#include "fuzz/generate/single_op.h"
#include "graph/case_json.h"
#include "graph/print.h"
#include "ops/profiles.h"
#include "oracle/acceptance.h"

namespace parallax {
namespace {

// An undecided integer may be any; those of a few more than a dim's places suffice to leave every range.
constexpr int64_t reach_of_undecided = 5;

std::string text_of(DType dtype, const Ball& ball) {
  std::string text = ball.decided() ? fmt::format("{:.17g} ± {:.3g}", ball.mid, ball.radius)
                                    : fmt::format("undecided ({})", name(ball.undecided));
  if (ball.may_nan) text += " or nan";
  if (ball.may_inf) text += ball.may_inf.is_of_one_sign() ? " or its infinity" : " or ±inf";
  return fmt::format("{} {}", name(dtype), text);
}

std::string text_of(DType dtype, const IntegerBall& integer) {
  if (integer.undecided != Undecided::No) return fmt::format("{} undecided ({})", name(dtype), name(integer.undecided));
  return fmt::format("{} {}", name(dtype), integer.value);
}

// Now and then an operand holds what an earlier one of its dtype does at the same place: there differences cancel, and
// quotients are 1.
void repeat_some(std::vector<BallStorage>& drawn, std::size_t s, std::mt19937_64& random) {
  if (random() % 4 != 0) return;
  for (std::size_t earlier = 0; earlier < drawn.size(); ++earlier) {
    if (earlier == s || drawn[earlier].dtype != drawn[s].dtype) continue;
    for (std::size_t i = 0; i < std::min(drawn[s].balls.size(), drawn[earlier].balls.size()); ++i) {
      if (random() % 2 == 0) drawn[s].balls[i] = drawn[earlier].balls[i];
    }
  }
}

std::shared_ptr<const runtime::Executable> executable_of(const Graph& graph) {
  Result<Program> program = compile(graph, runtime::compile_options(runtime::plain_build));
  if (!program) return nullptr;
  auto executable = runtime::load(*std::move(program));
  return executable ? *executable : nullptr;
}

}  // namespace

AbstractCall::AbstractCall(Case test, const Profile& profile, uint64_t seed)
    : test_(std::move(test)), profile_(&profile), random_(seed) {}

std::optional<AbstractCall> AbstractCall::draw(const Op& op, DType dtype, uint64_t seed, uint64_t stream) {
  if (op.is_view() || op.sample == nullptr) return std::nullopt;
  std::optional<Case> test = SingleOpPool::of(dtype).draw_case(op, mix(seed, stream));
  if (!test) return std::nullopt;
  AbstractCall call(*std::move(test), *find_profile("portable"), mix(seed, stream));
  call.executable_ = executable_of(call.test_.graph);
  if (!call.executable_) return std::nullopt;
  const Graph& graph = call.test_.graph;
  call.drawn_.resize(graph.storages.size());
  std::size_t fed = 0;
  for (const Source& source : graph.sources) {
    const TensorMeta& meta = graph.meta(source.value);
    BallStorage& storage = call.drawn_[meta.storage.index];
    storage = BallStorage(meta.dtype, meta.layout.extent());
    AbstractElements elements(meta.dtype, call.random_);
    for (Ball& ball : storage.balls) ball = elements.draw_ball();
    repeat_some(call.drawn_, meta.storage.index, call.random_);
    const Tensor& data = call.test_.feed[fed++];
    const std::vector<int64_t> places = elements_of(meta.layout);
    for (std::size_t i = 0; i < places.size() && !is_floating(meta.dtype); ++i) {
      storage.integers[static_cast<std::size_t>(places[i])] =
          elements.draw_integer(data.get_integer(static_cast<int64_t>(i)));
    }
  }
  return call;
}

bool AbstractCall::ask(const Forgets& forgets) {
  said_ = drawn_;
  if (forgets) {
    for (BallStorage& storage : said_) forgets(storage.dtype, storage.balls, storage.integers);
  }
  const Graph& graph = test_.graph;
  std::vector<BallView> views;
  for (const TensorMeta& meta : graph.metas) {
    BallStorage& storage = said_[meta.storage.index];
    if (storage.balls.empty() && storage.integers.empty()) storage = BallStorage(meta.dtype, meta.layout.extent());
    views.push_back({&storage, meta.dtype, meta.layout});
  }
  std::vector<BallView> outputs;
  for (const ValueId result : node().results) outputs.push_back(views[result.index]);
  may_raise_ = false;
  const Call call(*node().op, node().arguments, graph.metas);
  return node().op->reference(ReferenceCall(call, views, outputs, *profile_, &may_raise_)).has_value();
}

bool AbstractCall::says_the_same(const AbstractCall& other) const {
  for (const ValueId result : node().results) {
    const std::size_t s = test_.graph.meta(result).storage.index;
    const auto same = [](const Ball& a, const Ball& b) {
      return (a.mid == b.mid || (std::isnan(a.mid) && std::isnan(b.mid))) && a.radius == b.radius &&
             a.may_nan == b.may_nan && a.may_inf == b.may_inf && a.undecided == b.undecided;
    };
    const auto same_integer = [](const IntegerBall& a, const IntegerBall& b) {
      return a.undecided == b.undecided && (a.undecided != Undecided::No || a.value == b.value);
    };
    if (!std::ranges::equal(said_[s].balls, other.said_[s].balls, same) ||
        !std::ranges::equal(said_[s].integers, other.said_[s].integers, same_integer)) {
      return false;
    }
  }
  return true;
}

std::vector<Tensor> AbstractCall::draw_point(std::mt19937_64& random) const {
  std::vector<Tensor> feed;
  for (const Source& source : test_.graph.sources) {
    const TensorMeta& meta = test_.graph.meta(source.value);
    const BallStorage& storage = drawn_[meta.storage.index];
    std::vector<double> reals;
    std::vector<int64_t> integers;
    for (const Ball& ball : storage.balls) reals.push_back(draw_member(meta.dtype, ball, random));
    for (const IntegerBall& integer : storage.integers) {
      integers.push_back(draw_member(meta.dtype, integer, reach_of_undecided, random));
    }
    Tensor tensor(meta.dtype, meta.layout.sizes);
    const std::vector<int64_t> places = elements_of(meta.layout);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto at = static_cast<std::size_t>(places[i]);
      const auto element = static_cast<int64_t>(i);
      is_floating(meta.dtype) ? tensor.set_double(element, reals[at]) : tensor.set_integer(element, integers[at]);
    }
    feed.push_back(std::move(tensor));
  }
  return feed;
}

std::optional<std::string> AbstractCall::excluded(const std::vector<Tensor>& results, ContainmentCounts& counts) const {
  for (std::size_t k = 0; k < results.size(); ++k) {
    const TensorMeta& meta = test_.graph.meta(node().results[k]);
    const BallStorage& storage = said_[meta.storage.index];
    const std::vector<int64_t> places = elements_of(meta.layout);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto at = static_cast<std::size_t>(places[i]);
      const auto element = static_cast<int64_t>(i);
      std::string said;
      bool decided = false;
      bool inside = true;
      if (is_floating(meta.dtype)) {
        const Ball& ball = storage.balls[at];
        decided = ball.decided();
        inside = accepts(meta.dtype, ball, results[k].get_double(element));
        if (!inside) said = text_of(meta.dtype, ball);
      } else {
        const IntegerBall& integer = storage.integers[at];
        decided = integer.undecided == Undecided::No;
        const int64_t got = results[k].get_integer(element);
        inside = got >= integer.lowest() && got <= integer.highest();
        if (!inside) said = text_of(meta.dtype, integer);
      }
      counts.elements += decided;
      counts.undecided += !decided;
      if (!inside) {
        return fmt::format("result {} element {}: the rule says {}, and it is {}", k, i, said,
                           element_text(results[k], element));
      }
    }
  }
  return std::nullopt;
}

std::string AbstractCall::describe(const std::vector<Tensor>& point) const {
  std::string text = fmt::format("{}\n{}", test_.name, print(test_.graph));
  for (std::size_t i = 0; i < point.size(); ++i) {
    const TensorMeta& meta = test_.graph.meta(test_.graph.sources[i].value);
    const BallStorage& storage = drawn_[meta.storage.index];
    const std::vector<int64_t> places = elements_of(meta.layout);
    text += fmt::format("  {}:", test_.graph.name(test_.graph.sources[i].value));
    for (std::size_t k = 0; k < places.size() && k < 12; ++k) {
      const auto at = static_cast<std::size_t>(places[k]);
      text += fmt::format(
          " [{}] = {};",
          is_floating(meta.dtype) ? text_of(meta.dtype, storage.balls[at]) : text_of(meta.dtype, storage.integers[at]),
          element_text(point[i], static_cast<int64_t>(k)));
    }
    text += '\n';
  }
  return text;
}

std::optional<Escape> AbstractCall::check(int points, ContainmentCounts& counts) {
  std::optional<runtime::Instance> instance;
  ++counts.calls;
  for (int k = 0; k < points; ++k) {
    const std::vector<Tensor> point = draw_point(random_);
    if (!instance) instance.emplace(executable_, std::byte{0xCB});
    const Result<runtime::RunResult> run = instance->run(point);
    ++counts.points;
    if (!run) {
      ++counts.raised;
      instance.reset();
      if (may_raise_) continue;
      return Escape{fmt::format("{}  it raises: {}", describe(point), run.error().reason)};
    }
    std::vector<Tensor> results;
    for (const runtime::TensorInPlace& output : run->outputs) results.push_back(output.read());
    if (const auto wrong = excluded(results, counts)) return Escape{fmt::format("{}  {}", describe(point), *wrong)};
  }
  return std::nullopt;
}

}  // namespace parallax
