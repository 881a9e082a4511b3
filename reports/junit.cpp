#include "reports/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/html.h"

namespace parallax {
namespace {

// An attribute's value; a parser would make spaces of its line breaks.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : escaped_markup(text)) {
    if (c == '\n' || c == '\t') {
      result += c == '\n' ? "&#10;" : "&#9;";
    } else {
      result += c;
    }
  }
  return result;
}

bool is_skipped(Verdict verdict) {
  return verdict == Verdict::Unsupported || verdict == Verdict::Rejected || verdict == Verdict::ReferenceRefused ||
         verdict == Verdict::Undecided || verdict == Verdict::Suspect;
}

}  // namespace

void JUnitReport::add(const std::string& target, const Case& test, const Judgement& judgement) {
  suites_[target].push_back({test.name.empty() ? test.file : test.name, judgement.verdict, judgement.reason});
}

std::string JUnitReport::text() const {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [target, rows] : suites_) {
    const auto failures =
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return is_finding(row.verdict); });
    const auto skipped =
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return is_skipped(row.verdict); });
    // What diverges is a failure; readers want the other count too.
    xml += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
                       escaped(target), rows.size(), failures, skipped);
    for (const Row& row : rows) {
      xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(target), escaped(row.name));
      if (is_finding(row.verdict)) {
        xml +=
            fmt::format("><failure type=\"{}\" message=\"{}\"/></testcase>\n", name(row.verdict), escaped(row.reason));
      } else if (is_skipped(row.verdict)) {
        xml += fmt::format("><skipped message=\"{}: {}\"/></testcase>\n", name(row.verdict), escaped(row.reason));
      } else {
        xml += "/>\n";
      }
    }
    xml += "  </testsuite>\n";
  }
  xml += "</testsuites>\n";
  return xml;
}

}  // namespace parallax
