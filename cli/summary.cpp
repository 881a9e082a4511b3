#include "cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/command.h"
#include "cli/terminal.h"
#include "core/grouped_digits.h"
#include "corpus/closing_lines.h"
#include "corpus/signature.h"
#include "corpus/store.h"
#include "fuzz/campaign/drawn_calls.h"
#include "fuzz/findings/furthest_first.h"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

Json tally_json(const Tally& tally) {
  Json json;
  for (int v = 0; v < verdict_count; ++v)
    json[std::string(name(static_cast<Verdict>(v)))] = tally.verdicts[static_cast<std::size_t>(v)];
  json["delegated"] = tally.delegated;
  json["cases"] = tally.cases;
  json["executed"] = tally.executed;
  json["judged"] = tally.judged();
  json["with_undecided"] = tally.with_undecided;
  json["undecided_reasons"] = tally.undecided_cases;
  json["elements"] = tally.elements.total;
  json["undecided_elements"] = tally.elements.undecided;
  json["weak_elements"] = tally.elements.weak;
  json["ensemble_elements"] = tally.elements.by_ensemble;
  json["shown_bits"] = {{"proof", tally.proof_bits.median()}, {"ensemble", tally.ensemble_bits.median()}};
  json["exact_elements"] = tally.elements.exact;
  json["suspect_elements"] = tally.elements.suspect;
  json["proved_percent"] = Json::object();
  for (int d = 0; d < dtype_count; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (tally.elements.inexact[i] == 0) continue;
    json["proved_percent"][std::string(name(static_cast<DType>(d)))] =
        100.0 * static_cast<double>(tally.elements.sharp[i]) / static_cast<double>(tally.elements.inexact[i]);
  }
  json["median_radius_ulp"] = tally.median_radius_ulps();
  json["median_radius_ulp_by_family"] = Json::object();
  for (const auto& [family, ulps] : tally.median_radius_by_family()) json["median_radius_ulp_by_family"][family] = ulps;
  json["hidden_by_packing"] = tally.hidden_by_packing;
  json["base_diverges"] = tally.base_diverges;
  json["base_is_silent"] = tally.base_is_silent;
  json["related"] = tally.related;
  json["with_reused_slot"] = tally.with_reused_slot;
  json["dynamic"] = tally.dynamic;
  json["at_three_sizes"] = tally.at_three_sizes;
  json["specialized"] = tally.specialized;
  json["recompiled"] = tally.recompiled;
  json["refusals"] = tally.refusals;
  json["seconds"] = tally.seconds;
  json["drawing_seconds"] = tally.spent.drawing;
  json["related_seconds"] = tally.spent.related;
  json["finding_seconds"] = tally.spent.findings;
  return json;
}

// The places of the findings in the order in which a person had better read them: the highest grade first.
std::vector<std::size_t> reading_order(const CampaignResult& result) {
  std::vector<const Finding*> findings;
  for (const CampaignFinding& found : result.findings) findings.push_back(&found.finding);
  std::vector<std::size_t> order = furthest_first(findings);
  const auto grade = [&](std::size_t place) { return findings[place]->grade.value_or(Grade::Gross); };
  std::ranges::stable_sort(order, {}, grade);
  return order;
}

std::string percent(int64_t part, int64_t whole) {
  return whole == 0 ? "–" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// The commonest reasons why cases were not judged, those that differ in a number or a place counted as one.
std::string refusals_text(const std::map<std::string, int64_t>& refusals) {
  constexpr std::size_t most_shown = 12;
  struct Kind {
    int64_t cases = 0;
    std::string example;
  };
  std::map<std::string, Kind> by_text;
  for (const auto& [reason, n] : refusals) {
    Kind& kind = by_text[normalised_message(reason)];
    kind.cases += n;
    if (kind.example.empty()) kind.example = reason;
  }
  std::vector<Kind> kinds;
  for (auto& [text, kind] : by_text) kinds.push_back(std::move(kind));
  std::ranges::stable_sort(kinds, std::greater(), &Kind::cases);
  std::string text;
  for (const Kind& kind : std::span(kinds).first(std::min(kinds.size(), most_shown)))
    text += fmt::format("  {} × {}\n", kind.cases, kind.example);
  if (kinds.size() > most_shown)
    text += fmt::format("  … and {} more reasons: --json lists them\n", kinds.size() - most_shown);
  return text;
}

// A finding as a person reads it, with what shows it again where it is kept.
std::string story(const CampaignFinding& found) {
  std::string text = found.finding.explanation + closing_lines(found.finding);
  if (!found.folder.empty()) {
    text += reproduce_line(found.finding, found.folder) + fmt::format("  kept in {}\n", found.folder.string());
  }
  return text;
}

// Where the time went: a campaign that finds much is short of time for cases.
std::string time_text(const Tally& tally) {
  std::string text = fmt::format(
      "  {:.1f} s of running and judging ({} a second)", tally.seconds,
      tally.seconds > 0 ? grouped_digits(std::llround(static_cast<double>(tally.cases) / tally.seconds)) : "0");
  const auto add = [&](double seconds, const std::string& what) {
    constexpr double worth_telling = 0.05;
    if (seconds >= worth_telling) text += fmt::format(" · {:.1f} s of {}", seconds, what);
  };
  add(tally.spent.drawing, "drawing");
  add(tally.spent.related, fmt::format("running {}", counted(tally.related, "neighbour")));
  add(tally.spent.findings, "looking closer at what diverged");
  return text + "\n";
}

// What is said of delegates, changing sizes and packs, a sentence a line; nothing of what did not occur.
std::string circumstances(const Tally& tally) {
  std::string text;
  if (tally.delegated + tally.fell_back > 0) {
    text += fmt::format("  a delegate ran a part of {}, and nothing of {}\n", counted(tally.delegated, "case"),
                        grouped_digits(tally.fell_back));
  }
  if (const int64_t pairs = tally.fused + tally.left_in_floats; pairs > 0) {
    text += fmt::format("  {} of {} ran in integers\n", grouped_digits(tally.fused), counted(pairs, "quantized call"));
  }
  if (tally.dynamic > 0) {
    text += fmt::format("  {} ran at sizes that change, {} of them at three sizes or more\n",
                        counted(tally.dynamic, "case"), grouped_digits(tally.at_three_sizes));
  }
  if (tally.specialized + tally.recompiled > 0) {
    text += fmt::format("  of these, {} took a size for a fixed number, and {} compiled again for another size\n",
                        grouped_digits(tally.specialized), grouped_digits(tally.recompiled));
  }
  if (tally.hidden_by_packing > 0)
    text += fmt::format("  {} diverged alone and not in a pack\n", counted(tally.hidden_by_packing, "case"));
  return text;
}

// What was no finding since the base does not contradict it.
std::string about_base(const Tally& tally) {
  std::string text;
  if (tally.base_diverges > 0)
    text += fmt::format("  {} diverged on the base, too\n", counted(tally.base_diverges, "case"));
  if (tally.base_is_silent > 0)
    text += fmt::format("  {} diverged where the base does not judge\n", counted(tally.base_is_silent, "case"));
  return text;
}

// How many cases a target ran and what became of them; in full, what was proved of them and why some were not judged.
std::string target_text(const std::string& target, const Tally& tally, TargetDetail detail) {
  if (tally.cases == 0) return fmt::format("{}: no case was finished in the time given\n", target);
  std::string text = fmt::format("{}: {}, {} executed and judged\n", target, counted(tally.cases, "case"),
                                 percent(tally.judged(), tally.cases));
  std::string counts;
  for (int v = 0; v < verdict_count; ++v) {
    const int64_t n = tally.verdicts[static_cast<std::size_t>(v)];
    if (n > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : " · ", name(static_cast<Verdict>(v)), n);
  }
  if (!counts.empty()) text += "  " + counts + "\n";
  text += time_text(tally) + about_base(tally);
  if (detail == TargetDetail::Short) return text;
  text += circumstances(tally);
  if (tally.elements.total > 0) {
    text += fmt::format("  elements {} · exact {} · undecided {}", tally.elements.total,
                        percent(tally.elements.exact, tally.elements.total),
                        percent(tally.elements.undecided, tally.elements.total));
    if (tally.median_radius_ulps() > 0)
      text += fmt::format(" · median radius of the rest {:.2g} ulp", tally.median_radius_ulps());
    text += '\n';
  }
  std::string proved;
  for (int d = 0; d < dtype_count; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (tally.elements.inexact[i] == 0) continue;
    proved += fmt::format(" · {} {}", name(static_cast<DType>(d)),
                          percent(tally.elements.sharp[i], tally.elements.inexact[i]));
  }
  if (!proved.empty()) text += fmt::format("  inexact elements proved to min(10, p - 3) bits{}\n", proved);
  if (tally.ensemble_bits.elements() > 0) {
    text += fmt::format("  bits shown, median: proof {}; ensemble {}, of the {} where the proof is weak\n",
                        tally.proof_bits.median(), tally.ensemble_bits.median(),
                        percent(tally.ensemble_bits.elements(), tally.elements.total));
  }
  for (const auto& [reason, n] : tally.undecided_cases)
    text += fmt::format("  undecided for {}: {}\n", reason, counted(n, "case"));
  return text + refusals_text(tally.refusals);
}

// What was not driven and why: those that share a reason in one line.
std::string missing_text(const std::vector<MissingTarget>& missing) {
  std::string text;
  for (const Error& reason : reasons_of(missing)) text += fmt::format("not driven: {}\n", reason.text());
  return text;
}

}  // namespace

bool is_unconfirmed(const CampaignFinding& found) {
  return !found.known && confirmation_of(found.finding.jury) == Confirmation::Unconfirmed;
}

std::string summary_json(const CampaignResult& result, std::optional<uint64_t> seed) {
  Json json;
  int64_t cases = 0;
  for (const auto& [target, tally] : result.tallies) cases = std::max(cases, tally.cases);
  json["cases"] = cases;
  if (seed) json["seed"] = *seed;
  json["seconds"] = result.seconds;
  json["targets"] = Json::object();
  for (const auto& [target, tally] : result.tallies) json["targets"][target] = tally_json(tally);
  json["missing"] = Json::object();
  for (const MissingTarget& target : result.missing) json["missing"][target.name] = target.reason.text();
  json["findings"] = Json::array();
  for (const std::size_t i : reading_order(result)) {
    const CampaignFinding& found = result.findings[i];
    const Finding& finding = found.finding;
    json["findings"].push_back({{"signature", finding.signature},
                                {"target", finding.target},
                                {"verdict", std::string(name(finding.verdict))},
                                {"file", found.folder.empty() ? "" : (found.folder / "reduced.json").string()},
                                {"nodes", finding.reduced.graph.nodes.size()},
                                {"case", finding.original.name},
                                {"reason", finding.reason},
                                {"known", found.known.has_value()},
                                {"planted", finding.planted},
                                {"blame", finding.blame},
                                {"cause", finding.cause},
                                {"grade", finding.grade ? std::string(name(*finding.grade)) : ""},
                                {"confirmation", std::string(name(confirmation_of(finding.jury)))}});
    if (finding.repeats) {
      json["findings"].back()["wrong"] = finding.repeats->wrong;
      json["findings"].back()["runs"] = finding.repeats->runs;
    }
  }
  return json.dump(2);
}

std::string headline(const CampaignResult& result) {
  int64_t cases = 0;
  for (const auto& [target, tally] : result.tallies) cases += tally.cases;
  const auto known = std::ranges::count_if(result.findings, [](const auto& found) { return found.known.has_value(); });
  const auto unconfirmed = std::ranges::count_if(result.findings, is_unconfirmed);
  const int64_t distinct = static_cast<int64_t>(result.findings.size()) - known - unconfirmed;
  std::string text = distinct == 0 ? "no finding" : counted(distinct, "distinct finding");
  text += fmt::format(" in {}", counted(cases, "case"));
  if (result.tallies.size() > 1) text += fmt::format(" on {} targets", result.tallies.size());
  if (unconfirmed > 0) text += fmt::format(", {} unconfirmed", unconfirmed);
  if (known > 0) text += fmt::format(", {} known", known);
  return paint(Stream::Out, distinct > 0 ? Colour::Red : Colour::Green, text) + "\n";
}

std::string findings_text(const CampaignResult& result) {
  std::string text;
  const std::vector<std::size_t> order = reading_order(result);
  for (const std::size_t i : order) {
    if (!result.findings[i].known && !is_unconfirmed(result.findings[i])) text += "\n" + story(result.findings[i]);
  }
  if (std::ranges::any_of(result.findings, is_unconfirmed)) {
    text += "\nUnconfirmed, since a juror contradicts; perhaps a fault of Parallax:\n";
  }
  for (const std::size_t i : order) {
    if (is_unconfirmed(result.findings[i])) text += "\n" + story(result.findings[i]);
  }
  for (const CampaignFinding& found : result.findings) {
    if (found.known) {
      text += fmt::format("known · {} · {}{}{}\n", counted(found.known_cases, "case"), found.finding.signature,
                          found.known->url.empty() ? "" : " · ", found.known->url);
    }
  }
  return text;
}

std::string targets_text(const CampaignResult& result, TargetDetail detail) {
  std::string text;
  for (const auto& [target, tally] : result.tallies) text += target_text(target, tally, detail);
  return text + missing_text(result.missing);
}

std::string summary_text(const CampaignResult& result) {
  return targets_text(result, TargetDetail::Full) + findings_text(result);
}

// Calls of an op, in whatever form, that say something of whether a bug of it is fixed.
constexpr int64_t often = 100;

std::string known_text(const KnownFindings& known, const CampaignResult& result) {
  std::string text;
  for (const KnownFinding& entry : known.entries()) {
    const auto drives = [&](const auto& driven) {
      return entry.target.empty() || driven.first.substr(0, driven.first.find_first_of("@?")) == entry.target;
    };
    const auto shows = [&](const CampaignFinding& found) {
      return found.known && found.known->signature == entry.signature;
    };
    if (std::ranges::none_of(result.tallies, drives) || std::ranges::any_of(result.findings, shows)) continue;
    // What was not drawn says nothing, as with calls that are to be avoided.
    if (drawn_calls(entry, result.tallies).value_or(often) >= often) {
      text += fmt::format("known, and not seen: perhaps fixed · {}\n", entry.signature);
    }
  }
  for (const KnownFinding& entry : known.expired())
    text += fmt::format("known until {}: it counts again · {}\n", entry.expires, entry.signature);
  return text;
}

int exit_code_of(const CampaignResult& result, int64_t min_judged, bool fail_on_unconfirmed) {
  const auto is_new = [&](const CampaignFinding& found) {
    return !found.known && (fail_on_unconfirmed || !is_unconfirmed(found));
  };
  if (std::ranges::any_of(result.findings, is_new)) return diverged;
  if (!result.missing.empty()) return could_not_run;
  for (const auto& [target, tally] : result.tallies) {
    if (tally.cases > 0 && tally.judged() + tally.count(Verdict::Undecided) < min_judged) return could_not_run;
  }
  return nothing_new;
}

}  // namespace parallax
