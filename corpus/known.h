// KnownFindings: what has been found before and is not news: one JSON object a line,
//   {"signature": "…", "target": "executorch-xnnpack", "versions": {"executorch": "1.4.0..1.4.1"},
//    "avoid": {"aten.selu.default": ["f32"]}, "url": "https://…", "expires": "2027-03-31"}
// Only the signature is needed. An entry holds for the target it names, with any version and with the options that it
// names or more of them, for the versions of the packages that it names (A..B, both included; A alone for one; A.. and
// ..B are open), and until the day it expires, so that nobody forgets it. Calls that are to be avoided have such a bug
// whatever stands around them: a graph that holds one shows it again, and hides what is behind it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/finding.h"

namespace parallax {

// Whether version `a` is older than `b`: number by number ("1.9" before "1.22"), what is no number as text.
bool is_older_version(std::string_view a, std::string_view b);

// A target's name without @VERSION and ?OPTIONS, and a signature, which holds the target as the user named it, with it.
std::string_view plain_target(std::string_view target);
// The name with its ?OPTIONS and without @VERSION.
std::string without_version(std::string_view target);
std::string plain_signature(std::string_view signature, std::string_view target);

struct KnownFinding {
  std::string signature;
  std::string target;                           // "onnxruntime?level=2", without a version; empty: any
  std::map<std::string, std::string> versions;  // ranges by package; empty: any
  std::string url;
  std::string expires;                                   // the last day that it holds, as YYYY-MM-DD; empty: for ever
  std::map<std::string, std::vector<DType>> avoid = {};  // calls to avoid: dtypes of the first tensor, by op

  // Whether it is about that target, which may have a version and more options.
  bool is_of(std::string_view other) const;
};

class KnownFindings {
 public:
  KnownFindings() = default;
  // Reads the lines of a file; entries that expired before `today` do not hold. A broken line is left out, and told by
  // broken(): the others hold. An error is a file that cannot be read.
  static Result<KnownFindings> read(const std::filesystem::path& path, std::string_view today);

  using Versions = std::vector<std::pair<std::string, std::string>>;

  // The entry that a divergence of this signature on a target is known by, or null.
  const KnownFinding* find(std::string_view signature, std::string_view target, const Versions& versions) const;
  // Whether an entry that holds for a target says to avoid this op, or another form of it (in place or not, of a
  // tensor or a number: what is wrong with one is wrong with all), with a first tensor of this dtype.
  bool avoids(const Op& op, DType dtype, std::string_view target, const Versions& versions) const;

  // Entries that hold, in the order of the file; and those that have expired.
  const std::vector<KnownFinding>& entries() const { return entries_; }
  const std::vector<KnownFinding>& expired() const { return expired_; }

  // Lines that could not be read, with their numbers.
  const std::vector<Error>& broken() const { return broken_; }

  // The text of the file; empty where none was read.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<KnownFinding> entries_;
  std::vector<KnownFinding> expired_;
  std::vector<Error> broken_;
};

// The line by which a finding is known from now on: its signature, target with options, versions, and the call to avoid
// where the reduced case has no other one. Views and copies are not avoided: most of what is looked for goes through
// them.
std::string known_line(const Finding& finding);

}  // namespace parallax
