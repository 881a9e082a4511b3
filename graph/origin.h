// Origin: where a case comes from, as its "origin" object says it. Free text, for people; nothing in it is trusted.
#pragma once

#include <string>
#include <string_view>

#include "graph/case.h"

namespace parallax {

struct Origin {
  std::string source;     // a URL, "fuzz"
  std::string target;     // what it diverged on
  std::string version;    // of that
  std::string signature;  // how
  std::string issue;
};

// Members that are missing, or no text, are empty.
Origin origin_of(const Case& test);

// "torch-inductor" of "torch-inductor@2.9.0?mode=max": the target without its version and options.
std::string_view family_of_target(std::string_view target);

}  // namespace parallax
