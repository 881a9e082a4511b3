#include "corpus/finding.h"

#include <climits>
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
    TRY_VOID(planted->expect_array());
    for (std::size_t i = 0; i < planted->json().size(); ++i) {
      TRY(std::string fault, planted->element(i).text());
      finding.planted.push_back(std::move(fault));
    }
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
