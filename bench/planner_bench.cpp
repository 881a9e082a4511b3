// The packers on MiniMalloc's "challenging" problems and on random graphs: arena over lower bound, steps, processor
// seconds.
//
// A program of its own: what it prints is a table of results, not of times. Usage: planner_bench [FOLDER]; the problems
// are bench/data/*.csv, one block a line (id, first step, end step, bytes).
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "core/choices.h"
#include "planner/greedy_packer.h"
#include "planner/packers.h"

namespace parallax {
namespace {

constexpr int64_t capacity = 1048576;  // the height that the set asks for

struct Named {
  std::string name;
  PackingProblem problem;
};

std::vector<Named> read_problems(const std::filesystem::path& folder) {
  std::vector<Named> problems;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".csv") continue;
    Named named{file.path().filename().string().substr(0, 1), {}};
    std::ifstream text(file.path());
    std::string line;
    std::getline(text, line);  // the header
    while (std::getline(text, line)) {
      std::ranges::replace(line, ',', ' ');
      std::istringstream fields(line);
      int64_t id = 0;
      int64_t first = 0;
      int64_t end = 0;
      int64_t size = 0;
      if (!(fields >> id >> first >> end >> size)) continue;
      named.problem.blocks.push_back({{static_cast<int>(first), static_cast<int>(end) - 1}, size, 1});
    }
    problems.push_back(std::move(named));
  }
  std::ranges::sort(problems, {}, &Named::name);
  return problems;
}

struct Measured {
  Packing packing;
  double ratio = 0;
  double seconds = 0;  // of the processor
};

Measured measure(const PackFn pack, const PackingProblem& problem, const PackBudget& budget) {
  const std::clock_t start = std::clock();
  Measured measured;
  measured.packing = pack(problem, budget);
  measured.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!is_packing(problem, measured.packing.offsets)) fmt::print("NOT A PACKING\n");
  measured.ratio = static_cast<double>(measured.packing.height) / static_cast<double>(lower_bound(problem));
  return measured;
}

// Figures of other planners on the same problems and a machine of two cores, for comparison.
struct Row {
  const char* name;
  std::array<double, 11> values;
};
constexpr std::array field_rows = {
    Row{"field: by size", {1.29, 1.35, 1.36, 1.31, 1.37, 1.38, 1.33, 1.36, 1.41, 1.32, 1.29}},
    Row{"field: local, 5 s", {1.13, 1.12, 1.14, 1.20, 1.14, 1.12, 1.12, 1.07, 1.27, 1.18, 1.20}},
    Row{"field: MiniMalloc s", {6.2, 4.5, 0.83, 3.0, 4.7, 7.0, 1.5, 2.1, 4.8, 1.1, 0.83}},
};

void print_row(const std::string& name, const std::vector<double>& values, int digits) {
  fmt::print("{:<20}", name);
  for (double value : values) fmt::print(" {:>7.{}f}", value, digits);
  fmt::print("\n");
  std::fflush(stdout);
}

void challenging(const std::vector<Named>& problems) {
  fmt::print("{:<20}", "arena / lower bound");
  for (const Named& named : problems) fmt::print(" {:>7}", named.name);
  fmt::print("\n");
  for (const Row& row : field_rows) print_row(row.name, {row.values.begin(), row.values.end()}, 2);
  for (const Packer& packer : all_packers) {
    if (packer.pack == pack_exactly) continue;
    std::vector<double> ratios;
    std::vector<double> seconds;
    for (const Named& named : problems) {
      const Measured measured = measure(packer.pack, named.problem, {200000, 1});
      ratios.push_back(measured.ratio);
      seconds.push_back(measured.seconds);
    }
    print_row(std::string(packer.name), ratios, 3);
    print_row("  seconds", seconds, 3);
  }
  for (const GreedyOrder& by : greedy_orders) {
    for (Fit fit : all_fits) {
      std::vector<double> ratios;
      for (const Named& named : problems) {
        std::vector<int64_t> offsets;
        const int64_t height = GreedyPacker(named.problem).pack(greedy_order(named.problem, by), fit, offsets);
        ratios.push_back(static_cast<double>(height) / static_cast<double>(lower_bound(named.problem)));
      }
      print_row(fmt::format("{}, {} fit", by.name, fit == Fit::First ? "first" : "best"), ratios, 3);
    }
  }
  std::vector<double> seconds;
  std::vector<double> steps;
  for (const Named& named : problems) {
    PackingProblem asked = named.problem;
    asked.enough = capacity;
    const Measured measured = measure(pack_exactly, asked, {int64_t{1} << 22, 1});
    seconds.push_back(measured.packing.height <= capacity ? measured.seconds : -measured.seconds);
    steps.push_back(static_cast<double>(measured.packing.steps));
  }
  print_row("exact, s (- unsolved)", seconds, 2);
  print_row("exact, steps", steps, 0);
}

// A graph of `count` tensors: each made by a step that reads up to three of the eight before it, so that lives are of
// all lengths.
PackingProblem random_graph(Choices& choices, int count) {
  PackingProblem problem;
  for (int i = 0; i < count; ++i) {
    const int64_t size = (int64_t{1} << choices.below(7)) * choices.between(1, 16) * 16;
    problem.blocks.push_back({{i, i}, size, 1});
    for (uint64_t reads = choices.below(4); reads > 0; --reads) {
      const int back = static_cast<int>(choices.below(static_cast<uint64_t>(std::min(i, 8)) + 1));
      problem.blocks[static_cast<std::size_t>(i - back)].range.last = i;
    }
  }
  return problem;
}

void random_graphs(int count, int tensors, std::span<const Packer> packers) {
  fmt::print("\n{} random graphs of {} tensors: arena / lower bound, mean and worst; microseconds a graph\n", count,
             tensors);
  for (const Packer& packer : packers) {
    double sum = 0;
    double worst = 0;
    double seconds = 0;
    for (int g = 0; g < count; ++g) {
      Choices choices(1, static_cast<uint64_t>(g));
      const Measured measured = measure(packer.pack, random_graph(choices, tensors), {20000, 1});
      sum += measured.ratio;
      worst = std::max(worst, measured.ratio);
      seconds += measured.seconds;
    }
    fmt::print("{:<20} {:.4f} {:.3f} {:>9.1f}\n", packer.name, sum / count, worst, seconds / count * 1e6);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace parallax

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : PARALLAX_PROBLEMS_DIR;
  if (!std::filesystem::is_directory(folder)) {
    fmt::print(stderr, "planner_bench: {}: no such folder\n", folder.string());
    return 2;
  }
  parallax::challenging(parallax::read_problems(folder));
  parallax::random_graphs(1000, 10, parallax::all_packers);
  parallax::random_graphs(500, 50, parallax::all_packers);
  const std::array fast = {*parallax::find_packer("default")};
  for (int tensors : {1000, 3000, 10000}) parallax::random_graphs(5, tensors, fast);
}
