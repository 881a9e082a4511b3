#include "corpus/verdict_book.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <tuple>

#include "core/json_field.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

constexpr std::array change_names = {"as recorded", "still there", "fixed", "new", "another verdict"};

Result<Verdict> read_verdict(const Field& field) {
  TRY(const std::string text, field.text());
  const auto verdict = parse_verdict(text);
  if (!verdict) return field.fail("unknown verdict '{}'", text);
  return *verdict;
}

Result<RecordedVerdict> read_entry(std::string_view line) {
  TRY(const Json document, parse_json(line));
  const Field root(document, "");
  RecordedVerdict entry;
  TRY(entry.path, root.need_text("case"));
  TRY(entry.target, root.need_text("target"));
  TRY(const Field verdict_field, root.need("verdict"));
  TRY(entry.verdict, read_verdict(verdict_field));
  if (const auto versions = root.find("versions")) {
    TRY_VOID(versions->expect_object());
    TRY_VOID(for_each_member(*versions, [&](const std::string& part, const Field& field) -> Result<void> {
      TRY(std::string version, field.text());
      entry.versions.emplace_back(part, std::move(version));
      return {};
    }));
  }
  if (root.find("reason")) {
    TRY(entry.reason, root.need_text("reason"));
  }
  if (root.find("processor")) {
    TRY(entry.processor, root.need_text("processor"));
  }
  if (const auto also = root.find("also")) {
    TRY(entry.also, read_array(*also, read_verdict));
  }
  return entry;
}

std::string line_of(const RecordedVerdict& entry) {
  Json json = {{"case", entry.path}, {"target", entry.target}};
  for (const auto& [part, version] : entry.versions) json["versions"][part] = version;
  json["verdict"] = name(entry.verdict);
  if (!entry.reason.empty()) json["reason"] = entry.reason;
  if (!entry.processor.empty()) json["processor"] = entry.processor;
  for (const Verdict other : entry.also) json["also"].push_back(name(other));
  return write_json(json);
}

}  // namespace

std::string_view name(VerdictChange change) { return change_names[static_cast<std::size_t>(change)]; }

VerdictChange change_of(Verdict recorded, Verdict now) {
  if (recorded == now) return is_finding(now) ? VerdictChange::StillThere : VerdictChange::Same;
  if (is_finding(recorded) == is_finding(now)) return VerdictChange::Other;
  return is_finding(now) ? VerdictChange::New : VerdictChange::Fixed;
}

VerdictChange change_of(const RecordedVerdict& recorded, Verdict now) {
  return change_of(recorded.holds(now) ? now : recorded.verdict, now);
}

bool RecordedVerdict::holds(Verdict now) const { return now == verdict || std::ranges::find(also, now) != also.end(); }

Result<VerdictBook> VerdictBook::read(const std::filesystem::path& path) {
  VerdictBook book;
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return book;
  TRY(const std::string text, read_text_file(path));
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto entry = read_entry(line);
    if (!entry) {
      Error error = std::move(entry).error();
      error.file = fmt::format("{}:{}", path.string(), number);
      book.broken_.push_back(std::move(error));
      book.broken_lines_.push_back(line);
      continue;
    }
    book.set(*std::move(entry));
  }
  return book;
}

Result<void> VerdictBook::write(const std::filesystem::path& path) const {
  std::vector<const RecordedVerdict*> sorted;
  for (const RecordedVerdict& entry : entries_) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, [](const RecordedVerdict* entry) {
    return std::tie(entry->path, entry->target, entry->versions, entry->processor);
  });
  std::string text;
  for (const RecordedVerdict* entry : sorted) text += line_of(*entry) + "\n";
  for (const std::string& line : broken_lines_) text += line + "\n";
  return write_text_file(path, text);
}

std::vector<const RecordedVerdict*> VerdictBook::of(std::string_view path) const {
  std::vector<const RecordedVerdict*> found;
  for (const RecordedVerdict& entry : entries_) {
    if (entry.path == path) found.push_back(&entry);
  }
  return found;
}

const RecordedVerdict* VerdictBook::expected(const RecordedVerdict& now) const {
  const auto closeness = [&](const RecordedVerdict& entry) {
    return std::pair(entry.versions == now.versions, entry.processor == now.processor);
  };
  const RecordedVerdict* best = nullptr;
  for (const RecordedVerdict& entry : entries_) {
    if (entry.path != now.path || entry.target != now.target) continue;
    if (!entry.processor.empty() && entry.processor != now.processor) continue;
    if (!best || closeness(entry) >= closeness(*best)) best = &entry;
  }
  return best;
}

bool VerdictBook::depends_on_processor(const RecordedVerdict& entry) const {
  return std::ranges::any_of(entries_, [&](const RecordedVerdict& other) {
    return other.path == entry.path && other.target == entry.target && !other.processor.empty();
  });
}

void VerdictBook::set(RecordedVerdict entry) {
  const auto same = std::ranges::find_if(entries_, [&](const RecordedVerdict& other) {
    return other.path == entry.path && other.target == entry.target && other.versions == entry.versions &&
           other.processor == entry.processor;
  });
  if (same != entries_.end() && !same->also.empty() && same->holds(entry.verdict)) return;
  if (same != entries_.end()) {
    *same = std::move(entry);
  } else {
    entries_.push_back(std::move(entry));
  }
}

}  // namespace parallax
