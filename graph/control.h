// Control: a case with one suspected thing changed, which what a maintainer is sent stands next to.
#pragma once

#include <string>

#include "graph/case.h"

namespace parallax {

struct Control {
  std::string what;  // "copies made a real op, x + 0"
  Case test;
};

}  // namespace parallax
