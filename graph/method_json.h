// The methods of a case file: further functions of one program over the buffers of its graph.
#pragma once

#include "core/json_field.h"
#include "graph/case.h"

namespace parallax {

// The member "methods" of a case, whose "graph" has the buffers.
Result<std::vector<Method>> read_methods(const Field& methods, const Field& graph);
Json methods_json(const std::vector<Method>& methods);

// Which of the case's methods a run says that it calls, as LaterRun::method has it.
Result<std::size_t> read_called_method(const Field& run, const std::vector<Method>& methods);

}  // namespace parallax
