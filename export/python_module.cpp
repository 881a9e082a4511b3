#include "export/python_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "export/python_control.h"
#include "export/python_custom.h"
#include "export/python_dense.h"
#include "export/python_text.h"
#include "graph/counts.h"
#include "ops/counted_size.h"

namespace parallax {
std::string aten_call(const Node& node, const Spelling& spelling) {
  return fmt::format("torch.ops.{}({})", node.op->name, spell_arguments(node, spelling));
}

std::string library_imports(const Graph& graph) {
  const bool quantized = std::ranges::any_of(
      graph.nodes, [](const Node& node) { return node.op->schema.library == "quantized_decomposed"; });
  return quantized ? "import torch.ao.quantization.fx._decomposed  # the quantized ops\n" : "";
}

PythonModule::PythonModule(const Case& test, PythonCall call, TakesInput takes)
    : test_(test),
      graph_(test.graph),
      call_(std::move(call)),
      takes_(std::move(takes)),
      used_(used_values(test.graph)) {
  names_ = graph_.names;
  std::unordered_set<std::string> taken(names_.begin(), names_.end());
  for (const Storage& storage : graph_.storages) taken.insert(storage.name);
  for (const Node& node : graph_.nodes) taken.insert(node.name);
  for (std::string& name : names_) make_python_name(name, taken);
  for (const Storage& storage : graph_.storages) {
    storage_names_.push_back(storage.name);
    if (!storage.name.empty()) make_python_name(storage_names_.back(), taken);
  }
  for (const Node& node : graph_.nodes) {
    list_names_.push_back(node.name);
    make_python_name(list_names_.back(), taken);
  }
  // State is read where it is used, as the workers do: Dynamo meets a tensor where the program first reads it.
  read_ = names_;
  for (const Source& source : graph_.sources) {
    if (source.kind != SourceKind::Input) read_[source.value.index] = "self." + read_[source.value.index];
  }
  for (const Source& source : graph_.sources) {
    if (source.window || !is_fed_as_memory(source)) continue;
    std::string& memory = storage_names_[graph_.meta(source.value).storage.index];
    memory = name(source.value) + "_memory";
    while (!taken.insert(memory).second) memory += '_';
  }
}

bool PythonModule::is_fed_as_memory(const Source& source) const {
  return takes_ && source.kind == SourceKind::Input && (source.window || !takes_(graph_.meta(source.value).layout));
}

// What forward calls the tensor that is fed for it.
const std::string& PythonModule::input_name(const Source& source) const {
  return is_fed_as_memory(source) ? storage_names_[graph_.meta(source.value).storage.index] : name(source.value);
}

// Those of all inputs, each once.
std::vector<std::string> PythonModule::input_names() const {
  std::vector<std::string> names;
  for (const Source& source : graph_.sources) {
    if (source.kind != SourceKind::Input) continue;
    const std::string& input = input_name(source);
    if (std::ranges::find(names, input) == names.end()) names.push_back(input);
  }
  return names;
}

std::string PythonModule::view_of_input(const Source& source) const {
  const TensorMeta& meta = graph_.meta(source.value);
  const std::string& memory = storage_names_[meta.storage.index];
  return source.window ? python_view_of_storage(memory, graph_.storage(meta.storage).sizes.size(), meta.layout)
                       : python_view_of_memory(memory, meta.layout);
}

std::string PythonModule::window(const Source& source) const {
  const TensorMeta& meta = graph_.meta(source.value);
  return python_window(storage_names_[meta.storage.index], meta.layout);
}

// Assignments of the declared storages with data that sources of that kind are windows on.
std::vector<std::string> PythonModule::state_storages(SourceKind kind) const {
  std::vector<std::string> lines;
  std::set<StorageId> seen;
  for (const Source& source : graph_.sources) {
    const StorageId id = graph_.meta(source.value).storage;
    if (source.kind != kind || !source.window || !graph_.storage(id).data || !seen.insert(id).second) continue;
    lines.push_back(fmt::format("{} = {}", storage_names_[id.index], python_tensor(*graph_.storage(id).data)));
  }
  return lines;
}

std::string PythonModule::constructor_text() const {
  const bool stateful =
      std::ranges::any_of(graph_.sources, [](const Source& source) { return source.kind != SourceKind::Input; });
  if (!stateful) return "";
  std::string text = indented(1, "def __init__(self):") + indented(2, "super().__init__()");
  for (const std::string& line : state_storages(SourceKind::Buffer)) text += indented(2, line);
  for (const Source& source : graph_.sources) {
    if (source.kind == SourceKind::Input) continue;
    const std::string value =
        source.window ? window(source) : python_placed_tensor(source.data, graph_.meta(source.value).layout);
    text += source.kind == SourceKind::Buffer
                ? indented(2, fmt::format("self.register_buffer(\"{}\", {})", name(source.value), value))
                : indented(2, fmt::format("self.{} = {}", name(source.value), value));
  }
  return text + "\n";
}

namespace {

// The first node that has the symbol for its count.
std::size_t counting_node(const Case& test, std::size_t symbol) {
  const auto counts = [&](const SymbolicNumber& number) {
    const Node& node = test.graph.nodes[number.node];
    return number.of.symbol == symbol && states_count(node) && number.argument == count_place(*node.op);
  };
  const auto found = std::ranges::find_if(test.symbols.numbers, counts);
  PARALLAX_CHECK(found != test.symbols.numbers.end());
  return found->node;
}

std::string scaled(std::string symbol, const Relation& relation) {
  if (relation.factor != 1) symbol = fmt::format("{} * ({})", relation.factor, symbol);
  return relation.offset == 0 ? symbol : fmt::format("{} + {}", symbol, relation.offset);
}

}  // namespace

// A number that hangs on a symbol, by a dim of an input that does or, of a count, by the result that is so long.
std::string PythonModule::size_text(const Relation& relation) const {
  const auto of_symbol = [&](const SymbolicDim& dim) { return dim.of.symbol == relation.symbol; };
  const auto is_plain = [&](const SymbolicDim& dim) {
    return of_symbol(dim) && dim.of.factor == 1 && dim.of.offset == 0;
  };
  if (is_count(test_.symbols, relation.symbol)) {
    const std::size_t n = counting_node(test_, relation.symbol);
    const Node& node = graph_.nodes[n];
    const bool list = node.op->schema.has_list_result();
    const std::string result = list ? list_names_[n] + "[0]" : name(node.results.front());
    return scaled(fmt::format("{}.size({})", result, counted_dim(node)), relation);
  }
  const std::vector<SymbolicDim>& dims = test_.symbols.dims;
  auto dim = std::ranges::find_if(dims, is_plain);
  if (dim == dims.end()) dim = std::ranges::find_if(dims, of_symbol);
  PARALLAX_CHECK(dim != dims.end());
  std::string symbol = fmt::format("{}.size({})", name(graph_.sources[dim->source].value), dim->dim);
  if (dim->of.offset != 0) symbol = fmt::format("({} - {})", symbol, dim->of.offset);
  if (dim->of.factor != 1) symbol = fmt::format("{} // {}", symbol, dim->of.factor);
  return scaled(symbol, relation);
}

std::string PythonModule::node_text(std::size_t i, std::string_view library) const {
  const Node& node = graph_.nodes[i];
  const bool list = node.op->schema.has_list_result();
  const std::string& target = list ? list_names_[i] : name(node.results.front());
  Spelling spelling = python_spelling(read_);
  for (const SymbolicNumber& number : test_.symbols.numbers) {
    if (number.node == i) spelling.said.push_back(number.argument);
  }
  spelling.number = [&](std::size_t argument, std::size_t place) -> std::string {
    for (const SymbolicNumber& number : test_.symbols.numbers) {
      if (number.node == i && number.argument == argument && number.place == place) return size_text(number.of);
    }
    return "";
  };
  const ControlOp* control = as_control(*node.op);
  const std::string call =
      control ? control_call(node, *control, SubgraphNames(graph_), read_, library) : call_(node, spelling);
  if (list && node.results.empty()) return indented(2, call);
  std::string text = indented(2, fmt::format("{} = {}", target, call));
  if (!list) return text;
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    if (used_[node.results[k].index])
      text += indented(2, fmt::format("{} = {}[{}]", name(node.results[k]), target, place_in_list(*node.op, k)));
  }
  return text;
}

std::string PythonModule::class_text(std::string_view class_name, std::string_view doc) const {
  const SubgraphNames subgraphs(graph_);
  const std::string library = custom_library(class_name);
  std::string text = custom_operations(subgraphs, library);
  text += fmt::format("class {}(torch.nn.Module):\n", class_name);
  if (!doc.empty()) text += indented(1, fmt::format("\"\"\"{}.\"\"\"\n", doc));
  text += constructor_text();
  std::string parameters = "self";
  for (const std::string& input : input_names()) parameters += ", " + input;
  text += indented(1, fmt::format("def forward({}):", parameters));
  for (const Source& source : graph_.sources) {
    if (!is_fed_as_memory(source)) continue;
    text += indented(2, fmt::format("{} = {}", name(source.value), view_of_input(source)));
  }
  text += subgraph_functions(subgraphs, call_, library, 2);
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) text += node_text(i, library);
  std::string outputs;
  for (ValueId output : graph_.outputs) outputs += (outputs.empty() ? "" : ", ") + read_[output.index];
  return text + indented(2, fmt::format("return ({}{})", outputs, graph_.outputs.size() == 1 ? "," : ""));
}

std::string PythonModule::fed_name(StorageId storage) const {
  if (!storage_names_[storage.index].empty()) return storage_names_[storage.index];
  const auto source = std::ranges::find_if(
      graph_.sources, [&](const Source& candidate) { return graph_.meta(candidate.value).storage == storage; });
  PARALLAX_CHECK(source != graph_.sources.end());
  return name(source->value);
}

std::string PythonModule::inputs_text(std::string_view function, const Case& run) const {
  std::string text = fmt::format("def {}():\n", function);
  for (const std::string& line : state_storages(SourceKind::Input)) text += indented(1, line);
  const std::vector<FeedSlot> slots = feed_slots(run.graph);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto& [slot, storage, dtype, layout] = slots[i];
    const bool dense = graph_.storage(storage).name.empty() && !storage_names_[storage.index].empty();
    text += indented(1, fmt::format("{} = {}", fed_name(storage),
                                    dense ? python_tensor(dense_memory(run.feed[i], layout))
                                          : python_placed_tensor(run.feed[i], layout)));
  }
  for (const Source& source : graph_.sources) {
    if (source.kind != SourceKind::Input || !source.window || is_fed_as_memory(source)) continue;
    text += indented(1, fmt::format("{} = {}", name(source.value), window(source)));
  }
  std::string entries;
  for (const std::string& input : input_names()) {
    entries += fmt::format("{0}\"{1}\": {1}", entries.empty() ? "" : ", ", input);
  }
  return text + indented(1, fmt::format("return {{{}}}", entries));
}

// A name of the case as the script has it.
const std::string& PythonModule::name_of(std::string_view source) const {
  const auto found = std::ranges::find(graph_.names, source);
  PARALLAX_CHECK(found != graph_.names.end());
  return names_[static_cast<std::size_t>(found - graph_.names.begin())];
}

std::string PythonModule::dynamic_text() const {
  const Symbols& symbols = test_.symbols;
  if (symbols.empty()) return "";
  std::string text;
  for (const auto& [symbol, low, high] : symbols.list)
    text += fmt::format("{0} = torch.export.Dim(\"{0}\", min={1}, max={2})\n", symbol, low, high);
  std::string dynamic;
  std::string bound;
  for (const std::string& input : input_names()) {
    std::string dims;
    std::string sizes;
    for (std::size_t i = 0; i < graph_.sources.size(); ++i) {
      const Source& source = graph_.sources[i];
      if (source.kind != SourceKind::Input || name(source.value) != input) continue;
      const Dims& own = graph_.meta(source.value).layout.sizes;
      for (int dim = 0; dim < own.size(); ++dim) {
        const SymbolicDim* symbolic = symbols.at(i, dim);
        const int64_t most = symbolic ? symbolic->of.at(symbols.list[symbolic->of.symbol].high) : own[dim];
        sizes += fmt::format("{},{}", most, dim + 1 < own.size() ? " " : "");
        if (symbolic) dims += fmt::format("{}{}: {}", dims.empty() ? "" : ", ", dim, symbols.text(symbolic->of));
      }
    }
    dynamic += dims.empty() ? "None, " : fmt::format("{{{}}}, ", dims);
    bound += dims.empty() ? "None, " : fmt::format("({}), ", sizes);
  }
  return fmt::format("{}DYNAMIC = ({})\nBOUND = ({})\n", text, dynamic, bound);
}

std::string PythonModule::gradient_text() const {
  if (!test_.gradient) return "";
  std::string wrt;
  for (const std::string& source : test_.gradient->wrt) wrt += fmt::format("\"{}\", ", name_of(source));
  std::string cotangents;
  for (const std::optional<Tensor>& cotangent : test_.gradient->cotangents) {
    cotangents += indented(1, (cotangent ? python_tensor(*cotangent) : "None") + ",");
  }
  return fmt::format("WRT = ({})\nCOTANGENTS = (\n{})\n", wrt, cotangents);
}

std::string PythonModule::expected_text() const {
  std::string entries;
  for (std::size_t run = 0; run <= test_.later.size(); ++run) {
    const Expectation& expect = run == 0 ? test_.expect : test_.later[run - 1].expect;
    const std::string prefix = run == 0 ? "" : fmt::format("run {}, ", run + 1);
    const auto add = [&](const std::string& place, const Tensor& tensor) {
      entries += indented(1, fmt::format("\"{}{}\": {},", prefix, place, python_tensor(tensor)));
    };
    if (expect.outputs) {
      for (std::size_t i = 0; i < expect.outputs->size(); ++i) add(fmt::format("out[{}]", i), (*expect.outputs)[i]);
    }
    for (const auto& [source, tensor] : expect.inputs) add("input " + name_of(source), tensor);
    for (const auto& [source, tensor] : expect.buffers) add("buffer " + name_of(source), tensor);
    for (const auto& [source, tensor] : expect.gradients) add("gradient of " + name_of(source), tensor);
  }
  return entries.empty() ? "" : fmt::format("EXPECTED = {{\n{}}}\n", entries);
}

}  // namespace parallax
