#include "ops/registry.h"

#include <unordered_map>

#include "core/check.h"
#include "ops/counted_size.h"
#include "ops/families.h"

namespace parallax {
namespace {

// The group of an op that neither is a view nor writes. Zero points of channels, tokens or groups lie along a dim of
// the input: what reads them is not computed from one element of each operand, as a pointwise op is.
OpGroup group_of(const Op& op, OpGroup of_family) {
  return op.schema.index_of(arg::zero_points) >= 0 ? OpGroup::Reduction : of_family;
}

// What a call says of a size that its data decide.
Parameter count_of_elements() {
  return {.name = std::string(count_parameter),
          .kind = ArgKind::Int,
          .optional = true,
          .keyword_only = true,
          .default_value = Argument()};
}

struct Registry {
  std::vector<Op> ops;
  std::unordered_map<std::string_view, const Op*> by_name;

  Registry() {
    std::vector<OpDef> definitions;
    std::vector<const OpFamily*> families;
    for (const OpFamily& family : op_families) {
      for (const OpDef& definition : family.ops()) definitions.push_back(definition);
      families.resize(definitions.size(), &family);
    }
    ops.reserve(definitions.size());
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      const OpDef& definition = definitions[i];
      Result<Schema> schema = parse_schema(definition.schema);
      PARALLAX_CHECK(schema.has_value());
      Op& op = ops.emplace_back();
      op.name = schema->qualified_name();
      op.schema_text = definition.schema;
      op.schema = *std::move(schema);
      op.infer = definition.infer;
      op.reference = definition.reference;
      op.plain = definition.plain;
      op.sample = definition.sample;
      for (Parameter& parameter : op.schema.parameters) {
        parameter.takes_number = definition.takes_numbers && parameter.kind == ArgKind::Tensor && !parameter.written;
      }
      if (is_counted_op(op.name)) op.schema.parameters.push_back(count_of_elements());
      op.index_ranges = definition.index_ranges;
      op.complete = definition.complete;
      op.group = op.is_view() ? OpGroup::View : op.writes() ? OpGroup::Write : group_of(op, families[i]->group);
      op.family = families[i]->name;
      op.index = static_cast<int>(i);
      PARALLAX_CHECK(by_name.emplace(op.name, &op).second);
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!definitions[i].functional.empty()) {
        ops[i].functional = by_name.at(definitions[i].functional);
        // What is written in place is read before.
        if (!ops[i].plain) ops[i].plain = ops[i].functional->plain;
      }
      if (!definitions[i].view_twin.empty()) ops[i].view_twin = by_name.at(definitions[i].view_twin);
    }
  }
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

}  // namespace

std::span<const Op> all_ops() { return registry().ops; }

const Op* find_op(std::string_view name) {
  const auto& by_name = registry().by_name;
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Op& op_named(std::string_view name) {
  const Op* op = find_op(name);
  PARALLAX_CHECK(op != nullptr);
  return *op;
}

}  // namespace parallax
