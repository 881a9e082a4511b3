#include "export/python_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace parallax {
namespace {

constexpr std::string_view reserved_names[] = {
    // Python's keywords.
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    // What the bodies of the scripts' functions name.
    "self", "super", "slice", "torch", "Bug", "Control",
    // dir(torch.nn.Module()), PyTorch 2.13: a buffer of that name would hide or break it.
    "T_destination", "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children", "compile", "cpu",
    "cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer", "get_extra_state",
    "get_parameter", "get_submodule", "half", "ipu", "load_state_dict", "modules", "mtia", "named_buffers",
    "named_children", "named_modules", "named_parameters", "parameters", "register_backward_hook", "register_buffer",
    "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
    "register_full_backward_pre_hook", "register_load_state_dict_post_hook", "register_load_state_dict_pre_hook",
    "register_module", "register_parameter", "register_state_dict_post_hook", "register_state_dict_pre_hook",
    "requires_grad_", "set_extra_state", "set_submodule", "share_memory", "state_dict", "to", "to_empty", "train",
    "training", "type", "xpu", "zero_grad"};

bool is_reserved(std::string_view name) {
  return std::find(std::begin(reserved_names), std::end(reserved_names), name) != std::end(reserved_names);
}

// The module's own: "_buffers". Behind two underscores a class mangles a name.
bool is_private(std::string_view name) { return name.starts_with('_'); }

std::string python_element(const Tensor& tensor, int64_t i) {
  if (tensor.dtype == DType::Bool) return tensor.get_integer(i) ? "True" : "False";
  if (is_integral(tensor.dtype)) return element_text(tensor, i);
  const double x = tensor.get_double(i);
  if (!std::isfinite(x)) return python_real(x);
  const std::string text = element_text(tensor, i);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// "[[1, 2], [3, 4]]": the elements of a row-major tensor from the given one on, of the dims from `dim` on.
std::string python_lists(const Tensor& tensor, const Dims& strides, int dim, int64_t first) {
  if (dim == tensor.sizes.size()) return python_element(tensor, first);
  std::string text = "[";
  for (int64_t i = 0; i < tensor.sizes[dim]; ++i) {
    if (i > 0) text += ", ";
    text += python_lists(tensor, strides, dim + 1, first + i * strides[dim]);
  }
  return text + "]";
}

}  // namespace

std::string python_real(double x) {
  if (std::isnan(x)) return "float(\"nan\")";
  if (std::isinf(x)) return x > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  const std::string text = fmt::format("{}", x);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string python_dtype(DType dtype) {
  constexpr std::array<std::string_view, dtype_count> names = {"bool",  "uint8",   "int8",     "int16",   "int32",
                                                               "int64", "float16", "bfloat16", "float32", "float64"};
  return fmt::format("torch.{}", names[static_cast<std::size_t>(dtype)]);
}

std::string python_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\';
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// Lists of lists where there are elements: a tensor that a reshape gives would be a view, and compilers trace a view
// in another way.
std::string python_tensor(const Tensor& tensor) {
  const std::string dtype = python_dtype(tensor.dtype);
  if (tensor.numel() == 0) return fmt::format("torch.empty([{}], dtype={})", to_string(tensor.sizes), dtype);
  return fmt::format("torch.tensor({}, dtype={})", python_lists(tensor, contiguous_strides(tensor.sizes), 0, 0), dtype);
}

std::string python_window(std::string_view base, const Layout& layout) {
  return fmt::format("torch.as_strided({}, [{}], [{}], {})", base, to_string(layout.sizes), to_string(layout.strides),
                     layout.offset);
}

std::string python_placed_tensor(const Tensor& tensor, const Layout& layout) {
  if (layout == contiguous_layout(layout.sizes)) return python_tensor(tensor);
  Tensor base(tensor.dtype, {layout.extent()});
  scatter(tensor, layout, base.bytes.data());
  return python_window(python_tensor(base), layout);
}

std::string python_comment(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    // A carriage return ends a comment too, and Python reads no source with a NUL.
    std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    result += line.empty() ? "#\n" : "# " + line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

void make_python_name(std::string& name, std::unordered_set<std::string>& taken) {
  if (!is_reserved(name) && !is_private(name)) return;
  if (is_private(name)) name.insert(name.begin(), 'v');
  while (is_reserved(name) || !taken.insert(name).second) name += '_';
}

std::string indented(int level, std::string_view content) { return fmt::format("{:{}}{}\n", "", level * 4, content); }

Spelling python_spelling(const std::vector<std::string>& names) {
  return {
      .value = [&names](ValueId value) { return names[value.index]; },
      .real = python_real,
      .dtype = python_dtype,
      .memory_format = [](MemoryFormat format) { return fmt::format("torch.{}", parallax::name(format)); },
      .yes = "True",
      .no = "False",
      .none = "None",
  };
}

}  // namespace parallax
