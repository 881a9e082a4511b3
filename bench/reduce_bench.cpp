// What a reduction costs: checks of the predicate, and what is left, for faults planted in random graphs.
//
// A table, not a time: each line is the median over some graphs. Beside ours stands plain ddmin over the set of nodes
// (Zeller and Hildebrandt, 2002), with the same way of taking nodes out. `until least` counts the checks until the last
// node that can go is gone; the rest of ours shrinks shapes, values and names, which ddmin does not.
//
// `reduce_bench --write FOLDER` writes the graphs of up to 100 nodes and what counts as the fault in each, for
// bench/reduce_peers.py, which gives the same faults to other people's reducers.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/generate/generate.h"
#include "graph/builder.h"
#include "graph/case_json.h"
#include "graph/removal.h"
#include "oracle/record.h"
#include "reducers/reduce.h"

namespace parallax {
namespace {

constexpr int graphs_a_line = 9;

// A graph of element-wise ops over f32[4], each on values drawn from the last sixteen, with the ops of `planted` put in
// at evenly spread places: op i at place i of the list. A planted op reads what the planted op before it made where
// `chained` says so.
struct Plan {
  std::string_view name;
  std::vector<std::string_view> ops;
  std::vector<bool> chained;  // by op: reads the one before
  std::size_t least;          // nodes of the smallest case
};

// Ops that the filling never draws, so that the fault is where it was planted and nowhere else.
const std::vector<Plan> plans = {
    {"2 adjacent", {"aten.erf.default", "aten.atan.default"}, {false, true}, 2},
    {"2 distant", {"aten.erf.default", "aten.atan.default"}, {false, false}, 2},
    {"3 distant", {"aten.erf.default", "aten.atan.default", "aten.ceil.default"}, {false, false, false}, 3},
    {"2 pairs in branches",
     {"aten.erf.default", "aten.atan.default", "aten.ceil.default", "aten.floor.default"},
     {false, true, false, true},
     4},
    {"6 distant",
     {"aten.erf.default", "aten.atan.default", "aten.ceil.default", "aten.floor.default", "aten.trunc.default",
      "aten.asinh.default"},
     {false, false, false, false, false, false},
     6},
    {"alias: copy, view, write",
     {"aten.clone.default", "aten.view.default", "aten.add_.Tensor"},
     {false, true, true},
     3},
};

Case planted_case(const Plan& plan, int nodes, uint64_t seed) {
  constexpr std::array unary = {"aten.neg.default", "aten.sigmoid.default", "aten.abs.default", "aten.cos.default"};
  constexpr std::array binary = {"aten.add.Tensor", "aten.mul.Tensor", "aten.sub.Tensor", "aten.maximum.default"};
  Choices choices(seed, 0);
  GraphBuilder builder;
  std::vector<ValueId> values;
  for (const char* name : {"x", "y"}) {
    values.push_back(*builder.add_source(SourceKind::Input, name, DType::F32, contiguous_layout({4})));
  }
  const auto recent = [&] {
    const std::size_t window = std::min<std::size_t>(values.size(), 16);
    return values[values.size() - window + choices.below(window)];
  };
  // Adjacent ops stand side by side; the others spread out.
  const std::size_t groups = static_cast<std::size_t>(std::ranges::count(plan.chained, false));
  std::size_t next = 0;
  std::size_t group = 0;
  ValueId before;
  const auto add = [&](std::string_view op, std::vector<Argument> arguments) {
    before = *builder.call(op, std::move(arguments));
    values.push_back(before);
  };
  for (int n = 0; n < nodes; ++n) {
    const auto due = static_cast<int>((2 * group + 1) * static_cast<std::size_t>(nodes) / (2 * groups));
    if (next < plan.ops.size() && n >= due) {
      do {
        const ValueId operand = plan.chained[next] ? before : recent();
        std::vector<Argument> arguments = {operand};
        if (plan.ops[next] == "aten.view.default") arguments.push_back(IntList{2, 2});
        if (plan.ops[next] == "aten.add_.Tensor") arguments.push_back(Scalar(1.0));
        if (plan.ops[next] == "aten.view.default" || plan.ops[next] == "aten.add_.Tensor") {
          before = *builder.call(plan.ops[next], std::move(arguments));
        } else {
          add(plan.ops[next], std::move(arguments));
        }
      } while (++next < plan.ops.size() && plan.chained[next]);
      ++group;
      continue;
    }
    if (choices.chance(50)) {
      add(unary[choices.below(unary.size())], {recent()});
    } else {
      add(binary[choices.below(binary.size())], {recent(), recent()});
    }
  }
  builder.add_output(values.back());
  builder.add_output(recent());
  if (before.valid()) builder.add_output(before);
  Case test;
  test.graph = builder.take();
  for (int i = 0; i < 2; ++i) {
    Tensor& tensor = test.feed.emplace_back(DType::F32, Dims{4});
    for (int64_t k = 0; k < 4; ++k) tensor.set_double(k, static_cast<double>(choices.below(64)) / 8 - 4);
  }
  return test;
}

// Whether every planted op is there, the chained ones on what the one before made.
bool shows(const Plan& plan, const Graph& graph) {
  std::vector<const Node*> found;
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const auto at = std::ranges::find_if(graph.nodes, [&](const Node& node) {
      if (node.op->name != plan.ops[i]) return false;
      return !plan.chained[i] || std::get<ValueId>(node.arguments[0]) == found.back()->results[0];
    });
    if (at == graph.nodes.end()) return false;
    found.push_back(&*at);
  }
  return true;
}

std::optional<std::vector<Tensor>> record(const Case& test) { return record_values(test); }

struct Cost {
  int checks = 0;
  int until_least = 0;
  std::size_t nodes = 0;
  double seconds = 0;
};

// Counts the checks of a predicate, and those up to the last one that lost a node.
struct Counted {
  const Plan& plan;
  int checks = 0;
  int until_least = 0;
  std::size_t fewest = static_cast<std::size_t>(-1);

  bool operator()(const Case& test) {
    ++checks;
    if (!shows(plan, test.graph)) return false;
    if (test.graph.nodes.size() < fewest) {
      fewest = test.graph.nodes.size();
      until_least = checks;
    }
    return true;
  }
};

Cost ours(const Plan& plan, const Case& start) {
  Counted counted{plan};
  const ReduceResult result =
      reduce(start, [&](const Case& test) { return counted(test); }, record, {.max_checks = 5000, .max_seconds = 300});
  return {counted.checks, counted.until_least, result.reduced.graph.nodes.size(), result.seconds};
}

// ddmin over the nodes of `start`: a subset keeps the nodes whose places it holds.
Cost ddmin(const Plan& plan, const Case& start) {
  const auto began = std::chrono::steady_clock::now();
  Counted counted{plan};
  const std::optional<std::vector<Tensor>> values = record(start);
  const auto kept = [&](const std::vector<std::size_t>& places) -> std::optional<Case> {
    std::optional<Case> test = start;
    // From the back, so that places stay what they were.
    for (std::size_t n = start.graph.nodes.size(); n-- > 0 && test;) {
      if (std::ranges::binary_search(places, n)) continue;
      const std::optional<std::vector<Tensor>> recorded = record(*test);
      const auto sketch = remove_nodes(*test, n, n + 1, Removal::Bypass, recorded ? &*recorded : nullptr);
      test = sketch ? put_together(*sketch, *test) : std::nullopt;
    }
    return test;
  };
  std::vector<std::size_t> places(start.graph.nodes.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::size_t parts = 2;
  while (places.size() > 1) {
    bool reduced = false;
    for (std::size_t part = 0; part < parts && !reduced; ++part) {
      const std::size_t begin = places.size() * part / parts;
      const std::size_t end = places.size() * (part + 1) / parts;
      std::vector<std::size_t> rest = places;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin), rest.begin() + static_cast<std::ptrdiff_t>(end));
      const std::optional<Case> test = kept(rest);
      if (!test || !counted(*test)) continue;
      places = std::move(rest);
      parts = std::max<std::size_t>(parts - 1, 2);
      reduced = true;
    }
    if (reduced) continue;
    if (parts >= places.size()) break;
    parts = std::min(parts * 2, places.size());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return {counted.checks, counted.until_least, places.size(), seconds};
}

template <class Field>
auto median(std::vector<Cost> costs, Field field) {
  std::ranges::sort(costs, {}, field);
  return std::invoke(field, costs[costs.size() / 2]);
}

int run() {
  fmt::print("{:<26} {:>6} | {:>7} {:>12} {:>6} {:>8} | {:>7} {:>6} {:>8}\n", "fault", "nodes", "checks", "until least",
             "left", "seconds", "ddmin", "left", "seconds");
  for (const Plan& plan : plans) {
    for (const int nodes : {20, 60, 100, 300, 1000}) {
      const int graphs = nodes > 100 ? 3 : graphs_a_line;
      std::vector<Cost> of_ours;
      std::vector<Cost> of_ddmin;
      for (int graph = 0; graph < graphs; ++graph) {
        const Case start = planted_case(plan, nodes, static_cast<uint64_t>(graph) + 1);
        of_ours.push_back(ours(plan, start));
        // Its cost grows with the square of the graph; a line of it on 1,000 nodes would take hours.
        if (nodes <= 100) of_ddmin.push_back(ddmin(plan, start));
      }
      fmt::print("{:<26} {:>6} | {:>7} {:>12} {:>6} {:>8.2f} |", plan.name, nodes, median(of_ours, &Cost::checks),
                 median(of_ours, &Cost::until_least), median(of_ours, &Cost::nodes), median(of_ours, &Cost::seconds));
      if (!of_ddmin.empty()) {
        fmt::print(" {:>7} {:>6} {:>8.2f}", median(of_ddmin, &Cost::checks), median(of_ddmin, &Cost::nodes),
                   median(of_ddmin, &Cost::seconds));
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
  return EXIT_SUCCESS;
}

// The graphs that ddmin gets too, and index.json with what must stay of each.
int write(const std::filesystem::path& folder) {
  nlohmann::json index = nlohmann::json::array();
  std::filesystem::create_directories(folder);
  for (const Plan& plan : plans) {
    for (const int nodes : {20, 60, 100}) {
      for (int graph = 0; graph < graphs_a_line; ++graph) {
        const auto seed = static_cast<uint64_t>(graph) + 1;
        const std::string file = fmt::format("{}-{}-{}.json", &plan - plans.data(), nodes, seed);
        std::ofstream(folder / file) << to_json(planted_case(plan, nodes, seed), 1) << "\n";
        index.push_back(
            {{"fault", plan.name}, {"nodes", nodes}, {"file", file}, {"ops", plan.ops}, {"chained", plan.chained}});
      }
    }
  }
  std::ofstream stream(folder / "index.json");
  stream << index.dump(1) << "\n";
  if (stream.flush()) return EXIT_SUCCESS;
  fmt::print(stderr, "{}: cannot be written\n", folder.string());
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace parallax

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--write") return parallax::write(argv[2]);
  if (argc > 1) {
    fmt::print(stderr, "usage: reduce_bench [--write FOLDER]\n");
    return 2;
  }
  return parallax::run();
}
