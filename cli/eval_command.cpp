// parallax eval: what the oracle says of a case, element by element.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "backends/examine.h"
#include "cli/command.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "core/limits.h"
#include "graph/runs.h"
#include "ops/profiles.h"
#include "oracle/ensemble.h"
#include "oracle/judgement_text.h"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

struct EvalFlags {
  std::string path;
  std::string profile = "eager";
  int members = reported_members;
  bool json = false;
};

// NaN and infinities as the case file writes them.
Json number(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

// How many bits of a value are shown: how far its error lies below it.
int bits_of(DType dtype, double value, double error) {
  const int all = info(dtype).precision;
  if (error == 0) return all;
  if (!std::isfinite(error) || !std::isfinite(value) || value == 0) return 0;
  return std::clamp(static_cast<int>(std::floor(std::log2(std::fabs(value) / error))), 0, all);
}

// "2.5 or 3" of an element that is one of a few numbers.
std::string alternatives_of(const BallTensor& tensor, std::size_t element) {
  const auto found = tensor.alternatives.find(static_cast<int64_t>(element));
  return found == tensor.alternatives.end() ? "" : alternatives_text(tensor.dtype, found->second);
}

Json tensor_json(const std::string& value, const BallTensor& tensor) {
  Json json = {{"name", value}, {"type", type_text(tensor.dtype, tensor.sizes)}, {"value", Json::array()}};
  for (std::size_t i = 0; i < tensor.integers.size(); ++i) {
    const IntegerBall& element = tensor.integers[i];
    json["value"].push_back(element.value);
    const std::string alternatives = alternatives_of(tensor, i);
    json["flags"].push_back(alternatives.empty() && !element.decided() ? integer_text(element) : alternatives);
  }
  for (std::size_t i = 0; i < tensor.balls.size(); ++i) {
    const Ball& ball = tensor.balls[i];
    json["value"].push_back(number(ball.mid));
    json["radius"].push_back(number(ball.radius));
    json["bits"].push_back(bits_of(tensor.dtype, ball.mid, ball.decided() ? ball.radius : infinity));
    if (!tensor.spreads.empty()) {
      const Spread& spread = tensor.spreads[i];
      json["ensemble_value"].push_back(number(spread.value));
      json["half_spread"].push_back(number(spread.half));
      json["ensemble_bits"].push_back(bits_of(tensor.dtype, spread.value, spread.half));
    }
    std::string flags;
    if (ball.may_nan) flags += "nan ";
    if (ball.may_inf) flags += "inf ";
    if (!ball.decided()) flags += std::string("undecided:") + std::string(parallax::name(ball.undecided));
    json["flags"].push_back(flags + alternatives_of(tensor, i));
  }
  return json;
}

Result<int> eval(const EvalFlags& flags) {
  TRY(Case test, read_one_case(flags.path));
  const Profile& profile = *find_profile(flags.profile);
  Result<ExpectedRuns> expected = expected_runs(profile, test);
  if (!expected) {
    Error error = expected.error();
    error.file = flags.path;
    return std::unexpected(std::move(error));
  }
  add_spreads(profile, test, flags.members, *expected);
  Json outputs = Json::array();
  for (std::size_t run = 0; run <= expected->later.size(); ++run) {
    const Expected& seen = run == 0 ? expected->a : expected->later[run - 1];
    const Graph& graph = called_graph(test, run);
    const std::string of_run = expected->later.empty() ? "" : fmt::format("run {}: ", run + 1);
    for (std::size_t i = 0; i < seen.outputs.size(); ++i)
      outputs.push_back(tensor_json(of_run + graph.name(graph.outputs[i]), seen.outputs[i]));
  }
  if (flags.json) {
    fmt::print("{}\n", Json{{"outputs", outputs}}.dump(2));
    return nothing_new;
  }
  for (const Json& output : outputs) {
    fmt::print("{}: {}\n", output["name"].get<std::string>(), output["type"].get<std::string>());
    for (std::size_t k = 0; k < output["value"].size(); ++k) {
      fmt::print("  [{}] {}", k, output["value"][k].dump());
      if (output.contains("radius")) {
        fmt::print(" ± {}  {} bits", output["radius"][k].dump(), output["bits"][k].dump());
        if (output.contains("half_spread")) {
          fmt::print("  ensemble {} ± {}  {} bits", output["ensemble_value"][k].dump(), output["half_spread"][k].dump(),
                     output["ensemble_bits"][k].dump());
        }
      }
      fmt::print("  {}\n", output["flags"][k].get<std::string>());
    }
  }
  return nothing_new;
}

}  // namespace

void add_eval_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<EvalFlags>();
  CLI::App* command = program.add_subcommand(
      "eval", "What the oracle says of a case: value, radius, proved bits, spread of 32 legal runs, flags.");
  command->footer(
      "Examples:\n"
      "  parallax eval corpus/cases/seeds/s1-numeric-clone.json\n"
      "  parallax eval corpus/cases/seeds/s1-numeric-clone.json --profile onnxruntime --json");
  command->add_option("case", flags->path, "A case file")->required()->transform(existing_file());
  command->add_option("--profile", flags->profile, "Whose arithmetic the bound is for")
      ->capture_default_str()
      ->check(member_of(profile_names()));
  command
      ->add_option("--members", flags->members,
                   "Legal runs of the ensemble: `check` takes 8 for a first look and 32 before it reports anything")
      ->capture_default_str()
      ->check(whole_number(1, 1000));
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(eval(*flags)); });
}

}  // namespace parallax
