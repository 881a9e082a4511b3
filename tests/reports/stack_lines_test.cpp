#include "reports/stack_lines.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

TEST(StackLines, OfAPanicThePlaceTheMessageAndTheSystemsFrames) {
  EXPECT_EQ(stack_lines("loading\n"
                        "thread 'main' panicked at core/src/ops/mod.rs:12:5:\n"
                        "index out of bounds\n"
                        "stack backtrace:\n"
                        "   0: rust_begin_unwind\n"
                        "             at /rustc/library/std/src/panicking.rs:665:5\n"
                        "   1: core::panicking::panic_fmt\n"
                        "   2: tract_core::ops::slice\n"
                        "             at core/src/ops/mod.rs:12:5\n"
                        "   3: _PyEval_EvalFrameDefault\n"
                        "   4: __libc_start_main\n"
                        "   5: _start\n"
                        "note: Some details are omitted\n"),
            "thread 'main' panicked at core/src/ops/mod.rs:12:5:\n"
            "index out of bounds\n"
            "   2: tract_core::ops::slice\n"
            "             at core/src/ops/mod.rs:12:5\n"
            "note: Some details are omitted\n");
}

TEST(StackLines, OfATracebackTheInnermostCallsAndTheException) {
  std::string written =
      "Traceback (most recent call last):\n  File \"/x/adapters/worker/loop.py\", line 7, in answer\n";
  for (int i = 0; i < 9; ++i) written += "  File \"lib/torch/a.py\", line " + std::to_string(i) + ", in f\n    g()\n";
  written += "KeyError: 'b'\n\n";
  const std::string kept = stack_lines(written);
  EXPECT_FALSE(kept.contains("loop.py"));
  EXPECT_FALSE(kept.contains("line 2,"));
  EXPECT_TRUE(kept.starts_with("  File \"lib/torch/a.py\", line 3, in f\n    g()\n")) << kept;
  EXPECT_TRUE(kept.ends_with("line 8, in f\n    g()\nKeyError: 'b'\n")) << kept;
}

TEST(StackLines, WithoutFramesTheLastLines) {
  std::string written;
  for (int i = 0; i < 40; ++i) written += "line " + std::to_string(i) + "\n";
  EXPECT_TRUE(stack_lines(written).starts_with("line 28\n"));
  EXPECT_EQ(stack_lines(""), "");
}

}  // namespace
}  // namespace parallax
