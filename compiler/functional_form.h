// The functional form of one in-place call: the value that the call leaves in its target, made by ops that write
// nothing.
#pragma once

#include <string>
#include <vector>

#include "compiler/rewriter.h"

namespace parallax {

struct FunctionalForm {
  ValueId value;  // of the region's sizes and the target's dtype
  Layout region;  // which elements of the target's storage it is for: the target's layout, or its distinct elements
};

// The op of the same parameters whose one result is what an in-place op leaves in its one target; null where there is
// none, as for ops that write several operands.
const Op* functional_twin(const Op& op);

// `arguments` are the call's, as values of the new graph; parameter `written` is the target and `base` the whole of its
// storage, row-major. The op has a functional twin. The value is called `name`. Where the target overlaps itself (an
// expanded tensor), only what does not depend on an order of writes has a functional form; anything else is an error of
// kind Unsupported.
Result<FunctionalForm> functional_form(Rewriter& rewriter, const Op& op, std::vector<Argument> arguments,
                                       std::size_t written, ValueId base, const std::string& name);

// aten.as_strided of a value's storage.
Result<ValueId> strided_view(GraphBuilder& builder, ValueId of, const Layout& layout, const std::string& name);
// A list of ints as a call takes it.
IntList to_list(const Dims& dims);

}  // namespace parallax
