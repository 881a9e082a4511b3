#include "corpus/collector.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

TEST(Collector, OfTheTorchFamilyIsCollectEnv) {
  for (const char* family : {"torch-inductor", "pytorch-eager", "executorch-xnnpack", "thunder"}) {
    const Collector* collector = collector_of(family);
    ASSERT_NE(collector, nullptr) << family;
    EXPECT_EQ(collector->command(), "python -m torch.utils.collect_env");
  }
  EXPECT_EQ(collector_of("portable"), nullptr);
  EXPECT_EQ(collector_of("tract"), nullptr);
}

TEST(Collector, KeepsTheLinesThatMatter) {
  EXPECT_EQ(collector_of("torch-export")
                ->cut("Collecting environment information...\nPyTorch version: 2.13.0+cpu\n\nOS: Debian\n"
                      "CPU:\nModel name:   AMD EPYC\nFlags: fpu vme\nClang version: Could not collect\n"
                      "[pip3] torch==2.13.0"),
            "PyTorch version: 2.13.0+cpu\nOS: Debian\nModel name:   AMD EPYC\n[pip3] torch==2.13.0\n");
}

TEST(Collector, LeavesOutTheNameOfTheMachine) {
  const Collector* jax = collector_of("jax");
  EXPECT_EQ(jax->command(), "python -c 'import jax; jax.print_environment_info()'");
  EXPECT_EQ(jax->cut("jax:    0.10.2\nplatform: uname_result(system='Linux', node='secret')\n"), "jax:    0.10.2\n");
}

}  // namespace
}  // namespace parallax
