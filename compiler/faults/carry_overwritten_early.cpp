// F50: a loop's body writes the next carry where the carry lies, whoever is still to read it.
#include "compiler/faults.h"

namespace parallax {
namespace {

bool always(const CarryCandidate&) { return true; }

}  // namespace

const Fault carry_overwritten_early = {
    "F50",
    "carry overwritten before its last read",
    "compiler/compiled_control.cpp",
    "the next carry is written where the carry lies although a later step of the body reads that",
    "of the kind of executorch#21490",
    [](CompilerParts& parts) { parts.control.may_carry_in_place = always; },
};

}  // namespace parallax
