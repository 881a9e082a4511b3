// Radii: how wide each built-in profile's bounds are, over the same generated cases.
//
// A row is a profile and a dtype: the median of radius / |centre| over the elements that every node makes which are
// neither exact nor undecided, in unit roundoffs of the dtype, and how many elements are of each kind.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "fuzz/generate/generate.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

struct Radii {
  std::vector<double> relative;  // in unit roundoffs
  int64_t exact = 0;
  int64_t undecided = 0;

  void add(const Ball& ball, DType dtype) {
    undecided += !ball.decided();
    exact += ball.is_exact();
    if (!ball.decided() || ball.radius == 0 || ball.mid == 0) return;
    relative.push_back(ball.radius / std::fabs(ball.mid) / info(dtype).unit_roundoff);
  }
  double median() {
    if (relative.empty()) return 0;
    const auto middle = relative.begin() + static_cast<std::ptrdiff_t>(relative.size() / 2);
    std::ranges::nth_element(relative, middle);
    return *middle;
  }
};

// Cases of every dtype, and as many of halves alone.
std::vector<Case> draw_cases(uint64_t count) {
  const auto is_half_or_integer = [](const Op&, DType dtype) { return is_integral(dtype) || size_of(dtype) == 2; };
  const Vocabulary halves = Vocabulary::taken_by({}, is_half_or_integer);
  std::vector<Case> cases;
  for (uint64_t k = 0; k < 2 * count; ++k) {
    Choices choices(1, k);
    GenerateOptions options;
    options.profile = GenerateProfile::All;
    options.words = k < count ? &Vocabulary::all() : &halves;
    cases.push_back(generate(choices, options));
  }
  return cases;
}

// Argument: how many cases of each kind (default 3,000).
int run(int count, char** arguments) {
  const std::vector<Case> cases = draw_cases(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 3000);
  fmt::print("{:<22} {:<5} {:>9} {:>9} {:>9} {:>12}\n", "profile", "dtype", "inexact", "exact", "undecided", "median");
  for (const std::string& name : profile_names()) {
    std::array<Radii, dtype_count> radii;
    for (const Case& test : cases) {
      Interpreter interpreter(test.graph, *find_profile(name));
      // What eager raises on ends there.
      static_cast<void>(interpreter.run(test.feed, [&](NodeId node, std::span<const BallView> values) {
        for (const ValueId result : test.graph.node(node).results) {
          const BallView& view = values[result.index];
          if (!view.floating()) continue;
          Radii& of_dtype = radii[static_cast<std::size_t>(view.dtype)];
          for_each_element(view.layout, [&](int64_t element) { of_dtype.add(view.ball(element), view.dtype); });
        }
      }));
    }
    for (const DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
      Radii& of_dtype = radii[static_cast<std::size_t>(dtype)];
      fmt::print("{:<22} {:<5} {:>9} {:>9} {:>9} {:>12.4g}\n", name, parallax::name(dtype), of_dtype.relative.size(),
                 of_dtype.exact, of_dtype.undecided, of_dtype.median());
    }
  }
  return 0;
}

}  // namespace
}  // namespace parallax

int main(int count, char** arguments) { return parallax::run(count, arguments); }
