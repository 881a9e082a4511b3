#include "corpus/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/choices.h"
#include "core/json_field.h"

namespace parallax {
namespace {

Result<std::string> text_member(const Field& root, std::string_view key) {
  TRY(Field field, root.need(key));
  return field.text();
}

Result<std::optional<uint64_t>> number_member(const Field& root, std::string_view key) {
  const auto field = root.find(key);
  if (!field) return std::nullopt;
  if (!field->json().is_number_unsigned()) return field->fail("must be an integer that is not negative");
  return field->json().get<uint64_t>();
}

Result<Verdict> read_verdict(const Field& field) {
  TRY(const std::string text, field.text());
  const auto verdict = parse_verdict(text);
  if (!verdict) return field.fail("unknown verdict '{}'", text);
  return *verdict;
}

Result<Repeats> read_repeats(const Field& field) {
  TRY_VOID(field.expect_object());
  TRY(const auto wrong, number_member(field, "wrong"));
  TRY(const auto runs, number_member(field, "runs"));
  if (!wrong || !runs || *wrong > *runs || *runs > INT_MAX) return field.fail("must say how many of how many runs");
  return Repeats{static_cast<int>(*wrong), static_cast<int>(*runs)};
}

constexpr std::array<std::string_view, 3> wrong_calls_names = {"all", "first alone", "later alone"};

Result<double> read_number(const Field& root, std::string_view key) {
  TRY(const Field field, root.need(key));
  if (field.json().is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (field.json().is_string()) {  // JSON has no infinity
    return field.json() == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  if (!field.json().is_number()) return field.fail("must be a number");
  return field.json().get<double>();
}

Json number_json(double x) {
  if (std::isnan(x)) return nullptr;
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Json error_json(const NumericError& error) {
  return {{"value", number_json(error.value)}, {"ulps", number_json(error.ulps)}};
}

Result<NumericError> read_error(const Field& field) {
  TRY_VOID(field.expect_object());
  NumericError error;
  TRY(error.value, read_number(field, "value"));
  TRY(error.ulps, read_number(field, "ulps"));
  return error;
}

Json evidence_json(const NumericEvidence& evidence) {
  Json json = {{"place", evidence.place},
               {"dtype", name(evidence.dtype)},
               {"reference", number_json(evidence.reference)},
               {"reference_from", evidence.reference_from},
               {"target", error_json(evidence.target)},
               {"mismatched", evidence.mismatched},
               {"total", evidence.total}};
  if (evidence.eager) json["eager"] = error_json(*evidence.eager);
  return json;
}

Result<NumericEvidence> read_evidence(const Field& field) {
  TRY_VOID(field.expect_object());
  NumericEvidence evidence;
  TRY(evidence.place, text_member(field, "place"));
  TRY(const std::string dtype, text_member(field, "dtype"));
  const auto parsed = parse_dtype(dtype);
  if (!parsed) return field.fail("there is no dtype '{}'", dtype);
  evidence.dtype = *parsed;
  TRY(evidence.reference, read_number(field, "reference"));
  TRY(evidence.reference_from, text_member(field, "reference_from"));
  TRY(const Field target, field.need("target"));
  TRY(evidence.target, read_error(target));
  if (const auto eager = field.find("eager")) {
    TRY(evidence.eager, read_error(*eager));
  }
  TRY(const Field mismatched, field.need("mismatched"));
  TRY(evidence.mismatched, mismatched.integer());
  TRY(const Field total, field.need("total"));
  TRY(evidence.total, total.integer());
  return evidence;
}

Result<JurorAnswer> read_juror(const Field& field) {
  TRY_VOID(field.expect_object());
  JurorAnswer juror;
  TRY(juror.juror, text_member(field, "juror"));
  TRY(const std::string answer, text_member(field, "answer"));
  const auto parsed = parse_answer(answer);
  if (!parsed) return field.fail("unknown answer '{}'", answer);
  juror.answer = *parsed;
  TRY(juror.said, text_member(field, "said"));
  return juror;
}

Result<int> read_call(const Field& field) {
  TRY(const int64_t call, field.integer());
  if (call < 1 || call > std::numeric_limits<int>::max()) return field.fail("there is no call {}", call);
  return static_cast<int>(call);
}

Result<WrongCall> read_wrong_call(const Field& field) {
  TRY_VOID(field.expect_object());
  WrongCall wrong;
  TRY(const Field call, field.need("call"));
  TRY(wrong.call, read_call(call));
  wrong.read_again = field.find("read_again").has_value();
  TRY(const Field needs, field.need("needs"));
  TRY(wrong.needs, read_array(needs, read_call));
  return wrong;
}

// What was made of a finding after it was reduced.
Result<void> read_opinions(const Field& root, Finding& finding) {
  if (const auto field = root.find("wrong_calls")) {
    TRY(const std::string text, field->text());
    const auto found = std::ranges::find(wrong_calls_names, text);
    if (found == wrong_calls_names.end()) return field->fail("there are no calls '{}'", text);
    finding.wrong_calls = static_cast<WrongCalls>(found - wrong_calls_names.begin());
  }
  if (const auto field = root.find("wrong_call")) {
    TRY(finding.wrong_call, read_wrong_call(*field));
  }
  if (const auto field = root.find("grade")) {
    TRY(const std::string text, field->text());
    finding.grade = parse_grade(text);
    if (!finding.grade) return field->fail("unknown grade '{}'", text);
  }
  if (const auto field = root.find("evidence")) {
    TRY(finding.evidence, read_evidence(*field));
  }
  if (const auto field = root.find("jury")) {
    TRY(finding.jury, read_array(*field, read_juror));
  }
  return {};
}

Result<Finding> read_finding(const Field& root) {
  Finding finding;
  TRY(finding.id, text_member(root, "id"));
  TRY(finding.target, text_member(root, "target"));
  TRY(finding.signature, text_member(root, "signature"));
  TRY(Field verdict_field, root.need("verdict"));
  TRY(finding.verdict, read_verdict(verdict_field));
  if (const auto stage = root.find("stage")) {
    TRY(finding.stage, stage->text());
  }
  if (const auto controls = root.find("controls")) {
    TRY_VOID(controls->expect_object());
    TRY_VOID(for_each_member(*controls, [&](const std::string& what, const Field& field) -> Result<void> {
      TRY(const Verdict verdict, read_verdict(field));
      finding.controls.emplace_back(what, verdict);
      return {};
    }));
  }
  if (const auto planted = root.find("planted")) {
    TRY(finding.planted, read_array(*planted, [](const Field& fault) { return fault.text(); }));
  }
  if (root.find("reason")) {
    TRY(finding.reason, text_member(root, "reason"));
  }
  for (const auto& [key, text] : {std::pair("blame", &finding.blame), std::pair("cause", &finding.cause),
                                  std::pair("configuration", &finding.configuration)}) {
    if (root.find(key)) {
      TRY(*text, text_member(root, key));
    }
  }
  if (const auto repeats = root.find("repeats")) {
    TRY(finding.repeats, read_repeats(*repeats));
  }
  TRY_VOID(read_opinions(root, finding));
  TRY(finding.seed, number_member(root, "seed"));
  TRY(finding.index, number_member(root, "index"));
  if (const auto versions = root.find("versions")) {
    TRY_VOID(versions->expect_object());
    TRY_VOID(for_each_member(*versions, [&](const std::string& part, const Field& field) -> Result<void> {
      TRY(std::string version, field.text());
      finding.versions.emplace_back(part, std::move(version));
      return {};
    }));
  }
  return finding;
}

}  // namespace

std::string_view describe(WrongCalls calls) {
  switch (calls) {
    case WrongCalls::All:
      return "";
    case WrongCalls::FirstAlone:
      return "wrong on the first call of a program, right from the second on";
    case WrongCalls::LaterAlone:
      return "right on the first call of a program, wrong from the second on";
  }
  return "";
}

std::string describe(const WrongCall& wrong) {
  const auto calls = [](const std::vector<int>& list) {
    return fmt::format("call{} {}", list.size() == 1 ? "" : "s", fmt::join(list, ", "));
  };
  std::string text = wrong.read_again ? fmt::format("what call {} returned is wrong after the last call", wrong.call)
                                      : fmt::format("wrong at call {}", wrong.call);
  if (!wrong.needs.empty()) text += "; needs " + calls(wrong.needs);
  return text;
}

std::string short_id(std::string_view text, int length) {
  constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  constexpr int bits = 5;
  PARALLAX_CHECK(length > 0 && length * bits <= 65);
  uint64_t hash = text.size();
  for (char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  std::string id;
  for (int i = 0; i < length; ++i) {
    id += digits[hash & 31];
    hash >>= bits;
  }
  return id;
}

std::string finding_json(const Finding& finding) {
  Json json = {{"id", finding.id},
               {"target", finding.target},
               {"verdict", name(finding.verdict)},
               {"signature", finding.signature},
               {"nodes", finding.reduced.graph.nodes.size()},
               {"original_nodes", finding.original.graph.nodes.size()}};
  if (!finding.reason.empty()) json["reason"] = finding.reason;
  if (!finding.stage.empty()) json["stage"] = finding.stage;
  for (const auto& [what, verdict] : finding.controls) json["controls"][what] = name(verdict);
  if (!finding.planted.empty()) json["planted"] = finding.planted;
  if (!finding.blame.empty()) json["blame"] = finding.blame;
  if (!finding.cause.empty()) json["cause"] = finding.cause;
  if (!finding.configuration.empty()) json["configuration"] = finding.configuration;
  if (finding.repeats) json["repeats"] = {{"wrong", finding.repeats->wrong}, {"runs", finding.repeats->runs}};
  if (finding.wrong_calls != WrongCalls::All) {
    json["wrong_calls"] = wrong_calls_names[static_cast<std::size_t>(finding.wrong_calls)];
  }
  if (const auto& wrong = finding.wrong_call) {
    json["wrong_call"] = {{"call", wrong->call}, {"needs", wrong->needs}};
    if (wrong->read_again) json["wrong_call"]["read_again"] = true;
  }
  if (finding.grade) json["grade"] = name(*finding.grade);
  if (finding.evidence) json["evidence"] = evidence_json(*finding.evidence);
  for (const JurorAnswer& juror : finding.jury) {
    json["jury"].push_back({{"juror", juror.juror}, {"answer", name(juror.answer)}, {"said", juror.said}});
  }
  if (!finding.jury.empty()) json["confirmation"] = name(confirmation_of(finding.jury));
  if (finding.seed) json["seed"] = *finding.seed;
  if (finding.index) json["index"] = *finding.index;
  for (const auto& [part, version] : finding.versions) json["versions"][part] = version;
  return write_json(json, 2) + "\n";
}

Result<Finding> parse_finding(std::string_view json) {
  TRY(Json document, parse_json(json));
  const Field root(document, "");
  TRY_VOID(root.expect_object());
  return read_finding(root);
}

}  // namespace parallax
