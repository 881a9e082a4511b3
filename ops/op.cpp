#include "ops/op.h"

namespace parallax {
namespace {

// The dtype that a call's forms go by.
DType dtype_of_forms(const Call& call, std::span<const BallView> outputs) {
  if (!outputs.empty() && outputs[0].floating()) return outputs[0].dtype;
  for (const Argument& argument : call.arguments()) {
    const auto* value = std::get_if<ValueId>(&argument);
    if (value != nullptr && is_floating(call.meta(*value).dtype)) return call.meta(*value).dtype;
  }
  return outputs.empty() ? DType::Bool : outputs[0].dtype;
}

}  // namespace

CallProfile profile_of(const Call& call, std::span<const BallView> outputs, const Profile& profile) {
  return {profile, profile.allowed.of(call.op().index, dtype_of_forms(call, outputs))};
}

Result<std::vector<Argument>> bind_arguments(const Op& op, std::vector<Argument> positional,
                                             std::vector<std::pair<std::string, Argument>> named) {
  const std::vector<Parameter>& parameters = op.schema.parameters;
  std::size_t positional_count = 0;
  while (positional_count < parameters.size() && !parameters[positional_count].keyword_only) ++positional_count;
  if (positional.size() > positional_count) {
    return fail("{} takes at most {} positional arguments, got {}", op.name, positional_count, positional.size());
  }
  std::vector<Argument> bound(parameters.size());
  std::vector<bool> given(parameters.size(), false);
  for (std::size_t i = 0; i < positional.size(); ++i) {
    TRY(bound[i], conform(parameters[i], std::move(positional[i])));
    given[i] = true;
  }
  for (auto& [name, argument] : named) {
    const int index = op.schema.index_of(name);
    if (index < 0) return fail("{} has no argument '{}'", op.name, name);
    const auto i = static_cast<std::size_t>(index);
    if (given[i]) return fail("{}: argument '{}' is given twice", op.name, name);
    TRY(bound[i], conform(parameters[i], std::move(argument)));
    given[i] = true;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (given[i]) continue;
    if (parameters[i].default_value) {
      bound[i] = *parameters[i].default_value;
    } else {
      return fail("{} needs argument '{}'", op.name, parameters[i].name);
    }
  }
  return bound;
}

}  // namespace parallax
