// Matcher: what a pass that looks from a call to the calls that made its operands knows of the graph that it builds.
//
// It follows the new graph while the pass adds to it. A call is only seen through while what it read is still the same:
// after a write to a storage, the calls before it that read from there are no longer found.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/rewriter.h"

namespace parallax {

// A call of one result, not yet a node.
struct Replacement {
  const Op* op = nullptr;
  std::vector<Argument> arguments;

  // Of a parameter that the op has.
  Argument& argument(ParameterRef parameter) {
    return arguments[static_cast<std::size_t>(op->schema.index_of(parameter))];
  }
};

// A call by position, with the defaults of what is left out.
Replacement call_of(std::string_view op, std::vector<Argument> positional, NamedArguments named = {});

class Matcher {
 public:
  explicit Matcher(Rewriter& rewriter) : rewriter_(rewriter) {}

  const Graph& graph() const { return rewriter_.builder().graph(); }
  const TensorMeta& meta(ValueId value) const { return graph().meta(value); }

  // The call that made a value, if it is one of these ops and its tensor operands still hold what it read; else null.
  const Node* maker(ValueId value, std::span<const std::string_view> ops);
  const Node* maker(ValueId value, std::string_view op) { return maker(value, std::span(&op, 1)); }

  // The one number that all elements of a value are, where it is a constant or made by a fill; exactly, in its dtype.
  std::optional<Scalar> uniform(ValueId value);

  // Whether a call may stand for another one: it makes the same, elements apart. Where `strides_may_differ`, the
  // results' sizes and dtypes alone are compared.
  bool makes_the_same(const Replacement& call, const Op& op, std::span<const Argument> arguments,
                      bool strides_may_differ = false) const;

  // The source that a value is; null for what a node made.
  const Source* source(ValueId value);

  // Adds a call of one result in an old node's place, under its name.
  Result<void> add(const Node& node, Replacement call);

 private:
  void follow();
  std::optional<Scalar> uniform_constant(const Source& source) const;

  Rewriter& rewriter_;
  std::size_t followed_ = 0;      // nodes of the new graph
  std::vector<int> sources_;      // by value: its source, or -1; as many as there were before the first node
  std::vector<int> makers_;       // by value: its node, or -1
  std::vector<int> last_writes_;  // by storage: the last node that wrote it, or -1
};

}  // namespace parallax
