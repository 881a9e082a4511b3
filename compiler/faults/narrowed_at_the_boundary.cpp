// F31: the interface of a delegate has no i64, and what leaves it goes through i32 (ExecuTorch #20765, #22144; ort
// #29729).
#include <algorithm>

#include "compiler/faults.h"

namespace parallax {
namespace {

DType interface_type(DType dtype) {
  if (dtype == DType::I64) return DType::I32;
  return dtype == DType::F64 ? DType::F32 : dtype;
}

}  // namespace

const Fault narrowed_at_the_boundary = {
    "F31",
    "boundary dtype",
    "partition",
    "64-bit outputs of a partition cross its boundary as 32-bit ones",
    "executorch#20765, executorch#22144, executorch#13520, ort#29729",
    [](CompilerParts& parts) {
      parts.partition.adjust = [](const Graph&, Partition& partition) {
        std::ranges::transform(partition.output_types, partition.output_types.begin(), interface_type);
      };
    },
};

}  // namespace parallax
