#include "compiler/parts.h"

#include <algorithm>

namespace parallax {
namespace {

std::vector<Pass>::iterator place_of(std::vector<Pass>& passes, std::string_view name) {
  const auto found = std::ranges::find(passes, name, &Pass::name);
  PARALLAX_CHECK(found != passes.end());
  return found;
}

}  // namespace

void CompilerParts::replace_pass(std::string_view name, PassFn run) {
  const auto pass = place_of(passes, name);
  // What the sound pass has nothing to do for, another may.
  *pass = {pass->name, run};
}

void CompilerParts::replace_pass_and_run_it_first(std::string_view name, PassFn run) {
  replace_pass(name, run);
  const auto pass = place_of(passes, name);
  std::rotate(passes.begin(), pass, pass + 1);
}

}  // namespace parallax
