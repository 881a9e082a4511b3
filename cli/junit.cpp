#include "cli/junit.h"

#include <algorithm>

#include "cli/write_file.h"

namespace parallax {
namespace {

// Text for an attribute: the five entities, and a replacement for control characters, which XML 1.0 forbids.
std::string escaped(const std::string& text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&apos;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\t':
        result += "&#9;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
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

Result<void> JUnitReport::write(const std::string& path) const {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [target, rows] : suites_) {
    const auto failures =
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return is_finding(row.verdict); });
    const auto skipped =
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return is_skipped(row.verdict); });
    xml += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n", escaped(target),
                       rows.size(), failures, skipped);
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
  return write_file(path, xml);
}

}  // namespace parallax
