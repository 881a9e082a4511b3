// F35: nodes are gathered by what they make and read alone; that a write to memory must wait for the readers of what
// was there is forgotten (PyTorch #109172, #162316, #196639).
#include "compiler/faults.h"

namespace parallax {

const Fault write_overtakes_reader = {
    "F35",
    "fusion across a write",
    "partition",
    "a node joins a partition in front of a reader whose memory it writes",
    "pytorch#109172, pytorch#108963, pytorch#162316, pytorch#159855, pytorch#196639",
    [](CompilerParts& parts) { parts.partition.dependencies = value_dependencies; },
};

}  // namespace parallax
