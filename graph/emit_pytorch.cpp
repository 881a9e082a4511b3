#include "graph/emit_pytorch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "graph/call_text.h"
#include "graph/print.h"

namespace parallax {
namespace {

// What a value must not be called in the script: Python's keywords, the names that the script itself uses, and those
// that torch.nn.Module gives to attributes.
constexpr std::string_view reserved_names[] = {
    "False",  "None",     "True",     "and",     "as",         "assert",  "async",  "await",    "break",
    "class",  "continue", "def",      "del",     "elif",       "else",    "except", "finally",  "for",
    "from",   "global",   "if",       "import",  "in",         "is",      "lambda", "nonlocal", "not",
    "or",     "pass",     "raise",    "return",  "try",        "while",   "with",   "yield",    "self",
    "torch",  "super",    "float",    "print",   "enumerate",  "Bug",     "module", "outputs",  "index",
    "output", "apply",    "bfloat16", "buffers", "children",   "compile", "cpu",    "cuda",     "double",
    "eval",   "forward",  "half",     "modules", "parameters", "to",      "train",  "training", "type",
};

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

std::string python_element(const Tensor& tensor, int64_t i) {
  if (tensor.dtype == DType::Bool) return tensor.get_integer(i) ? "True" : "False";
  if (is_integral(tensor.dtype)) return element_text(tensor, i);
  const double x = tensor.get_double(i);
  if (!std::isfinite(x)) return python_real(x);
  const std::string text = element_text(tensor, i);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// torch.tensor(...) of a row-major tensor. Elements are listed flat: an empty list has no shape of its own.
std::string python_tensor(const Tensor& tensor) {
  std::string elements;
  for (int64_t i = 0; i < tensor.numel(); ++i) elements += (i > 0 ? ", " : "") + python_element(tensor, i);
  std::string text = fmt::format("torch.tensor([{}], dtype={})", elements, python_dtype(tensor.dtype));
  if (tensor.sizes.size() != 1) text += fmt::format(".reshape([{}])", to_string(tensor.sizes));
  return text;
}

std::string as_strided(std::string_view base, const Layout& layout) {
  return fmt::format("torch.as_strided({}, [{}], [{}], {})", base, to_string(layout.sizes), to_string(layout.strides),
                     layout.offset);
}

// A tensor in memory of its own, with the given layout.
std::string placed_tensor(const Tensor& tensor, const Layout& layout) {
  if (layout == contiguous_layout(layout.sizes)) return python_tensor(tensor);
  Tensor base(tensor.dtype, {layout.extent()});
  scatter(tensor, layout, base.bytes.data());
  return as_strided(python_tensor(base), layout);
}

class PytorchWriter {
 public:
  explicit PytorchWriter(const Case& test) : test_(test), graph_(test.graph), used_(used_values(test.graph)) {
    names_ = graph_.names;
    std::unordered_set<std::string> taken(names_.begin(), names_.end());
    for (std::string& name : names_) make_safe(name, taken);
    for (const Storage& storage : graph_.storages) {
      storage_names_.push_back(storage.name);
      make_safe(storage_names_.back(), taken);
    }
    for (const Node& node : graph_.nodes) {
      list_names_.push_back(node.name);
      make_safe(list_names_.back(), taken);
    }
  }

  std::string text(std::string_view comment) {
    put_comment(comment);
    line(0, "import torch");
    put_class();
    put_state();
    for (std::size_t run = 0; run <= test_.later.size(); ++run) {
      const Result<Case> one = case_of_run(test_, run);
      PARALLAX_CHECK(one.has_value());
      if (run > 0) line(0, fmt::format("\n# run {}", run + 1));
      put_inputs(*one);
      if (run == 0) line(0, fmt::format("\nmodule = Bug({})", module_arguments()));
      put_run(one->expect);
    }
    return std::move(text_);
  }

 private:
  static bool is_reserved(std::string_view name) {
    return std::find(std::begin(reserved_names), std::end(reserved_names), name) != std::end(reserved_names);
  }
  static void make_safe(std::string& name, std::unordered_set<std::string>& taken) {
    if (!is_reserved(name)) return;
    do {
      name += '_';
    } while (!taken.insert(name).second);
  }

  void line(int level, std::string_view content) {
    text_.append(static_cast<std::size_t>(level) * 4, ' ').append(content).append("\n");
  }
  void put_comment(std::string_view comment) {
    while (!comment.empty()) {
      const std::size_t end = std::min(comment.find('\n'), comment.size());
      line(0, end == 0 ? "#" : fmt::format("# {}", comment.substr(0, end)));
      comment.remove_prefix(std::min(end + 1, comment.size()));
    }
  }
  const std::string& name(ValueId value) const { return names_[value.index]; }
  std::string window(const Source& source) const {
    const TensorMeta& meta = graph_.meta(source.value);
    return as_strided(storage_names_[meta.storage.index], meta.layout);
  }

  // "x, y": the declared storages that buffers are windows on; the module gets them from outside, as inputs may share
  // them.
  std::string module_arguments() const {
    std::string list;
    std::unordered_set<uint32_t> seen;
    for (const Source& source : graph_.sources) {
      const StorageId storage = graph_.meta(source.value).storage;
      if (source.kind != SourceKind::Buffer || !source.window || !seen.insert(storage.index).second) continue;
      list += (list.empty() ? "" : ", ") + storage_names_[storage.index];
    }
    return list;
  }
  std::string inputs(std::string separator_first) const {
    std::string list;
    for (const Source& source : graph_.sources) {
      if (source.kind != SourceKind::Input) continue;
      list += (list.empty() ? separator_first : ", ") + name(source.value);
    }
    return list;
  }

  void put_class() {
    text_ += "\n\n";
    line(0, "class Bug(torch.nn.Module):");
    put_init();
    line(1, fmt::format("def forward(self{}):", inputs(", ")));
    for (const Source& source : graph_.sources) {
      if (source.kind != SourceKind::Input) line(2, fmt::format("{0} = self.{0}", name(source.value)));
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) put_node(i);
    std::string outputs;
    for (ValueId output : graph_.outputs) outputs += (outputs.empty() ? "" : ", ") + name(output);
    line(2, fmt::format("return ({}{})", outputs, graph_.outputs.size() == 1 ? "," : ""));
    text_ += "\n\n";
  }

  void put_init() {
    const bool stateful = std::any_of(graph_.sources.begin(), graph_.sources.end(),
                                      [](const Source& source) { return source.kind != SourceKind::Input; });
    if (!stateful) return;
    const std::string arguments = module_arguments();
    line(1, fmt::format("def __init__(self{}{}):", arguments.empty() ? "" : ", ", arguments));
    line(2, "super().__init__()");
    for (const Source& source : graph_.sources) {
      if (source.kind == SourceKind::Input) continue;
      const std::string value =
          source.window ? window(source) : placed_tensor(source.data, graph_.meta(source.value).layout);
      if (source.kind == SourceKind::Buffer) {
        line(2, fmt::format("self.register_buffer(\"{}\", {})", name(source.value), value));
      } else {
        line(2, fmt::format("self.{} = {}", name(source.value), value));
      }
    }
    text_ += "\n";
  }

  void put_node(std::size_t i) {
    const Node& node = graph_.nodes[i];
    const Spelling spelling{
        .value = [&](ValueId value) { return name(value); },
        .real = python_real,
        .dtype = python_dtype,
        .memory_format = [](MemoryFormat format) { return fmt::format("torch.{}", parallax::name(format)); },
        .yes = "True",
        .no = "False",
        .none = "None",
    };
    const bool list = node.op->schema.has_list_result();
    const std::string& target = list ? list_names_[i] : name(node.results.front());
    const std::string overload = node.op->name.substr(std::string_view("aten.").size());
    line(2, fmt::format("{} = torch.ops.aten.{}({})", target, overload, spell_arguments(node, spelling)));
    if (!list) return;
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      if (used_[node.results[k].index]) line(2, fmt::format("{} = {}[{}]", name(node.results[k]), target, k));
    }
  }

  void put_state() {
    for (std::size_t i = 0; i < graph_.storages.size(); ++i) {
      const Storage& storage = graph_.storages[i];
      if (storage.data) line(0, fmt::format("{} = {}", storage_names_[i], python_tensor(*storage.data)));
    }
  }

  void put_inputs(const Case& run) {
    const std::vector<FeedSlot> slots = feed_slots(run.graph);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Storage& storage = graph_.storage(slots[i].storage);
      const std::string& target =
          storage.name.empty() ? input_name(slots[i].storage) : storage_names_[slots[i].storage.index];
      line(0, fmt::format("{} = {}", target, placed_tensor(run.feed[i], slots[i].layout)));
    }
    for (const Source& source : graph_.sources) {
      if (source.kind == SourceKind::Input && source.window) {
        line(0, fmt::format("{} = {}", name(source.value), window(source)));
      }
    }
  }
  const std::string& input_name(StorageId storage) const {
    const auto source = std::find_if(graph_.sources.begin(), graph_.sources.end(), [&](const Source& candidate) {
      return graph_.meta(candidate.value).storage == storage;
    });
    PARALLAX_CHECK(source != graph_.sources.end());
    return name(source->value);
  }

  void put_expected(std::string_view place, const Tensor& tensor) {
    constexpr int64_t shown = 16;
    line(0,
         fmt::format("# {} must be {} {}", place, type_text(tensor.dtype, tensor.sizes), elements_text(tensor, shown)));
  }

  void put_run(const Expectation& expect) {
    line(0, fmt::format("outputs = module({})", inputs("")));
    line(0, "for index, output in enumerate(outputs):");
    line(1, "print(f\"out[{index}] =\", output)");
    const std::vector<bool> written = written_storages(graph_);
    for (const Source& source : graph_.sources) {
      if (!written[graph_.meta(source.value).storage.index]) continue;
      const std::string prefix = source.kind == SourceKind::Input ? "" : "module.";
      line(0, fmt::format("print(\"{1} after the run =\", {0}{1})", prefix, name(source.value)));
    }
    if (expect.outputs) {
      for (std::size_t i = 0; i < expect.outputs->size(); ++i) {
        put_expected(fmt::format("out[{}]", i), (*expect.outputs)[i]);
      }
    }
    for (const auto* state : {&expect.inputs, &expect.buffers}) {
      for (const auto& [source, tensor] : *state) put_expected(source + " after the run", tensor);
    }
  }

  const Case& test_;
  const Graph& graph_;
  std::vector<bool> used_;                  // by value
  std::vector<std::string> names_;          // by value
  std::vector<std::string> storage_names_;  // by storage
  std::vector<std::string> list_names_;     // by node
  std::string text_;
};

}  // namespace

std::string emit_pytorch(const Case& test, std::string_view comment) { return PytorchWriter(test).text(comment); }

}  // namespace parallax
