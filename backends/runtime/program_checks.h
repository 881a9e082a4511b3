// Program checks: do the partitions and the fused loops of a program keep what its graph says?
//
// A partition's lists are held against its call, its order against what the nodes read, a loop against who needs what
// it makes. Memory plans are the plan checker's business.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/partition.h"
#include "compiler/program.h"

namespace parallax::runtime {

struct ProgramFailure {
  std::string_view part;  // "partition" or "fusion"
  std::string_view kind;  // one of a closed list
  std::string what;       // a line that names the values
};

// The first failure of a program that was compiled for these backends. `unpartitioned` is the graph of the same case
// compiled without partitions, whose order is right.
std::optional<ProgramFailure> check_program(const Program& program, std::span<const Backend> backends,
                                            const Graph& unpartitioned);

}  // namespace parallax::runtime
