// A bug's file as tests write it: valid fields, of which some are replaced or left out.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parallax {

// `changes` gives a field another value, adds one, or leaves it out where the value is empty.
inline std::string bug_text(const std::map<std::string, std::string>& changes = {}) {
  std::vector<std::pair<std::string, std::string>> fields = {{"title", "a view is left out"},
                                                             {"system", "Example Compiler"},
                                                             {"version", "1.2"},
                                                             {"verdict", "mismatch"},
                                                             {"grade", "gross"},
                                                             {"silent", "true"},
                                                             {"aliasing", "[views]"},
                                                             {"counted", "true"},
                                                             {"calls", "2"},
                                                             {"found_how", "campaign"},
                                                             {"upstream", "none known"},
                                                             {"searched", "no"},
                                                             {"case", "corpus/cases/found/a.json"},
                                                             {"control", "corpus/cases/found/a-control.json"},
                                                             {"script", "bugs/a.py"},
                                                             {"packages", "[example==1.2]"}};
  std::map<std::string, std::string> left = changes;
  std::string text = "---\n";
  for (const auto& [key, value] : fields) {
    const auto change = left.extract(key);
    const std::string& wanted = change.empty() ? value : change.mapped();
    if (!wanted.empty()) text += key + ": " + wanted + "\n";
  }
  for (const auto& [key, value] : left) text += key + ": " + value + "\n";
  return text + "---\n\nWhy it is wrong.\n";
}

}  // namespace parallax
