#include "cli/interruption.h"

#include <ctime>

#include <csignal>

namespace parallax {
namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::time_t first_second = 0;

// Signals that come together are one request: timeout(1) sends its signal to its child and then to the child's whole
// group, so that the child is sent it twice. Of time() and signal() POSIX says that a handler may call them.
void interrupt(int signal) {
  const std::time_t now = std::time(nullptr);
  if (interrupted == 0) {
    first_second = now;
    interrupted = 1;
  } else if (now - first_second > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // takes effect when the handler returns
  }
}

}  // namespace

void catch_interruptions() {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
}

bool was_interrupted() { return interrupted != 0; }

}  // namespace parallax
