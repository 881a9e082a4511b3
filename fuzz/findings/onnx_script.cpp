#include "fuzz/findings/onnx_script.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <variant>

#include "backends/external/last_line.h"
#include "backends/external/process.h"
#include "backends/open_target.h"
#include "corpus/grade.h"
#include "corpus/store.h"
#include "graph/case_json.h"
#include "graph/tensor_json.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"

namespace parallax {
namespace {

constexpr std::chrono::seconds longest_writing{120};
constexpr std::string_view runtimes = "onnx.runtimes.";
// IREE has importer, compiler and runtime of its own, and takes the same models.
constexpr std::string_view iree_on_cpu = "iree.cpu";
// Among the words of a worker's command, behind Python and the adapters' folder.
constexpr std::size_t module_place = 2;

// How the writer of scripts names what a worker's module drives, where that takes models that are written here.
std::optional<std::string> runtime_of(const std::string& module) {
  if (module == iree_on_cpu) return "iree";
  if (!module.starts_with(runtimes)) return std::nullopt;
  return module.substr(runtimes.size());
}

// How the worker of a target is started, where it takes models that are written here.
Result<std::vector<std::string>> worker_of(const std::string& target) {
  TRY(const Catalogue catalogue, open_catalogue());
  TRY(const TargetSpec spec, parse_target_spec(target));
  TRY(std::vector<std::string> worker, catalogue.command(spec));
  if (worker.size() <= module_place || !runtime_of(worker[module_place]))
    return fail("{} takes no ONNX models of ours", target);
  if (worker.size() > 3)
    return fail("a script of few lines calls the system as it is, without the options of {}", target);
  return worker;
}

// What the numbers of a tensor may be off by: their radii, and the rounding of the number that is written down.
struct Bounds {
  Tolerances sharp;   // the least that takes all that is right
  double radius = 0;  // the largest
};

// The element that must come out, where that is one number.
std::optional<double> one_number(const BallTensor& tensor, std::size_t i, Bounds& bounds) {
  if (tensor.alternatives.contains(static_cast<int64_t>(i))) return std::nullopt;
  if (!is_floating(tensor.dtype)) {
    const IntegerBall& integer = tensor.integers[i];
    if (integer.undecided != Undecided::No || integer.is_interval()) return std::nullopt;
    return static_cast<double>(integer.value);
  }
  const Ball& ball = tensor.balls[i];
  if (!ball.decided() || !std::isfinite(ball.radius) || ball.may_nan || ball.may_inf) return std::nullopt;
  bounds.radius = std::max(bounds.radius, ball.radius);
  const DTypeInfo& about = info(tensor.dtype);
  const double size = std::abs(ball.mid);
  if (size < about.smallest_normal || !std::isfinite(size)) {
    bounds.sharp.absolute = std::max(bounds.sharp.absolute, ball.radius + about.smallest_normal);
  } else {
    bounds.sharp.relative = std::max(bounds.sharp.relative, ball.radius / size + 2 * about.unit_roundoff);
  }
  return ball.mid;
}

// What must come out of the first run, and what floats may be off by: as maintainers ask for it, and at the least.
struct Wanted {
  Json outputs = Json::array();
  Tolerances usual = {};
  Tolerances sharp = {};
};

Tolerances wider(const Tolerances& a, const Tolerances& b) {
  return {std::max(a.relative, b.relative), std::max(a.absolute, b.absolute)};
}

Result<Wanted> wanted_of(const Case& test) {
  TRY(const ExpectedRuns runs, expected_runs(*find_profile("eager"), test));
  Wanted wanted;
  for (const BallTensor& output : runs.a.outputs) {
    Bounds bounds;
    Tensor tensor(output.dtype, output.sizes);
    for (int64_t i = 0; i < output.numel(); ++i) {
      const auto number = one_number(output, static_cast<std::size_t>(i), bounds);
      if (!number) return fail("what must come out is not one number");
      if (is_floating(output.dtype)) {
        tensor.set_double(i, *number);
      } else {
        tensor.set_integer(i, output.integers[static_cast<std::size_t>(i)].value);
      }
    }
    wanted.outputs.push_back({{"type", type_text(output.dtype, output.sizes)}, {"data", tensor_json(tensor)}});
    wanted.sharp = wider(wanted.sharp, bounds.sharp);
    wanted.usual = wider(wanted.usual, wider(default_tolerances(output.dtype), {.absolute = bounds.radius}));
  }
  return wanted;
}

// What is right after the first run, and in what it hands back, is not shown by a script that calls the system once.
bool shows_in_one_run(const Finding& finding) {
  if (finding.earlier || finding.wrong_calls == WrongCalls::LaterAlone) return false;
  if (finding.verdict == Verdict::Crash || finding.verdict == Verdict::InternalError) return true;
  // Of a case with an origin and no more than that, the signature is all that is known.
  return finding.verdict == Verdict::Mismatch && !finding.reason.contains("storage") &&
         (finding.reason.starts_with("A: out") || finding.reason == finding.signature);
}

Result<std::string> answered(std::vector<std::string> worker, const std::string& request,
                             const std::function<bool()>& given_up) {
  worker[module_place] = "onnx.brief_script";
  TRY(Process process, Process::start(worker, {.given_up = given_up}));
  const LineOrFailure said = process.exchange(request, longest_writing);
  const auto* line = std::get_if<std::string>(&said);
  if (line == nullptr) return fail("the writer of scripts does not answer: {}", last_line(process.error_tail()));
  const Json answer = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return fail("the writer of scripts answers '{}'", *line);
  if (answer.contains("script")) return answer["script"].get<std::string>();
  return fail("{}", answer.value("why", "the writer of scripts says nothing"));
}

Result<std::string> request_of(const Finding& finding, const std::vector<std::string>& worker) {
  const Case& test = finding.reduced;
  if (test.gradient) return fail("a model has no gradients");
  if (!shows_in_one_run(finding)) return fail("one run does not show it");
  Json request = {
      {"case", Json::parse(to_json(test))}, {"runtime", *runtime_of(worker[module_place])}, {"expected", nullptr}};
  if (finding.verdict == Verdict::Mismatch) {
    TRY(Wanted wanted, wanted_of(test));
    // Of a case that nobody has run here it is not known whether the usual tolerances see it.
    Tolerances tolerances = finding.evidence ? wanted.usual : wanted.sharp;
    if (const auto tolerance = script_options(finding).tolerance) tolerances = {.absolute = *tolerance};
    request["expected"] = std::move(wanted.outputs);
    request["rtol"] = tolerances.relative;
    request["atol"] = tolerances.absolute;
  }
  return request.dump();
}

}  // namespace

Result<std::string> onnx_script_request(const Finding& finding) {
  TRY(const std::vector<std::string> worker, worker_of(finding.target));
  return request_of(finding, worker);
}

Result<std::string> onnx_script(const Finding& finding, const std::function<bool()>& given_up) {
  TRY(std::vector<std::string> worker, worker_of(finding.target));
  TRY(const std::string request, request_of(finding, worker));
  return answered(std::move(worker), request, given_up);
}

}  // namespace parallax
