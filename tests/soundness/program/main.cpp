// parallax_soundness: the oracle against perturbed implementations until so many elements are checked. Exit code 1
// where one of them was outside.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tests/soundness/inexact_ops.h"
#include "tests/soundness/soundness_run.h"

int main(int argc, char** argv) {
  CLI::App app("Holds the oracle's bounds against perturbed implementations of each op.");
  int64_t elements = 1'000'000;
  uint64_t seed = 1;
  uint64_t first_stream = 0;
  int implementations = 24;
  std::string only;
  bool uncovered = false;
  app.add_option("--elements", elements, "how many elements to check")->capture_default_str();
  app.add_option("--seed", seed, "the seed of everything that is drawn")->capture_default_str();
  app.add_option("--stream", first_stream, "the first stream")->capture_default_str();
  app.add_option("--implementations", implementations, "how many of each call")->capture_default_str();
  app.add_option("--only", only, "a family, or the name of an op");
  app.add_flag("--uncovered", uncovered,
               "list the overloads that round and have no perturbed implementation, and stop");
  CLI11_PARSE(app, argc, argv);
  if (uncovered) {
    for (const std::string_view op : parallax::inexact_overloads()) {
      if (std::ranges::find(parallax::plain_ops(), op, &parallax::PlainOp::name) == parallax::plain_ops().end()) {
        fmt::print("{}\n", op);
      }
    }
    return 0;
  }
  const auto wanted = [&](const parallax::PlainOp& op) { return only.empty() || op.family == only || op.name == only; };
  if (std::ranges::none_of(parallax::plain_ops(), wanted)) {
    fmt::print(stderr, "parallax_soundness: no family or op '{}'\n", only);
    return 2;
  }
  parallax::SoundnessRun run(seed, implementations);
  // Ops that draw nothing from their pool would never end the run.
  const uint64_t last_stream = first_stream + static_cast<uint64_t>(elements);
  for (uint64_t stream = first_stream; run.checks() < elements && stream < last_stream; ++stream) {
    for (const parallax::PlainOp& op : parallax::plain_ops()) {
      if (wanted(op)) run.run(op, stream);
    }
  }
  for (const std::string& violation : run.violations()) fmt::print("{}\n", violation);
  fmt::print("{}", run.table());
  return run.violations().empty() ? 0 : 1;
}
