#include "corpus/version_history.h"

#include <algorithm>

#include "core/json_field.h"
#include "corpus/known.h"

namespace parallax {
namespace {

Json release_json(const std::string& version) { return version.empty() ? Json() : Json(version); }

Result<std::string> read_release(const Field& root, std::string_view key) {
  TRY(const Field field, root.need(key));
  if (field.json().is_null()) return std::string();
  return field.text();
}

Result<bool> read_flag(const Field& root, std::string_view key) {
  TRY(const Field field, root.need(key));
  if (!field.json().is_boolean()) return field.fail("must be true or false");
  return field.json().get<bool>();
}

Result<VersionVerdict> read_judged(const Field& field) {
  TRY_VOID(field.expect_object());
  VersionVerdict judged;
  TRY(judged.version, field.need_text("version"));
  TRY(judged.verdict, field.need_text("verdict"));
  TRY(judged.bad, read_flag(field, "bad"));
  return judged;
}

}  // namespace

VersionHistory history_of(std::string system, std::vector<VersionVerdict> judged) {
  VersionHistory history;
  history.system = std::move(system);
  history.judged = std::move(judged);
  const std::vector<VersionVerdict> releases = by_release(history);
  for (std::size_t i = 1; i < releases.size(); ++i) {
    const VersionVerdict& one = releases[i];
    if (one.bad == releases[i - 1].bad) continue;
    if (one.bad) history.first_bad = one.version;
    history.first_fixed = one.bad ? "" : one.version;
  }
  history.still_there = !releases.empty() && releases.back().bad;
  return history;
}

std::string version_history_json(const VersionHistory& history) {
  Json json = Json::object();
  if (!history.system.empty()) json["system"] = history.system;
  json["first_bad"] = release_json(history.first_bad);
  json["first_fixed"] = release_json(history.first_fixed);
  json["still_there"] = history.still_there;
  json["judged"] = Json::array();
  for (const VersionVerdict& one : history.judged) {
    json["judged"].push_back({{"version", one.version}, {"verdict", one.verdict}, {"bad", one.bad}});
  }
  return write_json(json, 2) + "\n";
}

Result<VersionHistory> parse_version_history(std::string_view json) {
  TRY(const Json document, parse_json(json));
  const Field root(document, "");
  TRY_VOID(root.expect_object());
  VersionHistory history;
  if (root.find("system")) {
    TRY(history.system, root.need_text("system"));
  }
  TRY(history.first_bad, read_release(root, "first_bad"));
  TRY(history.first_fixed, read_release(root, "first_fixed"));
  TRY(history.still_there, read_flag(root, "still_there"));
  TRY(const Field judged, root.need("judged"));
  TRY(history.judged, read_array(judged, read_judged));
  return history;
}

std::string describe(const VersionHistory& history) {
  std::vector<std::string> bad;
  for (const VersionVerdict& one : by_release(history)) {
    if (one.bad) bad.push_back(one.version);
  }
  if (bad.empty()) return "";
  // Where the oldest release is wrong already, nothing is known of the ones before it.
  const std::string since = history.first_bad.empty() ? fmt::format("in {}, the oldest that was tried", bad.front())
                                                      : fmt::format("since {}", history.first_bad);
  if (history.still_there) return fmt::format("wrong {}; not fixed in {}", since, bad.back());
  if (!history.first_fixed.empty()) return fmt::format("wrong {}; right from {} on", since, history.first_fixed);
  return fmt::format("wrong {}; {} is the newest that is wrong", since, bad.back());
}

std::vector<VersionVerdict> by_release(const VersionHistory& history) {
  std::vector<VersionVerdict> releases = history.judged;
  std::ranges::stable_sort(releases, is_older_version, &VersionVerdict::version);
  return releases;
}

}  // namespace parallax
