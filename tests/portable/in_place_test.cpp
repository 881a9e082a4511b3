// Kernels that may overwrite an operand: the results are the same, bit for bit, whether they do or not.
#include <gtest/gtest.h>

#include "backends/runtime/executor.h"
#include "backends/runtime/sanitizer.h"
#include "fuzz/generate/generate.h"
#include "planner/plan_checker.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

using namespace runtime;

// What a program gives, with what its plan says of reuse; nothing where the data makes an op raise.
std::optional<std::vector<std::vector<uint8_t>>> outputs_of(const Program& program, const Case& test) {
  const auto executable = load(program);
  EXPECT_TRUE(executable) << executable.error().text();
  Sanitizer sanitizer(program);
  Instance instance(*executable, std::byte{0xCB});
  const Result<RunResult> result = instance.run(test.feed, &sanitizer);
  if (!result) return std::nullopt;
  for (const PlanFailure& failure : sanitizer.failures()) ADD_FAILURE() << describe(program.graph, failure);
  std::vector<std::vector<uint8_t>> outputs;
  for (const TensorInPlace& output : result->outputs) {
    const Tensor tensor = output.read();
    const auto* bytes = reinterpret_cast<const uint8_t*>(tensor.bytes.data());
    outputs.emplace_back(bytes, bytes + tensor.bytes.size());
  }
  return outputs;
}

TEST(InPlaceKernels, GiveWhatTheyGiveInMemoryOfTheirOwn) {
  std::size_t reuses = 0;
  for (uint64_t stream = 0; stream < 1000; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 41, stream " << stream);
    Choices choices(41, stream);
    const Case test = generate(choices, testing::portable_options());
    const Program apart = compile(test.graph, {}).value();
    CompileOptions options;
    options.in_place_kernels = portable::writes_in_place;
    options.reuse_in_place = true;
    const Program in_place = compile(test.graph, options).value();
    reuses += in_place.plan.reuses.size();
    for (const PlanFailure& failure : check_plan(in_place.graph, in_place.plan)) {
      ADD_FAILURE() << describe(in_place.graph, failure);
    }
    EXPECT_EQ(outputs_of(apart, test), outputs_of(in_place, test));
  }
  EXPECT_GT(reuses, 100U);
}

}  // namespace
}  // namespace parallax
