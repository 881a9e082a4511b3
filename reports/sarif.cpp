#include "reports/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "corpus/finding.h"

namespace parallax {
namespace {

struct Rule {
  Verdict verdict;
  std::string_view text;
};
constexpr std::array rules = {
    Rule{Verdict::Mismatch, "A value lies outside the bound that the reference interpreter proves"},
    Rule{Verdict::InternalError, "The target stops with an error that is no documented limit"},
    Rule{Verdict::Crash, "The target's process dies"},
    Rule{Verdict::Hang, "The target does not answer"},
    Rule{Verdict::Nondeterministic, "Two runs on the same inputs differ"},
};

// A relative reference (RFC 3986): what a path may hold and a reference may not is percent-encoded.
std::string reference_of(const std::string& path) {
  std::string reference;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    reference += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return reference;
}

// What the runners take for the end of a property or of the line.
std::string annotated(const std::string& text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool special = c == '%' || static_cast<unsigned char>(c) < 0x20 || (property && (c == ':' || c == ','));
    result += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

}  // namespace

void SarifReport::add(const std::string& target, const Case& test, const Judgement& judgement) {
  if (!is_finding(judgement.verdict)) return;
  rows_.push_back({target, test.name.empty() ? test.file : test.name, test.file, judgement.verdict, judgement.reason});
}

std::string SarifReport::text(std::string_view version) const {
  Json described = Json::array();
  for (const Rule& rule : rules) {
    described.push_back({{"id", name(rule.verdict)}, {"shortDescription", {{"text", rule.text}}}});
  }
  Json results = Json::array();
  for (const Row& row : rows_) {
    const auto rule = std::ranges::find(rules, row.verdict, &Rule::verdict);
    Json result = {
        {"ruleId", name(row.verdict)},
        {"level", "error"},
        {"message", {{"text", fmt::format("{} on {}: {}", row.name, row.target, row.reason)}}},
        {"partialFingerprints", {{"case/v1", short_id(fmt::format("{}|{}|{}", row.target, row.file, row.name), 13)}}},
        {"properties", {{"target", row.target}}}};
    if (rule != rules.end()) result["ruleIndex"] = rule - rules.begin();
    if (!row.file.empty()) {
      result["locations"] = {{{"physicalLocation", {{"artifactLocation", {{"uri", reference_of(row.file)}}}}}}};
    }
    results.push_back(std::move(result));
  }
  const Json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                         {"version", "2.1.0"},
                         {"runs",
                          {{{"tool", {{"driver", {{"name", "parallax"}, {"version", version}, {"rules", described}}}}},
                            {"results", results}}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string github_annotation(const std::string& target, const Case& test, const Judgement& judgement) {
  if (!is_finding(judgement.verdict)) return "";
  const std::string& shown = test.name.empty() ? test.file : test.name;
  return fmt::format("::error file={},title={}::{}\n", annotated(test.file, true),
                     annotated(fmt::format("{} on {}", name(judgement.verdict), target), true),
                     annotated(fmt::format("{}: {}", shown, judgement.reason), false));
}

}  // namespace parallax
