// max pooling with padding and dilation reads outside of the picture where a window's taps jump over it, and the foreign number becomes a result
//
// g++ script.cpp -o script -lXNNPACK -lpthreadpool -lcpuinfo && ./script
// Exit 1: the bug shows; 0: it does not.
#include <xnnpack.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

constexpr float inf = std::numeric_limits<float>::infinity();

// Maxima of a picture of one channel, kernel 2x2, padding 1, stride 1. The picture lies in the middle of memory that is
// full of 777; all of its own elements are negative.
bool wrong(const char* what, int height, int width, int down, int right) {
  xnn_operator_t op = nullptr;
  if (xnn_create_max_pooling2d_nhwc_f32(1, 1, 1, 1, 2, 2, 1, 1, down, right, 1, 1, 1, -inf, inf, 0, &op) != xnn_status_success) return false;
  const int rows = height + 2 - down, columns = width + 2 - right;
  std::vector<float> memory(65536, 777.0F), made(rows * columns);
  float* x = memory.data() + 32768;
  for (int i = 0; i < height * width; ++i) x[i] = static_cast<float>(-1 - i);
  if (xnn_setup_max_pooling2d_nhwc_f32(op, 1, height, width, x, made.data(), nullptr) != xnn_status_success) return false;
  xnn_run_operator(op, nullptr);
  bool differs = false;
  std::printf("%s:", what);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      float expected = -inf;
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          const int y = r - 1 + i * down, z = c - 1 + j * right;
          if (y >= 0 && y < height && z >= 0 && z < width) expected = std::max(expected, x[y * width + z]);
        }
      }
      std::printf(" expected %g actual %g;", expected, made[r * columns + c]);
      differs = differs || expected != made[r * columns + c];
    }
  }
  std::puts("");
  xnn_delete_operator(op);
  return differs;
}

int main() {
  xnn_initialize(nullptr);
  const bool bug = wrong("2x2, dilation 1x2", 2, 2, 1, 2);
  const bool control = wrong("control, 2x2, dilation 1x1", 2, 2, 1, 1) || wrong("control, 3x3, dilation 2x2", 3, 3, 2, 2);
  std::puts(bug ? "the bug shows" : "the bug does not show");
  return bug && !control ? 1 : 0;
}
