// F17: the slot of a concatenation whose operands are made in their places begins to live at the concatenation, so that
// what lies there before overwrites them (OpenCV #10456, OpenVINO #37165, #6193, #33294; PyTorch #100314).
#include "compiler/faults.h"

namespace parallax {

const Fault late_whole = {
    "F17",
    "concatenation lives too late",
    "planner",
    "the memory of a concatenation is reserved from its own step on, although its parts are written to it before",
    "opencv#10456, openvino#37165, openvino#6193, openvino#33294, pytorch#100314",
    [](CompilerParts& parts) { parts.life_with_part = [](const LiveRange& whole, const LiveRange&) { return whole; }; },
};

}  // namespace parallax
