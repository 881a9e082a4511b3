#include "corpus/collector.h"

#include <algorithm>

namespace parallax {
namespace {

const Collector torch = {{"-m", "torch.utils.collect_env"},
                         {"PyTorch version:", "Is debug build:", "CUDA used to build PyTorch:", "OS:", "GCC version:",
                          "Clang version:", "Libc version:", "Python version:", "Is CUDA available:",
                          "CUDA runtime version:", "GPU models", "Model name:", "[pip3]", "[conda]"}};
const Collector jax = {{"-c", "import jax; jax.print_environment_info()"},
                       {"jax:", "jaxlib:", "numpy:", "python:", "device info:"}};
const Collector tensorflow = {{"-c", "import tensorflow as tf; print(tf.version.GIT_VERSION, tf.version.VERSION)"}, {}};
const Collector onnxruntime = {
    {"-c", "import onnxruntime as ort; print(ort.get_version_string(), ort.get_build_info())"}, {}};
const Collector openvino = {{"-c", "import openvino; print(openvino.get_version())"}, {}};

// What a family's name begins with.
constexpr std::pair<std::string_view, const Collector*> collectors[] = {
    {"torch-", &torch},      {"pytorch-", &torch},          {"thunder", &torch},    {"executorch", &torch},
    {"torchax", &torch},     {"litert-torch", &torch},      {"jax", &jax},          {"tensorflow", &tensorflow},
    {"litert", &tensorflow}, {"onnxruntime", &onnxruntime}, {"openvino", &openvino}};

std::string word_of_shell(const std::string& word) { return word.contains(' ') ? "'" + word + "'" : word; }

}  // namespace

std::string Collector::command() const {
  std::string text = "python";
  for (const std::string& argument : arguments) text += " " + word_of_shell(argument);
  return text;
}

std::string Collector::cut(std::string_view printed) const {
  std::string text;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    const std::string_view line = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    const bool matters = first_of_line.empty() || std::ranges::any_of(first_of_line, [&](std::string_view first) {
                           return line.starts_with(first);
                         });
    const bool says_something = !line.empty() && !line.ends_with("Could not collect");
    if (matters && says_something) text.append(line).append("\n");
  }
  return text;
}

const Collector* collector_of(std::string_view family) {
  for (const auto& [begin, collector] : collectors) {
    if (family.starts_with(begin)) return collector;
  }
  return nullptr;
}

}  // namespace parallax
