#include "fuzz/generate/domains.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
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

// Where an operand is led at all.
enum class Where : uint8_t {
  Everywhere,
  NanIsOpen,         // a root of a negative number is drawn as it is where it is NaN for certain
  QuotientsAreOpen,  // the quotient of a number and itself is 1 for certain elsewhere
};

struct Domain {
  std::string_view function;
  std::size_t operand;
  Names guards;
  Where where = Where::Everywhere;
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
    Domain{"pow.Tensor_Scalar", 0, positive, Where::NanIsOpen},
    Domain{"pow.Tensor_Tensor", 0, positive, Where::NanIsOpen},
    Domain{"float_power.Tensor_Scalar", 0, positive, Where::NanIsOpen},
    Domain{"float_power.Tensor_Tensor", 0, positive, Where::NanIsOpen},
    Domain{"floor_divide.default", 1, positive, Where::QuotientsAreOpen},
    Domain{"div.Tensor_mode", 1, positive, Where::QuotientsAreOpen},
};

struct GuardedOp {
  std::size_t operand;
  std::vector<const Op*> guards;
  Where where;
};

// "log_" of "aten.log_.default".
std::string_view overloads_of(std::string_view name) {
  name.remove_prefix(name.find('.') + 1);
  return name.substr(0, name.find('.'));
}

// Whether a domain is that of an op: of all overloads of its function, or of one.
bool is_of(const Domain& domain, std::string_view function, std::string_view overload) {
  const std::size_t dot = domain.function.find('.');
  return domain.function.substr(0, dot) == function &&
         (dot == std::string_view::npos || domain.function.substr(dot + 1) == overload);
}

bool is_open(Where where, const LeftOpen& open) {
  return where == Where::Everywhere || (where == Where::NanIsOpen ? open.nan : open.quotients);
}

std::unordered_map<const Op*, GuardedOp> guarded_ops() {
  std::unordered_map<const Op*, GuardedOp> guarded;
  for (const Op& op : all_ops()) {
    const std::string_view name = overloads_of(op.name);
    const bool in_place = name.ends_with('_');
    for (const Domain& domain : domains) {
      if (!is_of(domain, name.substr(0, name.size() - in_place), op.name.substr(op.name.rfind('.') + 1))) continue;
      // What an op in place writes is its first operand: another one is led by a call that makes a tensor.
      const std::string_view suffix = in_place && domain.operand == 0 ? "_" : "";
      GuardedOp& entry = guarded[&op];
      entry.operand = domain.operand;
      entry.where = domain.where;
      for (const std::string_view guard : domain.guards) {
        entry.guards.push_back(&op_named(fmt::format("aten.{}{}.default", guard, suffix)));
      }
    }
  }
  return guarded;
}

}  // namespace

std::optional<DomainGuard> draw_domain_guard(Choices& choices, const Op& op, int percent, const LeftOpen& open) {
  static const std::unordered_map<const Op*, GuardedOp> guarded = guarded_ops();
  const auto found = guarded.find(&op);
  if (found == guarded.end() || !is_open(found->second.where, open) || !choices.chance(percent)) return std::nullopt;
  return DomainGuard{choices.pick(found->second.guards), found->second.operand};
}

}  // namespace parallax
