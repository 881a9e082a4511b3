#include "cli/interruption.h"

#include <csignal>

namespace parallax {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interruptions() {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
}

bool was_interrupted() { return interrupted != 0; }

}  // namespace parallax
