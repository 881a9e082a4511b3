// SARIF 2.1.0 of a replay: one result a divergence, for what shows the results of analyses beside the code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/case.h"
#include "oracle/judge.h"

namespace parallax {

class SarifReport {
 public:
  // Keeps the divergences; everything else is left out.
  void add(const std::string& target, const Case& test, const Judgement& judgement);
  // The document; `version` is this program's.
  std::string text(std::string_view version) const;

 private:
  struct Row {
    std::string target;
    std::string name;
    std::string file;
    Verdict verdict = Verdict::Mismatch;
    std::string reason;
  };
  std::vector<Row> rows_;
};

// One line that GitHub's runners show at the file ("::error file=…"); empty for what did not diverge.
std::string github_annotation(const std::string& target, const Case& test, const Judgement& judgement);

}  // namespace parallax
