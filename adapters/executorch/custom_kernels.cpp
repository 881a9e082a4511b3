// Kernels in ExecuTorch's runtime for the operations that a case has a reference for. The runtime takes functions
// without a context, so each operation has one of a table of them; all hand their tensors to one function of Python's,
// which runs the reference (custom_kernels.py). Built with the headers of the wheel, against its runtime.
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using executorch::runtime::EValue;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::Span;

// A tensor of a call, in the runtime's own memory.
struct Operand {
  void* data;
  const int32_t* sizes;
  const int32_t* strides;
  int32_t dims;
  int32_t dtype;  // of torch's ScalarType
};

// 0: it ran. `kernel` is the place in the table.
using Run = int (*)(int kernel, const Operand* operands, int count);

constexpr std::size_t most_kernels = 1024;
Run run_in_python = nullptr;
std::array<int, most_kernels> tensors_of;  // by kernel: the operands and the results of a call

template <std::size_t kernel>
void call(KernelRuntimeContext& context, Span<EValue*> arguments) {
  std::vector<Operand> operands;
  for (int i = 0; i < tensors_of[kernel]; ++i) {
    const auto& tensor = arguments[static_cast<std::size_t>(i)]->toTensor();
    operands.push_back({tensor.mutable_data_ptr(), tensor.sizes().data(), tensor.strides().data(),
                        static_cast<int32_t>(tensor.dim()), static_cast<int32_t>(tensor.scalar_type())});
  }
  if (run_in_python(static_cast<int>(kernel), operands.data(), tensors_of[kernel]) != 0)
    context.fail(executorch::runtime::Error::Internal);
}

template <std::size_t... kernels>
constexpr std::array<executorch::runtime::OpFunction, sizeof...(kernels)> table_of(std::index_sequence<kernels...>) {
  return {call<kernels>...};
}
constexpr auto table = table_of(std::make_index_sequence<most_kernels>());

}  // namespace

extern "C" {

int parallax_most_kernels() { return most_kernels; }

void parallax_run_with(Run run) { run_in_python = run; }

// `name` ("parallax::step.out") stays for as long as the process.
void parallax_register(int kernel, const char* name, int tensors) {
  tensors_of[static_cast<std::size_t>(kernel)] = tensors;
  const executorch::runtime::Kernel record(name, table[static_cast<std::size_t>(kernel)]);
  (void)executorch::runtime::register_kernels({&record, 1});
}
}
