// parallax eval: what the oracle says of a case, element by element.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "backends/examine.h"
#include "cli/command.h"
#include "cli/one_case.h"
#include "cli/target_options.h"
#include "ops/profiles.h"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

struct EvalFlags {
  std::string path;
  std::string profile = "eager";
  bool json = false;
};

// NaN and infinities as the case file writes them.
Json number(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Json tensor_json(const std::string& value, const BallTensor& tensor) {
  Json json = {{"name", value}, {"type", type_text(tensor.dtype, tensor.sizes)}, {"value", Json::array()}};
  for (const IntegerBall& element : tensor.integers) json["value"].push_back(element.value);
  for (const Ball& ball : tensor.balls) {
    json["value"].push_back(number(ball.mid));
    json["radius"].push_back(number(ball.radius));
    // Bits of the result that are proved: how far the radius lies below the value.
    json["bits"].push_back(ball.radius > 0 && ball.mid != 0
                               ? number(std::floor(std::log2(std::fabs(ball.mid) / ball.radius)))
                               : number(ball.radius > 0 ? 0 : info(tensor.dtype).precision));
    std::string flags;
    if (ball.may_nan) flags += "nan ";
    if (ball.may_inf) flags += "inf ";
    if (!ball.decided()) flags += std::string("undecided:") + std::string(parallax::name(ball.undecided));
    json["flags"].push_back(flags);
  }
  return json;
}

Result<int> eval(const EvalFlags& flags) {
  TRY(Case test, read_one_case(flags.path));
  const Result<ExpectedRuns> expected = expected_runs(*find_profile(flags.profile), test);
  if (!expected) {
    Error error = expected.error();
    error.file = flags.path;
    return std::unexpected(std::move(error));
  }
  Json outputs = Json::array();
  for (std::size_t run = 0; run <= expected->later.size(); ++run) {
    const Expected& seen = run == 0 ? expected->a : expected->later[run - 1];
    const std::string of_run = expected->later.empty() ? "" : fmt::format("run {}: ", run + 1);
    for (std::size_t i = 0; i < seen.outputs.size(); ++i)
      outputs.push_back(tensor_json(of_run + test.graph.name(test.graph.outputs[i]), seen.outputs[i]));
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
        fmt::print(" ± {}  {} bits  {}", output["radius"][k].dump(), output["bits"][k].dump(),
                   output["flags"][k].get<std::string>());
      }
      fmt::print("\n");
    }
  }
  return nothing_new;
}

}  // namespace

void add_eval_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<EvalFlags>();
  CLI::App* command =
      program.add_subcommand("eval", "What the oracle says of a case: value, radius, proved bits, flags.");
  command->add_option("case", flags->path, "A case file")->required();
  command->add_option("--profile", flags->profile, "Whose arithmetic the bound is for")
      ->capture_default_str()
      ->check(CLI::IsMember(profile_names()));
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(eval(*flags)); });
}

}  // namespace parallax
