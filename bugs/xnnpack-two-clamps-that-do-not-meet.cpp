// a clamp is fused into the clamp before it as the intersection of the ranges, and where that is empty the runtime is refused
//
// g++ script.cpp -o script -lXNNPACK -lpthreadpool -lcpuinfo && ./script
// Exit 1: the bug shows; 0: it does not.
#include <xnnpack.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

constexpr float inf = std::numeric_limits<float>::infinity();

// Two clamps in a row of four elements; whether a runtime is made of them, and what it computes.
bool wrong(const char* what, float low, float high) {
  xnn_subgraph_t graph = nullptr;
  xnn_create_subgraph(2, 0, &graph);
  const size_t sizes[] = {4};
  uint32_t x = 0, middle = 0, y = 0;
  xnn_define_tensor_value(graph, xnn_datatype_fp32, 1, sizes, nullptr, 0, XNN_VALUE_FLAG_EXTERNAL_INPUT, &x);
  xnn_define_tensor_value(graph, xnn_datatype_fp32, 1, sizes, nullptr, 1, XNN_VALUE_FLAG_EXTERNAL_OUTPUT, &y);
  xnn_define_tensor_value(graph, xnn_datatype_fp32, 1, sizes, nullptr, XNN_INVALID_VALUE_ID, 0, &middle);
  const bool defined = xnn_define_clamp(graph, -3, 3, x, middle, 0) == xnn_status_success &&
                       xnn_define_clamp(graph, low, high, middle, y, 0) == xnn_status_success;
  xnn_runtime_t runtime = nullptr;
  const xnn_status status = xnn_create_runtime_v2(graph, nullptr, 0, &runtime);
  std::printf("%s: defined %d, xnn_create_runtime_v2 %d", what, defined, status);
  if (status != xnn_status_success) {
    std::puts(" (xnn_status_invalid_parameter is 2)");
    return true;
  }
  std::vector<float> in = {-5, 1, 2.5, 9, 0, 0, 0, 0}, out(8);
  const xnn_external_value values[] = {{x, in.data()}, {y, out.data()}};
  xnn_setup_runtime(runtime, 2, values);
  xnn_invoke_runtime(runtime);
  bool differs = false;
  for (int i = 0; i < 4; ++i) {
    const float expected = std::min(std::max(std::min(std::max(in[i], -3.0F), 3.0F), low), high);
    std::printf("; expected %g actual %g", expected, out[i]);
    differs = differs || expected != out[i];
  }
  std::puts("");
  return differs;
}

int main() {
  xnn_initialize(nullptr);
  const bool bug = wrong("clamp [-3, 3], then [4, 6]", 4, 6);
  const bool control = wrong("control, clamp [-3, 3], then [2, 6]", 2, 6);
  std::puts(bug ? "the bug shows" : "the bug does not show");
  return bug && !control ? 1 : 0;
}
