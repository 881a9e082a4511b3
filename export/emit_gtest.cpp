#include "export/emit_gtest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "graph/call_text.h"

namespace parallax {
namespace {

// What a variable must not be called: C++'s keywords and alternative tokens, and what the test itself names.
constexpr std::string_view reserved_names[] = {
    "alignas",  "alignof",  "and",         "and_eq",    "asm",       "assert",
    "auto",     "bitand",   "bitor",       "bool",      "break",     "case",
    "catch",    "char",     "class",       "co_await",  "co_return", "co_yield",
    "compl",    "concept",  "const",       "consteval", "constexpr", "constinit",
    "continue", "decltype", "default",     "delete",    "do",        "double",
    "else",     "enum",     "errno",       "explicit",  "export",    "extern",
    "false",    "float",    "for",         "friend",    "goto",      "if",
    "inline",   "int",      "int64_t",     "long",      "mutable",   "namespace",
    "new",      "noexcept", "not",         "not_eq",    "nullptr",   "operator",
    "or",       "or_eq",    "private",     "protected", "public",    "register",
    "requires", "return",   "short",       "signed",    "sizeof",    "static",
    "stderr",   "stdin",    "stdout",      "struct",    "switch",    "template",
    "this",     "throw",    "true",        "try",       "typedef",   "typeid",
    "typename", "union",    "unsigned",    "using",     "virtual",   "void",
    "volatile", "while",    "xor",         "xor_eq",    "builder",   "contiguous_layout",
    "examine",  "integers", "open_target", "op_named",  "parallax",  "reals",
    "std",      "target",   "test"};

// Capitals and underscores in front are for types, macros and the implementation.
bool is_plain_variable(std::string_view name) {
  return name.front() != '_' && name.find("__") == std::string_view::npos &&
         std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }) &&
         std::ranges::find(reserved_names, name) == std::end(reserved_names);
}

std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') result += '\\';  // a question mark may begin a trigraph
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  return result + "\"";
}

std::string real_literal(double x) {
  if (std::isnan(x)) return "std::nan(\"\")";
  if (std::isinf(x)) return x > 0 ? "HUGE_VAL" : "-HUGE_VAL";
  const std::string text = fmt::format("{}", x);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string integer_literal(int64_t x) { return x == INT64_MIN ? "INT64_MIN" : fmt::format("{}", x); }

// "U8" of u8: the enumerators are the short names in capitals, but for Bool.
std::string dtype_literal(DType dtype) {
  std::string text(name(dtype));
  if (dtype == DType::Bool) return "DType::Bool";
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return "DType::" + text;
}

std::string dims_literal(const Dims& dims) { return fmt::format("{{{}}}", to_string(dims)); }

std::string layout_literal(const Layout& layout) {
  if (layout == contiguous_layout(layout.sizes))
    return fmt::format("contiguous_layout({})", dims_literal(layout.sizes));
  return fmt::format("Layout{{{}, {}, {}}}", dims_literal(layout.sizes), dims_literal(layout.strides), layout.offset);
}

std::string tensor_literal(const Tensor& tensor) {
  std::string elements;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    elements += i > 0 ? ", " : "";
    elements += is_floating(tensor.dtype) ? real_literal(tensor.get_double(i)) : integer_literal(tensor.get_integer(i));
  }
  return fmt::format("{}({}, {}, {{{}}})", is_floating(tensor.dtype) ? "reals" : "integers",
                     dtype_literal(tensor.dtype), dims_literal(tensor.sizes), elements);
}

constexpr std::string_view reals =
    R"cpp(Tensor reals(DType dtype, const Dims& sizes, const std::vector<double>& elements) {
            Tensor tensor(dtype, sizes);
            for (std::size_t i = 0; i < elements.size(); ++i) tensor.set_double(static_cast<int64_t>(i), elements[i]);
            return tensor;
          }
    )cpp";

constexpr std::string_view integers =
    R"cpp(Tensor integers(DType dtype, const Dims& sizes, const std::vector<int64_t>& elements) {
            Tensor tensor(dtype, sizes);
            for (std::size_t i = 0; i < elements.size(); ++i) tensor.set_integer(static_cast<int64_t>(i), elements[i]);
            return tensor;
          }
    )cpp";

// The name of a test: letters and digits, words begun with a capital.
std::string test_name(std::string_view text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || (c >= '0' && c <= '9' && !result.empty())) {
      result += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      begins = false;
    } else {
      begins = true;
    }
  }
  return result.empty() ? "ACase" : result;
}

// One argument in C++; values by what the test calls them.
struct ArgumentLiteral {
  const std::vector<std::string>& variables;
  std::string operator()(std::monostate) const { return "std::monostate()"; }
  std::string operator()(ValueId value) const { return value.valid() ? variables[value.index] : "ValueId()"; }
  std::string operator()(const ValueList& list) const { return "ValueList{" + joined(list) + "}"; }
  std::string operator()(const Scalar& scalar) const {
    if (const auto* flag = std::get_if<bool>(&scalar)) return *flag ? "Scalar(true)" : "Scalar(false)";
    if (const auto* integer = std::get_if<int64_t>(&scalar)) {
      return fmt::format("Scalar(int64_t{{{}}})", integer_literal(*integer));
    }
    return fmt::format("Scalar({})", real_literal(std::get<double>(scalar)));
  }
  std::string operator()(const IntList& list) const {
    std::string text;
    for (const int64_t element : list) text += (text.empty() ? "" : ", ") + integer_literal(element);
    return "IntList{" + text + "}";
  }
  std::string operator()(const ScalarList& list) const { return "ScalarList{" + joined(list) + "}"; }
  std::string operator()(DType dtype) const { return dtype_literal(dtype); }
  std::string operator()(MemoryFormat format) const {
    constexpr std::string_view formats[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
    return fmt::format("MemoryFormat::{}", formats[static_cast<std::size_t>(format)]);
  }
  std::string operator()(const std::string& text) const { return fmt::format("std::string({})", literal(text)); }
  template <class List>
  std::string joined(const List& list) const {
    std::string text;
    for (const auto& element : list) text += (text.empty() ? "" : ", ") + (*this)(element);
    return text;
  }
};

class GtestWriter {
 public:
  explicit GtestWriter(const Case& test) : test_(test), graph_(test.graph), used_(used_values(test.graph)) {
    std::unordered_set<std::string> taken(graph_.names.begin(), graph_.names.end());
    for (const Node& node : graph_.nodes) taken.insert(node.name);
    const auto variable = [&](std::string name) {
      if (name.empty() || is_plain_variable(name)) return name;
      do {
        name.insert(0, "v_");
      } while (!taken.insert(name).second);
      return name;
    };
    for (const std::string& name : graph_.names) variables_.push_back(variable(name));
    for (const Storage& storage : graph_.storages) storages_.push_back(variable(storage.name));
    for (const Node& node : graph_.nodes) {
      if (!node.op->schema.has_list_result()) continue;
      const std::string list = variable(node.name);
      for (std::size_t k = 0; k < node.results.size(); ++k) {
        variables_[node.results[k].index] = fmt::format("{}[{}]", list, k);
      }
    }
  }

  std::string text(const std::vector<AskedVerdict>& verdicts) {
    put("GraphBuilder builder;");
    for (std::size_t i = 0; i < graph_.storages.size(); ++i) put_storage(i);
    for (const Source& source : graph_.sources) put_source(source);
    for (const Node& node : graph_.nodes) put_node(node);
    for (ValueId output : graph_.outputs) put(fmt::format("builder.add_output({});", variables_[output.index]));
    put("Case test;");
    put("test.graph = builder.take();");
    put(fmt::format("test.feed = {{{}}};", tensors(test_.feed)));
    put_gradient();
    put_expected("test.expect", test_.expect);
    put_later_runs();
    for (const AskedVerdict& verdict : verdicts) put_verdict(verdict);
    std::string file =
        "#include <gtest/gtest.h>\n\n#include <cmath>\n\n#include \"backends/examine.h\"\n"
        "#include \"backends/open_target.h\"\n#include \"graph/builder.h\"\n#include \"ops/registry.h\"\n\n"
        "namespace parallax {\nnamespace {\n\n";
    if (body_.find("reals(") != std::string::npos) file += reals;
    if (body_.find("integers(") != std::string::npos) file += integers;
    return file + fmt::format("TEST(Exported, {}) {{\n{}}}\n\n}}  // namespace\n}}  // namespace parallax\n",
                              test_name(test_.name), body_);
  }

 private:
  void put(std::string_view line) { body_ += fmt::format("  {}\n", line); }

  // A variable that nothing reads would be warned of.
  void put_value(std::string_view type, const std::string& variable, bool used, const std::string& made) {
    put(used ? fmt::format("const {} {} = {}.value();", type, variable, made) : made + ".value();");
  }

  void put_storage(std::size_t i) {
    const Storage& storage = graph_.storages[i];
    if (storage.name.empty()) return;
    const bool used = std::ranges::any_of(
        graph_.sources, [&](const Source& source) { return graph_.meta(source.value).storage == StorageId(i); });
    put_value("StorageId", storages_[i], used,
              fmt::format("builder.add_storage({}, {}, {}{})", literal(storage.name), dtype_literal(storage.dtype),
                          dims_literal(storage.sizes), storage.data ? ", " + tensor_literal(*storage.data) : ""));
  }

  void put_source(const Source& source) {
    constexpr std::string_view kinds[] = {"Input", "Constant", "Buffer"};
    const TensorMeta& meta = graph_.meta(source.value);
    const std::string common =
        fmt::format("SourceKind::{}, {}, {}, {}", kinds[static_cast<std::size_t>(source.kind)],
                    literal(graph_.name(source.value)), dtype_literal(meta.dtype), layout_literal(meta.layout));
    std::string made;
    if (source.window) {
      made = fmt::format("builder.add_window({}, {})", common, storages_[meta.storage.index]);
    } else if (source.kind == SourceKind::Input) {
      made = fmt::format("builder.add_source({})", common);
    } else {
      made = fmt::format("builder.add_source({}, {})", common, tensor_literal(source.data));
    }
    put_value("ValueId", variables_[source.value.index], used_[source.value.index], made);
  }

  std::string argument(const Argument& argument) const { return std::visit(ArgumentLiteral{variables_}, argument); }

  void put_node(const Node& node) {
    std::string arguments;
    const auto add = [&](std::size_t i) { arguments += (arguments.empty() ? "" : ", ") + argument(node.arguments[i]); };
    if (node.op->schema.has_list_result()) {
      for (std::size_t i = 0; i < node.arguments.size(); ++i) add(i);
      std::string names;
      bool used = false;
      for (ValueId result : node.results) {
        names += (names.empty() ? "" : ", ") + literal(graph_.name(result));
        used |= used_[result.index];
      }
      const std::string list = node.results.empty() ? ""
                                                    : variables_[node.results[0].index].substr(
                                                          0, variables_[node.results[0].index].find('['));
      return put_value("std::vector<ValueId>", list, used,
                       fmt::format("builder.add_node(op_named({}), {{{}}}, {}, {{{}}})", literal(node.op->name),
                                   arguments, literal(node.name), names));
    }
    const WrittenArguments written = written_arguments(node);
    for (int i = 0; i < written.positional; ++i) add(static_cast<std::size_t>(i));
    std::string named;
    for (const int i : written.named) {
      const auto index = static_cast<std::size_t>(i);
      named += fmt::format("{}{{{}, {}}}", named.empty() ? "" : ", ", literal(node.op->schema.parameters[index].name),
                           argument(node.arguments[index]));
    }
    if (!named.empty()) named = fmt::format(", {{{}}}", named);
    put_value(
        "ValueId", variables_[node.results.front().index], used_[node.results.front().index],
        fmt::format("builder.call({}, {{{}}}, {}{})", literal(node.op->name), arguments, literal(node.name), named));
  }

  void put_gradient() {
    if (!test_.gradient) return;
    std::string wrt, cotangents;
    for (const std::string& name : test_.gradient->wrt) wrt += (wrt.empty() ? "" : ", ") + literal(name);
    for (const std::optional<Tensor>& cotangent : test_.gradient->cotangents) {
      cotangents += (cotangents.empty() ? "" : ", ") + (cotangent ? tensor_literal(*cotangent) : "std::nullopt");
    }
    put(fmt::format("test.gradient = GradientRequest{{{{{}}}, {{{}}}}};", wrt, cotangents));
  }

  // What is recorded of a run, into the expectation that `member` names.
  void put_expected(std::string_view member, const Expectation& expect) {
    if (expect.outputs) put(fmt::format("{}.outputs = std::vector<Tensor>{{{}}};", member, tensors(*expect.outputs)));
    const auto states = [&](std::string_view part, const auto& recorded) {
      for (const auto& [source, tensor] : recorded) {
        put(fmt::format("{}.{}.emplace_back({}, {});", member, part, literal(source), tensor_literal(tensor)));
      }
    };
    states("inputs", expect.inputs);
    states("buffers", expect.buffers);
    states("gradients", expect.gradients);
  }

  void put_later_runs() {
    for (const Symbol& symbol : test_.symbols.list) {
      put(fmt::format("test.symbols.list.push_back({{{}, {}, {}}});", literal(symbol.name), symbol.low, symbol.high));
    }
    for (const SymbolicDim& dim : test_.symbols.dims) {
      put(fmt::format("test.symbols.dims.push_back({{{}, {}, {{{}, {}, {}}}}});", dim.source, dim.dim, dim.of.symbol,
                      dim.of.factor, dim.of.offset));
    }
    for (const SymbolicNumber& number : test_.symbols.numbers) {
      put(fmt::format("test.symbols.numbers.push_back({{{}, {}, {}, {{{}, {}, {}}}}});", number.node, number.argument,
                      number.place, number.of.symbol, number.of.factor, number.of.offset));
    }
    for (const LaterRun& run : test_.later) {
      put(fmt::format("test.later.push_back({{{{{}}}, {{{}}}, {{}}, 0}});", fmt::join(run.sizes, ", "),
                      tensors(run.feed)));
      if (run.instance != 0) put(fmt::format("test.later.back().instance = {};", run.instance));
      put_expected("test.later.back().expect", run.expect);
    }
  }

  static std::string tensors(const std::vector<Tensor>& list) {
    std::string text;
    for (const Tensor& tensor : list) text += (text.empty() ? "" : ", ") + tensor_literal(tensor);
    return text;
  }

  void put_verdict(const AskedVerdict& asked) {
    std::string faults;
    for (const std::string& fault : asked.faults) faults += (faults.empty() ? "" : ", ") + literal(fault);
    put("{");
    put(fmt::format("  const auto target = open_target({}, {{.faults = {{{}}}}});", literal(asked.target), faults));
    put("  ASSERT_TRUE(target) << target.error().text();");
    put(fmt::format("  EXPECT_EQ(name(examine(**target, test).judgement.verdict), {});", literal(asked.verdict)));
    put("}");
  }

  const Case& test_;
  const Graph& graph_;
  std::vector<bool> used_;              // by value
  std::vector<std::string> variables_;  // by value: what the test calls it
  std::vector<std::string> storages_;   // by storage
  std::string body_;
};

}  // namespace

std::string emit_gtest(const Case& test, const std::vector<AskedVerdict>& verdicts) {
  return GtestWriter(test).text(verdicts);
}

}  // namespace parallax
