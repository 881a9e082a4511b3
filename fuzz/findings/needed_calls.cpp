#include "fuzz/findings/needed_calls.h"

#include "graph/drop_run.h"
#include "graph/second_feed.h"

namespace parallax {
namespace {

// Looks at an external target take a second or more each.
constexpr std::size_t most_looks = 16;

// Where it shows, and which runs may be needed for that, the first being 0.
struct ShownAt {
  WrongCall wrong;
  std::size_t begin = 0, end = 0;
};

std::optional<ShownAt> shown_at(const Case& test, const RunId& run) {
  switch (run.kind) {
    case RunKind::A:
      return ShownAt{};
    case RunKind::Later:
    case RunKind::LaterOnFreshInstance:
      return ShownAt{{.call = run.number, .needs = {}}, 0, static_cast<std::size_t>(run.number) - 1};
    case RunKind::AKeptAfterTheLast:
      return ShownAt{{.call = 1, .read_again = true, .needs = {}}, 1, test.later.size() + 1};
    case RunKind::LaterKept:
      // Any run may be needed: those before it made it what it is, and one after it overwrites it.
      return ShownAt{{.call = run.number, .read_again = true, .needs = {}}, 0, test.later.size() + 1};
    default:
      return std::nullopt;
  }
}

// Of a case with one run, which is called once more with another feed.
std::optional<WrongCall> in_two_calls(const Case& test, const RunId& run,
                                      const std::function<bool(const Case& fewer)>& shows) {
  if (run.kind == RunKind::AKeptAfterB) return WrongCall{.call = 1, .read_again = true, .needs = {2}};
  if (run.kind != RunKind::B) return std::nullopt;
  Case second = test;
  second.feed = second_feed(test);
  second.expect = {};
  WrongCall wrong{.call = 2, .needs = {}};
  if (!shows(second)) wrong.needs = {1};
  return wrong;
}

}  // namespace

std::optional<WrongCall> needed_calls(const Case& test, const Judgement& judgement,
                                      const std::function<bool(const Case& fewer)>& shows) {
  if (!judgement.divergence) return std::nullopt;
  if (test.later.empty()) return in_two_calls(test, judgement.divergence->run, shows);
  std::optional<ShownAt> place = shown_at(test, judgement.divergence->run);
  if (!place) return std::nullopt;
  // From the back, so that the places of those that are still to be asked about stay.
  Case least = test;
  std::size_t looks = 0;
  for (std::size_t run = place->end; run-- > place->begin;) {
    if (static_cast<int>(run) + 1 == place->wrong.call) continue;
    std::optional<Case> fewer = looks++ < most_looks ? without_run(least, run) : std::nullopt;
    if (fewer && shows(*fewer)) {
      least = *std::move(fewer);
    } else {
      place->wrong.needs.insert(place->wrong.needs.begin(), static_cast<int>(run) + 1);
    }
  }
  return std::move(place->wrong);
}

}  // namespace parallax
