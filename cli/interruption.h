// Interruption: Ctrl-C and SIGTERM end a run with what it has so far. A second time they end the program.
#pragma once

namespace parallax {

// From now on the signals set was_interrupted().
void catch_interruptions();
bool was_interrupted();

}  // namespace parallax
