#include "fuzz/generate/domains.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/registry.h"

namespace parallax {
namespace {

using Names = std::span<const std::string_view>;

// Functions by what they lead into. Each has an in-place twin.
constexpr std::array<std::string_view, 3> positive = {"exp", "sigmoid", "cosh"};
constexpr std::array<std::string_view, 4> not_negative = {"abs", "square", "relu", "sigmoid"};
constexpr std::array<std::string_view, 3> within_one = {"sin", "cos", "tanh"};
constexpr std::array<std::string_view, 1> over_one = {"cosh"};
constexpr std::array<std::string_view, 1> between_zero_and_one = {"sigmoid"};

struct Domain {
  std::string_view function;
  std::size_t operand;
  Names guards;
};

constexpr std::array domains = {
    Domain{"log", 0, positive},
    Domain{"log2", 0, positive},
    Domain{"log10", 0, positive},
    Domain{"log1p", 0, not_negative},
    Domain{"sqrt", 0, not_negative},
    Domain{"rsqrt", 0, positive},
    Domain{"reciprocal", 0, positive},
    Domain{"asin", 0, within_one},
    Domain{"acos", 0, within_one},
    Domain{"atanh", 0, between_zero_and_one},
    Domain{"acosh", 0, over_one},
    Domain{"logit", 0, between_zero_and_one},
    Domain{"erfinv", 0, between_zero_and_one},
    Domain{"lgamma", 0, positive},
    Domain{"digamma", 0, positive},
    Domain{"polygamma", 1, positive},
    Domain{"tan", 0, within_one},
    Domain{"xlogy", 1, positive},
    Domain{"special_xlog1py", 1, not_negative},
    Domain{"special_zeta", 0, over_one},
    Domain{"special_ndtri", 0, between_zero_and_one},
    Domain{"special_entr", 0, not_negative},
    Domain{"fmod", 1, positive},
    Domain{"remainder", 1, positive},
    Domain{"addcdiv", 2, positive},
};

struct GuardedOp {
  std::size_t operand;
  std::vector<const Op*> guards;
};

// "log_" of "aten.log_.default".
std::string_view overloads_of(std::string_view name) {
  name.remove_prefix(name.find('.') + 1);
  return name.substr(0, name.find('.'));
}

std::unordered_map<const Op*, GuardedOp> guarded_ops() {
  std::unordered_map<const Op*, GuardedOp> guarded;
  for (const Op& op : all_ops()) {
    const std::string_view name = overloads_of(op.name);
    const bool in_place = name.ends_with('_');
    for (const Domain& domain : domains) {
      if (domain.function != name.substr(0, name.size() - in_place)) continue;
      // What an op in place writes is its first operand: another one is led by a call that makes a tensor.
      const std::string_view suffix = in_place && domain.operand == 0 ? "_" : "";
      GuardedOp& entry = guarded[&op];
      entry.operand = domain.operand;
      for (const std::string_view guard : domain.guards) {
        entry.guards.push_back(&op_named(fmt::format("aten.{}{}.default", guard, suffix)));
      }
    }
  }
  return guarded;
}

}  // namespace

std::optional<DomainGuard> draw_domain_guard(Choices& choices, const Op& op, int percent) {
  static const std::unordered_map<const Op*, GuardedOp> guarded = guarded_ops();
  const auto found = guarded.find(&op);
  if (found == guarded.end() || !choices.chance(percent)) return std::nullopt;
  return DomainGuard{choices.pick(found->second.guards), found->second.operand};
}

}  // namespace parallax
