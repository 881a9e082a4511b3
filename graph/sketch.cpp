#include "graph/sketch.h"

#include <algorithm>
#include <unordered_set>

#include "graph/builder.h"
#include "graph/counts.h"
#include "graph/runs.h"
#include "graph/written_operands.h"
#include "ops/counted_size.h"

namespace parallax {
namespace {

// What the storage or input of that name is fed in a run.
const Tensor& fed(const Sketch& sketch, const std::string& name, std::size_t run) {
  const auto of = [&](const auto& given) -> const Tensor& {
    return run == 0 || given.later.empty() ? given.data : given.later[run - 1];
  };
  const auto storage = std::ranges::find(sketch.storages, name, &Sketch::DeclaredStorage::name);
  if (storage != sketch.storages.end()) return of(*storage);
  const auto source = std::ranges::find(sketch.sources, name, &Sketch::GivenValue::name);
  PARALLAX_CHECK(source != sketch.sources.end());
  return of(*source);
}

// Elements of another dtype, as a pass made it of the source's; what is not of the same kind stays as it is.
Tensor cast_to(DType dtype, const Tensor& tensor) {
  if (tensor.dtype == dtype || !is_floating(dtype)) return tensor;
  Tensor cast(dtype, tensor.sizes);
  for (int64_t i = 0; i < cast.numel(); ++i) cast.set_double(i, tensor.get_double(i));
  return cast;
}

std::vector<Tensor> feed_of(const Sketch& sketch, const Graph& graph, std::size_t run) {
  std::vector<Tensor> feed;
  for (const FeedSlot& slot : feed_slots(graph)) {
    const Tensor data = cast_to(slot.dtype, fed(sketch, slot.name, run));
    // One of other sizes is for check_runs to refuse.
    feed.push_back(data.sizes == slot.layout.sizes ? settled(data, slot.layout) : data);
  }
  return feed;
}

class Assembler {
 public:
  Assembler(const Sketch& sketch, const ArgumentChoices& choices)
      : sketch_(sketch), choices_(choices), values_(sketch.stand_ins.size()) {}

  std::optional<Case> run(const Case& base) {
    if (sketch_.outputs.empty() || !add_sources()) return std::nullopt;
    for (const Sketch::CallSketch& node : sketch_.nodes) {
      if (!add_node(node)) return std::nullopt;
    }
    for (ValueId output : sketch_.outputs) {
      const ValueId value = new_value(output);
      if (!value.valid()) return std::nullopt;
      builder_.add_output(value);
    }
    Case test;
    test.name = base.name;
    test.origin = base.origin;
    test.file = base.file;
    test.graph = builder_.take();
    test.feed = feed_of(sketch_, test.graph, 0);
    if (!add_methods(test) || !add_runs(test)) return std::nullopt;
    test.gradient = gradient(test.graph);
    return test;
  }

 private:
  // The methods over what has become of the buffers; false where one does not infer on them.
  bool add_methods(Case& test) const {
    for (const Method& method : sketch_.methods) {
      std::optional<Graph> moved = on_buffers(method.graph, test.graph);
      if (!moved) return false;
      test.methods.push_back({method.name, *std::move(moved)});
    }
    return true;
  }

  // A method's graph with the buffers of another graph in the place of its own; nothing where that is no graph.
  std::optional<Graph> on_buffers(const Graph& method, const Graph& graph) const {
    Case alone;
    alone.graph = method;
    for (const FeedSlot& slot : feed_slots(method)) alone.feed.emplace_back(slot.dtype, slot.layout.sizes);
    Sketch sketch = take_apart(alone);
    const std::size_t first_buffer = method.sources.size() - sketch_.shared.size();
    std::vector<Sketch::GivenValue> own = std::move(sketch.sources);
    sketch.sources.assign(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(first_buffer));
    for (const Source& source : graph.sources) {
      if (source.kind != SourceKind::Buffer) continue;
      const TensorMeta& meta = graph.meta(source.value);
      const auto was =
          std::ranges::find(sketch_.shared, source.value, [this](ValueId old) { return values_[old.index]; });
      // One that was not there before is of no method's concern, and yet all have it.
      ValueId value(sketch.stand_ins.size());
      if (was != sketch_.shared.end()) {
        value = own[first_buffer + static_cast<std::size_t>(was - sketch_.shared.begin())].value;
      } else {
        sketch.stand_ins.push_back(value);
      }
      sketch.sources.push_back(
          {source.kind, value, graph.name(source.value), meta.dtype, meta.layout, source.data, std::nullopt});
      if (!source.window) continue;
      sketch.sources.back().storage = place_of(graph.storage(meta.storage), sketch);
      if (!sketch.sources.back().storage) return std::nullopt;
    }
    keep_apart(sketch, first_buffer);
    const ArgumentChoices none;
    std::optional<Case> moved = Assembler(sketch, none).run(alone);
    if (!moved) return std::nullopt;
    return std::move(moved->graph);
  }

  // The place of a declared storage of state in a sketch, which takes it up; nothing where an input's has that name.
  static std::optional<std::size_t> place_of(const Storage& storage, Sketch& sketch) {
    const auto known = std::ranges::find(sketch.storages, storage.name, &Sketch::DeclaredStorage::name);
    const auto place = static_cast<std::size_t>(known - sketch.storages.begin());
    const Sketch::DeclaredStorage declared{storage.name, storage.sizes, storage.dtype, true, *storage.data, {}};
    if (known == sketch.storages.end()) {
      sketch.storages.push_back(declared);
    } else if (known->state) {
      *known = declared;
    } else {
      return std::nullopt;
    }
    return place;
  }

  // Gives what a method calls as a buffer is called now another name.
  static void keep_apart(Sketch& sketch, std::size_t first_buffer) {
    std::unordered_set<std::string> taken;
    for (const Sketch::DeclaredStorage& storage : sketch.storages) taken.insert(storage.name);
    for (std::size_t i = first_buffer; i < sketch.sources.size(); ++i) taken.insert(sketch.sources[i].name);
    const auto claim = [&](std::string& name) {
      while (!name.empty() && !taken.insert(name).second) name += '_';
    };
    for (std::size_t i = 0; i < first_buffer; ++i) claim(sketch.sources[i].name);
    for (Sketch::CallSketch& node : sketch.nodes) {
      const bool is_list = node.op->schema.has_list_result();
      claim(node.name);
      for (std::string& name : node.result_names) is_list ? claim(name) : void(name = node.name);
    }
  }

  // The symbols whose inputs are still there, and the later runs; false where the case cannot be run at their sizes.
  bool add_runs(Case& test) const {
    std::vector<std::optional<std::size_t>> kept(sketch_.symbols.size());
    for (std::size_t i = 0; i < test.graph.sources.size(); ++i) {
      for (const SymbolicDim& dim : symbols_of(test.graph.sources[i].value)) {
        std::optional<std::size_t>& symbol = kept[dim.of.symbol];
        if (!symbol) {
          symbol = test.symbols.list.size();
          test.symbols.list.push_back(sketch_.symbols[dim.of.symbol]);
        }
        test.symbols.dims.push_back({i, dim.dim, {*symbol, dim.of.factor, dim.of.offset}});
        if (dim.dim >= test.graph.meta(test.graph.sources[i].value).layout.rank()) return false;
      }
    }
    SymbolSizes first = sizes_of(test.graph, test.symbols);
    keep_counts(test, kept, first);
    add_numbers(kept, first, test);
    if (!has_sizes(test.graph, test.symbols, first) || !at_sizes(test.graph, test.symbols, first)) return false;
    for (std::size_t run = 0; run < sketch_.later.size(); ++run) {
      LaterRun& later = test.later.emplace_back();
      later.instance = sketch_.instances[run];
      later.method = sketch_.called.empty() ? 0 : sketch_.called[run];
      if (later.method != 0) {
        later.feed = sketch_.fed[run];
        continue;
      }
      later.sizes.resize(test.symbols.list.size());
      for (std::size_t s = 0; s < kept.size(); ++s) {
        if (kept[s]) later.sizes[*kept[s]] = sketch_.later[run][s];
      }
      const Result<Graph> resized = at_sizes(test.graph, test.symbols, later.sizes);
      if (!resized) return false;
      later.feed = feed_of(sketch_, *resized, run + 1);
    }
    return check_runs(test).has_value();
  }

  // The symbols that calls which are still there have for a count.
  void keep_counts(Case& test, std::vector<std::optional<std::size_t>>& kept, SymbolSizes& first) const {
    for (std::size_t n = 0; n < sketch_.nodes.size(); ++n) {
      const Node& node = test.graph.nodes[n];
      for (const SymbolicNumber& number : sketch_.nodes[n].numbers) {
        std::optional<std::size_t>& symbol = kept[number.of.symbol];
        if (symbol || !states_count(node) || number.argument != count_place(*node.op)) continue;
        symbol = test.symbols.list.size();
        test.symbols.list.push_back(sketch_.symbols[number.of.symbol]);
        Argument argument = node.arguments[number.argument];
        first.push_back(*integer_in(argument, 0));
      }
    }
  }

  // The numbers in calls that hang on a symbol that is still there. An edit of the argument makes it a plain number.
  void add_numbers(const std::vector<std::optional<std::size_t>>& kept, const SymbolSizes& sizes, Case& test) const {
    for (std::size_t n = 0; n < sketch_.nodes.size(); ++n) {
      for (const SymbolicNumber& number : sketch_.nodes[n].numbers) {
        const std::optional<std::size_t> symbol = kept[number.of.symbol];
        if (!symbol || number.argument >= test.graph.nodes[n].arguments.size()) continue;
        Argument argument = test.graph.nodes[n].arguments[number.argument];
        const int64_t* integer = integer_in(argument, number.place);
        const Relation of{*symbol, number.of.factor, number.of.offset};
        if (integer && *integer == of.at(sizes[*symbol]))
          test.symbols.numbers.push_back({n, number.argument, number.place, of});
      }
    }
  }

  const std::vector<SymbolicDim>& symbols_of(ValueId value) const {
    static const std::vector<SymbolicDim> none;
    const auto source = std::ranges::find_if(
        sketch_.sources, [&](const Sketch::GivenValue& given) { return values_[given.value.index] == value; });
    return source == sketch_.sources.end() ? none : source->symbols;
  }

  ValueId new_value(ValueId old) const { return values_[sketch_.resolve(old).index]; }

  bool add_sources() {
    std::vector<std::optional<StorageId>> storages(sketch_.storages.size());
    for (const Sketch::GivenValue& source : sketch_.sources) {
      Result<ValueId> value = fail("");
      if (source.storage) {
        std::optional<StorageId>& storage = storages[*source.storage];
        if (!storage) {
          const Sketch::DeclaredStorage& declared = sketch_.storages[*source.storage];
          const auto added = builder_.add_storage(declared.name, declared.dtype, declared.sizes,
                                                  declared.state ? std::optional(declared.data) : std::nullopt);
          if (!added) return false;
          storage = *added;
        }
        value = builder_.add_window(source.kind, source.name, source.dtype, source.layout, *storage);
      } else {
        Tensor data = source.kind == SourceKind::Input ? Tensor() : settled(source.data, source.layout);
        value = builder_.add_source(source.kind, source.name, source.dtype, source.layout, std::move(data));
      }
      if (!value) return false;
      values_[source.value.index] = *value;
    }
    return true;
  }

  // What is left of the gradients that were asked for.
  std::optional<GradientRequest> gradient(const Graph& graph) const {
    GradientRequest request;
    for (const ValueId wanted : sketch_.wrt) {
      for (const Source& source : graph.sources) {
        if (source.value == values_[wanted.index] && is_differentiable(graph, source)) {
          request.wrt.push_back(graph.name(source.value));
        }
      }
    }
    bool any = false;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      request.cotangents.push_back(cotangent(sketch_.outputs[i], graph.meta(graph.outputs[i])));
      any |= request.cotangents.back().has_value();
    }
    if (request.wrt.empty() || !any) return std::nullopt;
    return request;
  }

  std::optional<Tensor> cotangent(ValueId output, const TensorMeta& meta) const {
    for (const auto& [of, tensor] : sketch_.cotangents) {
      if (sketch_.resolve(of) != sketch_.resolve(output) || !is_floating(meta.dtype)) continue;
      if (tensor.dtype == meta.dtype && tensor.sizes == meta.layout.sizes) return tensor;
      Tensor ones(meta.dtype, meta.layout.sizes);
      for (int64_t i = 0; i < ones.numel(); ++i) ones.set_double(i, 1);
      return ones;
    }
    return std::nullopt;
  }

  bool add_node(const Sketch::CallSketch& node) {
    std::vector<Argument> mapped = node.arguments;
    bool known = true;
    for (Argument& argument : mapped) {
      for_each_value(argument, [&](ValueId& value) {
        value = new_value(value);
        known = known && value.valid();
        if (value.valid()) value = builder_.current(value);
      });
    }
    if (!known) return false;
    if (!choices_) return try_call(node, std::move(mapped));
    for (std::vector<Argument>& arguments : choices_(node, mapped, builder_.graph(), values_)) {
      if (try_call(node, std::move(arguments))) return true;
    }
    return false;
  }

  bool try_call(const Sketch::CallSketch& node, std::vector<Argument> arguments) {
    const auto results = builder_.add_node(*node.op, std::move(arguments), node.name, node.result_names);
    if (!results) return false;
    for (std::size_t k = 0; k < std::min(results->size(), node.results.size()); ++k)
      values_[node.results[k].index] = (*results)[k];
    return true;
  }

  const Sketch& sketch_;
  const ArgumentChoices& choices_;
  GraphBuilder builder_;
  std::vector<ValueId> values_;  // new ids by the sketch's
};

// What a slot is fed in each run.
template <class Given>
void give(const Case& test, std::size_t slot, Given& given) {
  given.data = test.feed[slot];
  for (const LaterRun& run : test.later) given.later.push_back(run.method == 0 ? run.feed[slot] : test.feed[slot]);
}

}  // namespace

ValueId Sketch::resolve(ValueId value) const {
  while (stand_ins[value.index] != value) value = stand_ins[value.index];
  return value;
}

Sketch take_apart(const Case& test) {
  const Graph& graph = test.graph;
  Sketch sketch;
  std::vector<std::size_t> place(graph.storages.size(), 0);
  for (std::size_t i = 0; i < graph.storages.size(); ++i) {
    const Storage& storage = graph.storages[i];
    if (storage.name.empty()) continue;
    place[i] = sketch.storages.size();
    sketch.storages.push_back(
        {storage.name, storage.sizes, storage.dtype, storage.data.has_value(), storage.data.value_or(Tensor()), {}});
  }
  for (const Source& source : graph.sources) {
    const TensorMeta& meta = graph.meta(source.value);
    sketch.sources.push_back({source.kind, source.value, graph.name(source.value), meta.dtype, meta.layout, source.data,
                              source.window ? std::optional(place[meta.storage.index]) : std::nullopt});
  }
  const std::vector<FeedSlot> slots = feed_slots(graph);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (Sketch::DeclaredStorage& storage : sketch.storages) {
      if (storage.name == slots[i].name) give(test, i, storage);
    }
    for (Sketch::GivenValue& source : sketch.sources) {
      if (source.name == slots[i].name) give(test, i, source);
    }
  }
  sketch.methods = test.methods;
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Buffer && !test.methods.empty()) sketch.shared.push_back(source.value);
  }
  sketch.symbols = test.symbols.list;
  for (const SymbolicDim& dim : test.symbols.dims) sketch.sources[dim.source].symbols.push_back(dim);
  for (const LaterRun& run : test.later) {
    sketch.later.push_back(run.sizes);
    sketch.instances.push_back(run.instance);
    sketch.called.push_back(run.method);
    sketch.fed.push_back(run.method == 0 ? std::vector<Tensor>() : run.feed);
  }
  const auto numbers_of = [&](std::size_t n) {
    std::vector<SymbolicNumber> numbers;
    std::ranges::copy_if(test.symbols.numbers, std::back_inserter(numbers),
                         [&](const SymbolicNumber& number) { return number.node == n; });
    return numbers;
  };
  for (const Node& node : graph.nodes) {
    Sketch::CallSketch call{node.op, node.name, node.arguments, node.results, {}};
    for (ValueId result : node.results) call.result_names.push_back(graph.name(result));
    call.numbers = numbers_of(sketch.nodes.size());
    sketch.nodes.push_back(std::move(call));
  }
  sketch.outputs = graph.outputs;
  if (test.gradient) {
    for (const Source& source : graph.sources) {
      if (std::ranges::find(test.gradient->wrt, graph.name(source.value)) != test.gradient->wrt.end()) {
        sketch.wrt.push_back(source.value);
      }
    }
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      if (const auto& given = test.gradient->cotangents[i]) sketch.cotangents.emplace_back(graph.outputs[i], *given);
    }
  }
  for (std::size_t i = 0; i < graph.metas.size(); ++i) sketch.stand_ins.push_back(ValueId(i));
  return sketch;
}

std::optional<Case> put_together(const Sketch& sketch, const Case& base, const ArgumentChoices& choices) {
  return Assembler(sketch, choices).run(base);
}

Case without_dead_nodes(const Case& test) {
  const Graph& graph = test.graph;
  std::vector<bool> needed(graph.metas.size(), false);
  std::vector<bool> live_storage(graph.storages.size(), false);
  const auto need = [&](ValueId value) {
    needed[value.index] = true;
    live_storage[graph.meta(value).storage.index] = true;
  };
  for (const Source& source : graph.sources) live_storage[graph.meta(source.value).storage.index] = true;
  for (ValueId output : graph.outputs) need(output);

  Sketch sketch = take_apart(test);
  std::vector<Sketch::CallSketch> kept;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    bool live = std::ranges::any_of(node.results, [&](ValueId result) { return needed[result.index]; });
    for_each_written(node, [&](ValueId value) { live = live || live_storage[graph.meta(value).storage.index]; });
    if (!live) continue;
    for (const Argument& argument : node.arguments) for_each_value(argument, need);
    kept.push_back(std::move(sketch.nodes[n]));
  }
  std::reverse(kept.begin(), kept.end());
  sketch.nodes = std::move(kept);
  std::optional<Case> result = put_together(sketch, test);
  PARALLAX_CHECK(result.has_value());
  return *std::move(result);
}

}  // namespace parallax
