#include "graph/graph_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/nearest_name.h"
#include "graph/argument_json.h"
#include "graph/builder.h"
#include "graph/control_reader.h"
#include "graph/graph_names.h"
#include "graph/layout_json.h"
#include "ops/counted_size.h"
#include "ops/registry.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

template <class T>
Result<T> located(const Field& field, Result<T> result) {
  if (!result) return at(field.pointer(), std::move(result).error());
  return result;
}

// The part of an op's name that people say: "neg" of "aten.neg.default".
std::string said_name(std::string_view name) {
  const std::size_t first = name.find('.');
  if (first == std::string_view::npos) return std::string(name);
  return std::string(name.substr(first + 1, name.rfind('.') - first - 1));
}

// "; did you mean 'aten.neg.default'?", or nothing.
std::string meant_op(std::string_view name) {
  std::vector<std::string> said;
  for (const Op& op : all_ops()) said.push_back(said_name(op.name));
  const std::string_view nearest = nearest_name(said_name(name), said);
  if (nearest.empty()) return "";
  const auto place = std::ranges::find(said, nearest) - said.begin();
  return fmt::format("; did you mean '{}'?", all_ops()[static_cast<std::size_t>(place)].name);
}

// Whether a name has the form of an overload of a library whose ops a case may name: then it is one that this version
// lacks, else no op at all.
bool is_overload(std::string_view name) {
  const std::size_t library = name.find('.');
  if (library == std::string_view::npos) return false;
  if (name.substr(0, library) != "aten" && name.substr(0, library) != "quantized_decomposed") return false;
  name.remove_prefix(library + 1);
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && is_identifier(name.substr(0, dot)) && is_identifier(name.substr(dot + 1));
}

class GraphReader {
 public:
  GraphReader(std::optional<Field> feed, const NamedSize& named, std::vector<NumberText>* numbers,
              SubgraphLibrary& library)
      : feed_(std::move(feed)), named_(named), numbers_(numbers), library_(library) {}

  Result<Graph> read(const Field& graph) {
    TRY(names_, gather_names(graph));
    TRY_VOID(read_storages(graph));
    for (int kind = 0; kind < 3; ++kind) TRY_VOID(read_sources(graph, static_cast<SourceKind>(kind)));
    TRY(Field nodes, graph.need("nodes"));
    for (std::size_t i = 0; i < nodes.json().size(); ++i) TRY_VOID(read_node(nodes.element(i)));
    TRY_VOID(read_outputs(graph));
    return builder_.take();
  }

  Result<Subgraph> read_subgraph(const Field& graph) {
    is_subgraph_ = true;
    TRY(Graph read_graph, read(graph));
    return Subgraph{"", std::make_shared<const Graph>(std::move(read_graph)), std::move(nones_)};
  }

 private:
  Result<TensorType> read_type(const Field& entry, const NamedSize& named) {
    TRY(Field type, entry.need("type"));
    TRY(std::string text, type.text());
    return located(type, parse_type(text, named));
  }

  // For all but inputs: what is there before a run begins has one size in all of them.
  NamedSize no_symbols() const {
    if (!named_) return nullptr;
    return [](std::string_view name, int) -> Result<int64_t> {
      return fail("'{}': only an input's type may have symbols", name);
    };
  }

  Result<void> read_storages(const Field& graph) {
    const auto section = graph.find("storages");
    if (!section) return {};
    return for_each_member(*section, [&](const std::string& name, const Field& entry) -> Result<void> {
      TRY(TensorType type, read_type(entry, no_symbols()));
      std::optional<Tensor> data;
      if (const auto field = entry.find("data")) {
        TRY(data, read_tensor(*field, type));
      }
      TRY(StorageId id, located(entry, builder_.add_storage(name, type.dtype, type.sizes, std::move(data))));
      storages_.emplace(name, id);
      return {};
    });
  }

  Result<void> read_sources(const Field& graph, SourceKind kind) {
    const auto section = graph.find(source_sections[static_cast<std::size_t>(kind)]);
    if (!section) return {};
    return for_each_member(*section, [&](const std::string& name, const Field& entry) -> Result<void> {
      TRY(TensorType type, read_type(entry, kind == SourceKind::Input ? named_ : no_symbols()));
      TRY(Layout layout, read_layout(entry, type.sizes));
      TRY(ValueId value, entry.find("storage") ? read_window(kind, name, entry, type, layout)
                                               : read_owner(kind, name, entry, type, layout));
      values_.emplace(name, value);
      return {};
    });
  }

  Result<ValueId> read_window(SourceKind kind, const std::string& name, const Field& entry, const TensorType& type,
                              const Layout& layout) {
    TRY(Field field, entry.need("storage"));
    TRY(std::string storage, field.text());
    const auto found = storages_.find(storage);
    if (found == storages_.end()) return field.fail("no storage is named '{}'", storage);
    if (const auto data = entry.find("data"))
      return data->fail("a window has no data of its own; give it to '{}'", storage);
    return located(entry, builder_.add_window(kind, name, type.dtype, layout, found->second));
  }

  Result<ValueId> read_owner(SourceKind kind, const std::string& name, const Field& entry, const TensorType& type,
                             const Layout& layout) {
    if (const auto offset = entry.find("offset"); offset && layout.offset != 0) {
      return offset->fail("an offset needs a \"storage\"");
    }
    Tensor data;
    if (kind != SourceKind::Input) {
      TRY(Field field, entry.need("data"));
      TRY(data, read_placed_tensor(field, type, layout));
    } else if (const auto field = entry.find("data")) {
      return field->fail("an input has no data; \"feed\" gives it");
    }
    return located(entry, builder_.add_source(kind, name, type.dtype, layout, std::move(data)));
  }

  Result<Reference> resolve(const Field& field) const {
    TRY(std::string text, field.text());
    if (!text.starts_with('%')) return field.fail("'{}' is not a value; a value is written \"%name\"", text);
    const std::string name = text.substr(1);
    if (const auto value = values_.find(name); value != values_.end()) return Reference(value->second);
    if (const auto list = lists_.find(name); list != lists_.end()) return Reference(list->second);
    if (storages_.contains(name)) return field.fail("'{}' is a storage, not a value", name);
    if (names_.all.contains(name)) return field.fail("'{}' is used before its definition", name);
    return field.fail("no value is named '{}'", name);
  }

  // The elements that a constant or input has when the graph starts, as long as nothing has been written. A feed that
  // cannot be read is unknown here: the error is the feed reader's.
  const Tensor* known_elements(ValueId value) {
    const Graph& graph = builder_.graph();
    if (value.index >= graph.sources.size()) return nullptr;
    if (std::ranges::any_of(graph.nodes, [](const Node& node) { return node.op->writes(); })) return nullptr;
    const TensorMeta& meta = graph.meta(value);
    const Source& source = graph.sources[value.index];
    if (source.window) return nullptr;
    if (source.kind != SourceKind::Input) return &source.data;
    const auto [found, is_new] = fed_.try_emplace(value.index);
    if (is_new && feed_) {
      const TensorType type{meta.dtype, meta.layout.sizes, meta.layout.numel()};
      if (const auto data = feed_->json().is_object() ? feed_->find(graph.name(value)) : std::nullopt) {
        if (auto tensor = read_placed_tensor(data_of(*data), type, meta.layout)) found->second = *std::move(tensor);
      }
    }
    return found->second ? &*found->second : nullptr;
  }

  Result<void> read_node(const Field& node) {
    TRY(Field out, node.need("out"));
    TRY(std::string name, out.text());
    TRY(Field op_field, node.need("op"));
    TRY(std::string op_name, op_field.text());
    if (op_name == "getitem") return read_getitem(node, name);
    if (const auto kind = parse_control_kind(op_name)) return read_control(node, name, *kind);
    const Op* op = find_op(op_name);
    if (!op) {
      if (is_overload(op_name)) return op_field.unsupported("unknown op '{}'{}", op_name, meant_op(op_name));
      return op_field.fail("unknown op '{}'{}", op_name, meant_op(op_name));
    }
    TRY(std::vector<Argument> arguments, read_arguments(node, *op));
    TRY_VOID(read_count(node, *op, arguments));
    if (op->complete) op->complete(arguments, [this](ValueId value) { return known_elements(value); });
    return add_call(node, *op, name, std::move(arguments));
  }

  // "count": how many there are, where data decide it; a number or a symbol.
  Result<void> read_count(const Field& node, const Op& op, std::vector<Argument>& arguments) {
    const auto count = node.find("count");
    if (!count) return {};
    if (!has_counted_size(op)) return count->fail("no size of {} hangs on its data", op.name);
    const std::size_t place = count_place(op);
    if (!count->json().is_string()) {
      TRY(const int64_t number, count->integer());
      arguments[place] = integer_argument(number);
      return {};
    }
    TRY(const std::string text, count->text());
    Result<int64_t> number = named_ ? named_(text, 0) : Result<int64_t>(fail("the case has no symbol '{}'", text));
    if (!number) return at(count->pointer(), std::move(number).error());
    if (numbers_) numbers_->push_back({builder_.graph().nodes.size(), place, 0, text});
    arguments[place] = integer_argument(*number);
    return {};
  }

  Result<void> read_control(const Field& node, const std::string& name, ControlKind kind) {
    TRY(ControlCall call,
        read_control_call(node, kind, library_, [this](const Field& field) { return resolve(field); }));
    return add_call(node, *call.op, name, std::move(call.arguments));
  }

  Result<void> add_call(const Field& node, const Op& op, const std::string& name, std::vector<Argument> arguments) {
    TRY(std::vector<std::string> result_names, element_names(node, op, name, arguments));
    TRY(std::vector<ValueId> results,
        located(node, builder_.add_node(op, std::move(arguments), name, std::move(result_names))));
    if (op.schema.has_list_result()) {
      lists_.emplace(name, with_nones(op, results));
    } else {
      values_.emplace(name, results.front());
    }
    return {};
  }

  // What a call returns, with values that are invalid in place of None.
  static ValueList with_nones(const Op& op, const std::vector<ValueId>& results) {
    const ControlOp* control = as_control(op);
    if (!control) return results;
    ValueList list(results.size() + control->parts.subgraphs.back().nones.size());
    for (std::size_t k = 0; k < results.size(); ++k) list[control->place_of(k)] = results[k];
    return list;
  }

  // An argument whose numbers may hang on symbols: those are what they are in the first run.
  Result<Argument> read_one(const Field& field, const Parameter& parameter, std::size_t index,
                            const ResolveReference& resolver) const {
    if (parameter.kind == ArgKind::String || !numbers_) return read_argument(field, parameter, resolver);
    Json plain = field.json();
    bool changed = false;
    const auto settle = [&](Json& json, const Field& of, std::size_t place) -> Result<void> {
      if (!json.is_string() || !json.get_ref<const std::string&>().starts_with('$')) return {};
      if (!plain.is_array() && parameter.kind != ArgKind::Int && parameter.kind != ArgKind::Scalar)
        return of.fail("'{}' stands for an integer or in a list of integers", json.get<std::string>());
      const std::string text = json.get<std::string>().substr(1);
      Result<int64_t> number = named_ ? named_(text, 0) : Result<int64_t>(fail("the case has no \"symbols\""));
      if (!number) return at(of.pointer(), std::move(number).error());
      numbers_->push_back({builder_.graph().nodes.size(), index, place, text});
      json = *number;
      changed = true;
      return {};
    };
    if (plain.is_array()) {
      for (std::size_t i = 0; i < plain.size(); ++i) TRY_VOID(settle(plain[i], field.element(i), i));
    } else {
      TRY_VOID(settle(plain, field, 0));
    }
    return read_argument(changed ? Field(plain, field.pointer()) : field, parameter, resolver);
  }

  Result<std::vector<Argument>> read_arguments(const Field& node, const Op& op) const {
    const ResolveReference resolver = [this](const Field& field) { return resolve(field); };
    const std::vector<Parameter>& parameters = op.schema.parameters;
    std::vector<Argument> positional;
    if (const auto args = node.find("args")) {
      TRY_VOID(args->expect_array());
      for (std::size_t i = 0; i < args->json().size(); ++i) {
        const Field field = args->element(i);
        if (i == parameters.size() || parameters[i].keyword_only) {
          return field.fail("{} takes at most {} positional arguments, got {}", op.name, i, args->json().size());
        }
        TRY(Argument argument, read_one(field, parameters[i], i, resolver));
        positional.push_back(std::move(argument));
      }
    }
    std::vector<std::pair<std::string, Argument>> named;
    if (const auto kwargs = node.find("kwargs")) {
      TRY_VOID(kwargs->expect_object());
      TRY_VOID(for_each_member(*kwargs, [&](const std::string& name, const Field& field) -> Result<void> {
        const int index = name == count_parameter ? -1 : op.schema.index_of(name);
        if (index < 0) return field.fail("{} has no argument '{}'", op.name, name);
        if (static_cast<std::size_t>(index) < positional.size()) {
          return field.fail("{}: argument '{}' is given twice", op.name, name);
        }
        const auto place = static_cast<std::size_t>(index);
        TRY(Argument argument, read_one(field, parameters[place], place, resolver));
        named.emplace_back(name, std::move(argument));
        return {};
      }));
    }
    return located(node, bind_arguments(op, std::move(positional), std::move(named)));
  }

  // Names for the elements of a list result, as many as it has: the builder would make up names that later nodes claim.
  Result<std::vector<std::string>> element_names(const Field& node, const Op& op, const std::string& name,
                                                 std::vector<Argument> arguments) {
    std::vector<std::string> element_names;
    if (!op.schema.has_list_result()) return element_names;
    for (Argument& argument : arguments) {
      for_each_value(argument, [&](ValueId& value) { value = builder_.current(value); });
    }
    TRY(std::vector<ResultMeta> results, located(node, op.infer(Call(op, arguments, builder_.graph().metas))));
    const auto& given = names_.elements[name];
    for (std::size_t k = 0; k < results.size(); ++k) {
      const auto index = static_cast<int64_t>(place_in_list(op, k));
      const auto found = given.find(index);
      element_names.push_back(found != given.end() ? found->second : names_.element_name(name, index));
    }
    return element_names;
  }

  Result<void> read_getitem(const Field& node, const std::string& name) {
    TRY(Field args, node.need("args"));
    TRY_VOID(args.expect_array());
    if (args.json().size() != 2)
      return args.fail("getitem takes a list and an index, got {} arguments", args.json().size());
    if (const auto kwargs = node.find("kwargs"); kwargs && !kwargs->json().empty()) {
      return kwargs->fail("getitem takes no keyword arguments");
    }
    TRY(Reference reference, resolve(args.element(0)));
    const auto* list = std::get_if<ValueList>(&reference);
    if (!list) return args.element(0).fail("getitem takes an element of a list; this is a tensor");
    const Field index_field = args.element(1);
    TRY(int64_t index, index_field.integer());
    if (index < 0) return index_field.fail("index {} is negative", index);
    if (index >= static_cast<int64_t>(list->size())) {
      return index_field.fail("index {} is out of range: the list has {} elements", index, list->size());
    }
    const ValueId element = (*list)[static_cast<std::size_t>(index)];
    if (!element.valid()) return index_field.fail("element {} is None", index);
    values_.emplace(name, element);
    return {};
  }

  Result<void> read_outputs(const Field& graph) {
    TRY(Field outputs, graph.need("outputs"));
    TRY_VOID(outputs.expect_array());
    for (std::size_t i = 0; i < outputs.json().size(); ++i) {
      const Field field = outputs.element(i);
      if (is_subgraph_ && field.json().is_null()) {
        nones_.push_back(i);
        continue;
      }
      TRY(Reference reference, resolve(field));
      const auto* value = std::get_if<ValueId>(&reference);
      if (!value) return field.fail("{} is a list; return its elements", field.json().get<std::string>());
      builder_.add_output(*value);
    }
    return {};
  }

  std::optional<Field> feed_;
  NamedSize named_;
  std::vector<NumberText>* numbers_ = nullptr;
  SubgraphLibrary& library_;
  std::unordered_map<std::size_t, std::optional<Tensor>> fed_;  // by value, what was looked up
  bool is_subgraph_ = false;
  std::vector<std::size_t> nones_;  // of a subgraph's outputs
  GraphBuilder builder_;
  GraphNames names_;
  std::unordered_map<std::string, ValueId> values_;
  std::unordered_map<std::string, ValueList> lists_;
  std::unordered_map<std::string, StorageId> storages_;
};

}  // namespace

Result<Graph> read_graph(const Field& graph, std::optional<Field> feed, const NamedSize& named,
                         std::vector<NumberText>* numbers) {
  const auto read_subgraph = [](const Field& subgraph, SubgraphLibrary& library) {
    return GraphReader(std::nullopt, nullptr, nullptr, library).read_subgraph(subgraph);
  };
  SubgraphLibrary library(graph.json().is_object() ? graph.find("subgraphs") : std::nullopt, read_subgraph);
  TRY(Graph result, GraphReader(std::move(feed), named, numbers, library).read(graph));
  TRY_VOID(library.read_all());
  return result;
}

Field data_of(const Field& entry) {
  const auto data = entry.json().is_object() && entry.find("type") ? entry.find("data") : std::nullopt;
  return data.value_or(entry);
}

}  // namespace parallax
