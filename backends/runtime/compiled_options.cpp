#include "backends/runtime/compiled_options.h"

#include "backends/option_number.h"
#include "compiler/decomposition.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// Ops that no delegate is to take. One that is made of others would not come to a delegate as itself.
Result<std::vector<const Op*>> ops_named(const std::string& list) {
  std::vector<const Op*> ops;
  for (const std::string& name : split_names(list)) {
    const Op* op = find_op(name);
    if (!op) return fail("leave names '{}', which is no op; `parallax ops` lists them", name);
    if (is_decomposed(*op)) return fail("leave names '{}', which is made of other ops: name those", name);
    ops.push_back(op);
  }
  return ops;
}

}  // namespace

Result<bool> is_first(const std::string& name, const std::string& value, std::string_view first,
                      std::string_view second) {
  if (value != first && value != second) return fail("{} is {} or {}", name, first, second);
  return value == first;
}

Result<bool> set_compiled_option(const std::string& name, const std::string& value, CompiledTargetOptions& options) {
  if (name == "passes") {
    options.selection.passes = split_names(value);
  } else if (name == "stop-after") {
    options.selection.stop_after = value;
  } else if (name == "order") {
    TRY(options.draws_order, is_first(name, value, "random", "kept"));
  } else if (name == "memory") {
    TRY(const bool zeros, is_first(name, value, "zeros", "poison"));
    options.memory = zeros ? runtime::zeros_for_both : runtime::FreshMemory();
  } else if (name == "arena-limit") {
    TRY(options.arena_limit, positive_number(name, value));
  } else if (name == "leave") {
    TRY(options.left, ops_named(value));
  } else {
    return false;
  }
  return true;
}

}  // namespace parallax
