// JUnit XML of a replay: one test suite a target, one test a case.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/case.h"
#include "oracle/judge.h"

namespace parallax {

class JUnitReport {
 public:
  void add(const std::string& target, const Case& test, const Judgement& judgement);
  // The document.
  std::string text() const;

 private:
  struct Row {
    std::string name;
    Verdict verdict = Verdict::Match;
    std::string reason;
  };
  std::map<std::string, std::vector<Row>> suites_;
};

}  // namespace parallax
