#include "fuzz/generate/generate.h"

#include <algorithm>
#include <array>

#include "fuzz/generate/altered_call.h"
#include "fuzz/generate/around.h"
#include "fuzz/generate/control_structures.h"
#include "fuzz/generate/counted_part.h"
#include "fuzz/generate/domains.h"
#include "fuzz/generate/draw_data.h"
#include "fuzz/generate/draw_method.h"
#include "fuzz/generate/draw_outputs.h"
#include "fuzz/generate/draw_sources.h"
#include "fuzz/generate/draw_symbols.h"
#include "fuzz/generate/drawn_runs.h"
#include "fuzz/generate/motifs.h"
#include "fuzz/generate/pool.h"
#include "fuzz/generate/siblings.h"
#include "fuzz/generate/single_op.h"
#include "fuzz/generate/structures.h"
#include "fuzz/generate/weights.h"
#include "fuzz/generate/work.h"
#include "graph/builder.h"
#include "graph/written_operands.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// Draws for one node before it is given up; from `wide_attempt` on the whole pool is offered.
constexpr int node_attempts = 24;
constexpr int wide_attempt = 8;
// Sources and further results of nodes, beyond one value for each node.
constexpr std::size_t usual_extra_values = 8;
// Percentage of the nodes that are calls for a delegate, where a target has one: parts of a graph that fall back
// between others are where partitioning goes wrong, so that it is not all of them.
constexpr int delegated_calls = 50;

// Around a model: percentages of its nodes that a drawn one comes before, that become another op of their kind, and of
// their operands that become another value of their type.
constexpr int drawn_before = 40;
constexpr int swapped_ops = 10;
constexpr int swapped_operands = 8;

// Percentage of the draws of an op that mostly leaves its results open that are given up.
constexpr int dropped_open = 90;

// Percentage of the functions with a domain whose operand is led into it where a target may lose NaN: everything behind
// a NaN is open there.
constexpr int guarded_where_nan_is_lost = 85;

// Calls of a subgraph, and how deep subgraphs are nested.
constexpr int64_t most_inner_nodes = 5;
constexpr int most_levels = 2;
// Calls of a method beside the graph.
constexpr int64_t most_method_nodes = 8;

class Generator {
 public:
  Generator(Choices& choices, const GenerateOptions& options)
      : choices_(choices),
        weights_(options.weights ? *options.weights : weights_of(options.profile)),
        words_(options.words ? *options.words : Vocabulary::all()),
        groups_(words_.usable(weights_.groups)),
        structures_(words_.control_kinds()) {
    const auto most_nodes = static_cast<std::size_t>(std::max(options.min_nodes, options.max_nodes));
    builder_.reserve(most_nodes, most_nodes + usual_extra_values);
    pool_.reserve(most_nodes + usual_extra_values);
    if (options.around && grow_around(*options.around, options)) return;
    draw_sources(choices_, weights_, words_, builder_, pool_);
    std::optional<ProposedCall> first;
    if (weights_.op_first > 0 && choices_.chance(weights_.op_first)) first = draw_with_inputs();
    if (!first && weights_.symbols > 0 && words_.several_runs() && choices_.chance(weights_.symbols)) draw_sizes();
    int64_t nodes = draw_count(options);
    if (first && add(*first->op, std::move(first->arguments))) --nodes;
    const bool delegating = !words_.delegated().empty();
    most_nodes_ = options.max_nodes;
    for (left_ = nodes; left_ > 0; --left_) draw_node(delegating ? delegated_calls : 0);
    if (delegating && !holds_delegated_call()) draw_node(100);
    draw_outputs(choices_, weights_.drop_unread, pool_.entries(), builder_);
    // Branches that take turns show nothing in one call.
    const int calls_more = takes_turns_ ? 100 : weights_.more_calls;
    if (calls_more > 0 && words_.several_runs() && symbols_.empty() && choices_.chance(calls_more)) {
      more_calls_ = draw_more_calls(choices_);
      interleaves_ = words_.instances() && choices_.chance(20);
      has_methods_ = weights_.methods > 0 && words_.methods() && choices_.chance(weights_.methods);
    }
  }

  // A method over the buffers of a graph, whose data is drawn later.
  Generator(const Generator& forward, const Graph& graph)
      : choices_(forward.choices_),
        weights_(forward.weights_),
        words_(forward.words_),
        groups_(forward.groups_),
        is_method_(true) {
    draw_method_sources(choices_, words_, graph, builder_, pool_);
    for (int64_t left = choices_.between(1, most_method_nodes); left > 0; --left) draw_node(0);
    draw_outputs(choices_, weights_.drop_unread, pool_.entries(), builder_);
  }

  Graph take_graph() { return builder_.take(); }

  // A subgraph's calls, over inputs of these types.
  Generator(const Generator& caller, const std::vector<TensorMeta>& inputs, const std::vector<bool>& writable,
            ControlKinds structures)
      : choices_(caller.choices_),
        weights_(caller.weights_),
        words_(caller.words_),
        groups_(caller.groups_),
        structures_(structures),
        level_(caller.level_ + 1) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Layout layout{inputs[i].layout.sizes, inputs[i].layout.strides, 0};
      const Result<ValueId> value = builder_.add_source(SourceKind::Input, "", inputs[i].dtype, layout);
      PARALLAX_CHECK(value.has_value());
      pool_.add_source(*value, builder_.graph().meta(*value), !writable[i]);
    }
    for (int64_t left = choices_.between(0, most_inner_nodes); left > 0; --left) draw_node(0);
  }

  DrawnBody take_body() { return {std::move(builder_), std::move(pool_)}; }

  Case take() {
    Case test;
    test.name = "generated";
    test.graph = builder_.take();
    set_runs(test);
    test.later.resize(test.later.size() + more_calls_);
    if (has_methods_) draw_methods(test);
    if (interleaves_) {
      for (LaterRun& run : test.later) run.instance = static_cast<int>(choices_.between(0, 2));
    }
    if (around_model_) {
      redraw_feed(choices_, weights_, test);
    } else {
      draw_data(choices_, weights_, test);
    }
    if (weights_.profile == GenerateProfile::Dynamic) return maybe_with_counted_part(choices_, words_, std::move(test));
    return test;
  }

 private:
  // Methods beside the graph, where it has buffers that they share, and which of them the later calls are of.
  void draw_methods(Case& test) {
    const auto is_buffer = [](const Source& source) { return source.kind == SourceKind::Buffer; };
    if (std::ranges::none_of(test.graph.sources, is_buffer)) return;
    static constexpr std::array<std::string_view, 2> names = {"decode", "update"};
    const auto count = static_cast<std::size_t>(choices_.between(1, static_cast<int64_t>(names.size())));
    for (std::size_t i = 0; i < count; ++i) {
      test.methods.push_back({std::string(names[i]), Generator(*this, test.graph).take_graph()});
    }
    for (LaterRun& run : test.later) run.method = static_cast<std::size_t>(choices_.below(count + 1));
  }

  void draw_sizes() {
    symbols_ = draw_symbols(choices_, builder_.graph());
    if (symbols_.empty()) return;
    runs_ = draw_run_sizes(choices_, symbols_, draw_run_count(choices_));
    ahead_ = SizesAhead(symbols_, runs_, builder_.graph());
  }

  // From the graph at the bound to that of the first run. Where there is none, the case is one run at the bound.
  void set_runs(Case& test) const {
    if (symbols_.empty()) return;
    Result<Graph> first = at_sizes(test.graph, symbols_, runs_.front());
    if (!first) return;
    test.graph = *std::move(first);
    test.symbols = symbols_;
    for (std::size_t run = 1; run < runs_.size(); ++run) test.later.push_back({runs_[run], {}, {}, 0});
  }

  // A part of the model with calls of ours between its nodes, where there is a part that the targets take.
  bool grow_around(const Around& around, const GenerateOptions& options) {
    const int64_t nodes = draw_count(options);
    const auto of_model = static_cast<std::size_t>(choices_.between((nodes + 1) / 2, nodes));
    const std::optional<Case> part = around.draw_part(choices_, of_model, words_);
    if (!part) return false;
    around_model_ = true;
    OperandLimits limits;
    for (const TensorMeta& meta : part->graph.metas) {
      limits.elements = std::max(limits.elements, meta.layout.numel());
      limits.rank = std::max(limits.rank, meta.layout.rank());
    }
    pool_ = Pool(limits);
    std::vector<ValueId> values(part->graph.metas.size());  // by the part's; invalid for what could not be made
    for (const Source& source : part->graph.sources) {
      const TensorMeta& meta = part->graph.meta(source.value);
      values[source.value.index] = add_source(source.kind, part->graph.name(source.value), meta, source.data);
    }
    int64_t left = nodes - static_cast<int64_t>(part->graph.nodes.size());
    for (const Node& node : part->graph.nodes) {
      if (left > 0 && choices_.chance(drawn_before)) draw_node(0), --left;
      add_of_model(part->graph, node, values);
    }
    for (; left > 0; --left) draw_node(0);
    draw_outputs(choices_, weights_.drop_unread, pool_.entries(), builder_);
    return true;
  }

  // A node of a model's part on the values that we have for its operands, or one like it.
  void add_of_model(const Graph& part, const Node& node, std::vector<ValueId>& values) {
    const Choices::Scope scope(choices_, node_span);
    const auto mapped = [&](std::vector<Argument> arguments, bool swaps) -> std::optional<std::vector<Argument>> {
      bool complete = true;
      for (Argument& argument : arguments) {
        for_each_value(argument, [&](ValueId& value) {
          value = values[value.index];
          complete = complete && value.valid();
          if (complete && swaps && choices_.chance(swapped_operands)) value = draw_like(value);
        });
      }
      if (!complete) return std::nullopt;
      return arguments;
    };
    const auto add_call = [&](const Op& op, std::optional<std::vector<Argument>> arguments) {
      if (!arguments || !add(op, *std::move(arguments))) return false;
      const std::vector<ValueId>& made = builder_.graph().nodes.back().results;
      for (std::size_t k = 0; k < std::min(made.size(), node.results.size()); ++k) {
        values[node.results[k].index] = made[k];
      }
      return true;
    };
    if (choices_.chance(swapped_ops)) {
      const std::vector<Sibling> siblings = siblings_of(part, node);
      if (!siblings.empty()) {
        const Sibling& sibling = choices_.pick(siblings);
        std::optional<std::vector<Argument>> arguments = mapped(sibling.arguments, false);
        // What the one op takes as a number the other may want as a tensor.
        const auto bound = arguments ? bind_arguments(*sibling.op, *std::move(arguments)) : fail("no operands");
        if (bound && add_call(*sibling.op, *bound)) return;
      }
    }
    if (!add_call(*node.op, mapped(node.arguments, true))) add_call(*node.op, mapped(node.arguments, false));
  }

  // A source with a storage of its own, for nodes to read and, where the targets take that, to write.
  ValueId add_source(SourceKind kind, std::string name, const TensorMeta& meta, Tensor data = {}) {
    const Result<ValueId> value = builder_.add_source(kind, std::move(name), meta.dtype, meta.layout, std::move(data));
    PARALLAX_CHECK(value.has_value());
    pool_.add_source(*value, builder_.graph().meta(*value), words_.is_read_only(kind));
    ahead_.add_source(builder_.graph().meta(*value));
    return *value;
  }

  // A value of the pool that has the type of this one.
  ValueId draw_like(ValueId value) {
    const Graph& graph = builder_.graph();
    const TensorMeta& wanted = graph.meta(value);
    std::vector<ValueId> alike;
    for (const Pool::Entry& entry : pool_.entries()) {
      const TensorMeta& meta = graph.meta(entry.value);
      if (meta.dtype == wanted.dtype && meta.layout.sizes == wanted.layout.sizes) alike.push_back(entry.value);
    }
    return alike.empty() ? value : choices_.pick(alike);
  }

  // Whether the reference can bear another such call.
  bool is_affordable(const Op& op, const std::vector<Argument>& arguments) {
    const Call call(op, arguments, builder_.graph().metas);
    const auto results = op.infer(call);
    if (!results || results->empty()) return true;
    const double work = work_of(call, results->front().layout);
    if (work > work_left_) return false;
    work_left_ -= work;
    return true;
  }

  // A span of its own, so that a mutation can take a node away or add one (fuzz/generate/tape_mutator.h).
  int64_t draw_count(const GenerateOptions& options) {
    const Choices::Scope scope(choices_, node_count_span);
    return choices_.between(options.min_nodes, std::max(options.min_nodes, options.max_nodes));
  }

  // A call of any op, or, in that many of 100 draws, one that the targets' delegates may take.
  void draw_node(int delegated_share) {
    const Choices::Scope scope(choices_, node_span);
    const bool delegated = delegated_share == 100 || (delegated_share > 0 && choices_.chance(delegated_share));
    if (weights_.structures > 0 && choices_.chance(weights_.structures)) return draw_one_structure();
    if (weights_.control > 0 && level_ < most_levels && structures_.any() && choices_.chance(weights_.control))
      return draw_control_structure();
    if (!delegated && draw_motif()) return;
    for (int attempt = 0; attempt < node_attempts; ++attempt) {
      const Op& op = delegated ? *choices_.pick(words_.delegated())
                               : *choices_.pick(words_.of(static_cast<OpGroup>(choices_.weighted(groups_))));
      if (leaves_open(op) && choices_.chance(dropped_open)) continue;
      if (draw_call(op, delegated, attempt >= wide_attempt)) return;
    }
  }

  // A call of any op at any dtype, on inputs of its own. What needs several tensors that fit, such as an index and what
  // it goes into, seldom finds them among those that are there.
  std::optional<ProposedCall> draw_with_inputs() {
    const Choices::Scope scope(choices_, "first call");
    std::array<uint32_t, op_group_count> ops{};
    for (std::size_t i = 0; i < ops.size(); ++i) {
      ops[i] = static_cast<uint32_t>(words_.of(static_cast<OpGroup>(i)).size());
    }
    const Op& op = *choices_.pick(words_.of(static_cast<OpGroup>(choices_.weighted(ops))));
    const auto dtype = static_cast<DType>(choices_.below(dtype_count));
    const SingleOpPool& pool = SingleOpPool::of(dtype);
    const Graph& tensors = pool.graph();
    std::optional<std::vector<Argument>> arguments = pool.draw(op, choices_);
    if (!arguments || !words_.has(op, dtype) || (op.writes() && words_.is_read_only(SourceKind::Input))) {
      return std::nullopt;
    }
    if (!op.infer(Call(op, *arguments, tensors.metas))) return std::nullopt;
    bool taken = true;
    std::vector<ValueId> inputs(tensors.metas.size());
    for (Argument& argument : *arguments) {
      for_each_value(argument, [&](ValueId& value) {
        ValueId& made = inputs[value.index];
        const TensorMeta& meta = tensors.meta(value);
        taken = taken && words_.dtypes()[static_cast<std::size_t>(meta.dtype)];
        if (taken && !made.valid()) made = add_source(SourceKind::Input, builder_.fresh_name("x"), meta);
        value = made;
      });
    }
    if (!taken) return std::nullopt;
    return ProposedCall{&op, *std::move(arguments)};
  }

  // A structure of f32 or, seldom, a half.
  void draw_one_structure() {
    const Choices::Scope scope(choices_, "structure");
    static constexpr std::array<DType, 4> dtypes = {DType::F32, DType::F16, DType::BF16, DType::F64};
    static constexpr std::array<uint32_t, 4> dtype_weights = {86, 5, 5, 4};
    DType dtype = dtypes[choices_.weighted(dtype_weights)];
    if (!words_.dtypes()[static_cast<std::size_t>(dtype)]) dtype = DType::F32;
    StructureSite site(
        choices_, builder_, dtype,
        [this](const Op& op, std::vector<Argument> arguments) {
          return !writes_read_only(op, arguments) && add(op, std::move(arguments));
        },
        [this](SourceKind kind, DType of, const Dims& sizes) {
          static constexpr std::array<std::string_view, 3> stems = {"x", "c", "s"};
          if (!words_.dtypes()[static_cast<std::size_t>(of)]) return ValueId();
          if (is_method_ && kind == SourceKind::Buffer) {
            if (const auto shared = draw_shared_buffer(choices_, builder_.graph(), of, sizes)) return *shared;
            kind = SourceKind::Input;
          }
          const TensorMeta meta{of, contiguous_layout(sizes), {}};
          Tensor data = kind == SourceKind::Input ? Tensor() : Tensor(of, sizes);
          return add_source(kind, builder_.fresh_name(stems[static_cast<std::size_t>(kind)]), meta, std::move(data));
        },
        words_.flushes());
    draw_structure(weights_.structure_kind, site);
  }

  // A branch, a loop or a custom operation; the tensors that it asks of are calls of their own.
  void draw_control_structure() {
    const Choices::Scope scope(choices_, "control");
    const auto draw_body = [this](const std::vector<TensorMeta>& inputs, const std::vector<bool>& writable,
                                  ControlKinds structures) {
      return Generator(*this, inputs, writable, structures).take_body();
    };
    const auto call = [this](std::string_view name, std::vector<Argument> positional,
                             std::vector<std::pair<std::string, Argument>> named) {
      const Op& op = op_named(name);
      auto arguments = bind_arguments(op, std::move(positional), std::move(named));
      const bool added = arguments && !writes_read_only(op, *arguments) && add(op, *std::move(arguments));
      return added ? builder_.graph().nodes.back().results.front() : ValueId();
    };
    const auto source = [this](SourceKind kind, DType dtype, const Dims& sizes) {
      if (level_ > 0 || is_method_ || !words_.dtypes()[static_cast<std::size_t>(dtype)]) return ValueId();
      const bool fed = kind == SourceKind::Input;
      return add_source(kind, builder_.fresh_name(fed ? "x" : "s"), {dtype, contiguous_layout(sizes), {}},
                        fed ? Tensor() : Tensor(dtype, sizes));
    };
    ControlSite site{choices_, builder_, pool_, draw_body, call, source, words_.writing_subgraphs(), structures_};
    const std::optional<ProposedControl> proposed = draw_control(site);
    takes_turns_ |= site.takes_turns;
    if (!proposed || writes_read_only(*proposed->op, proposed->arguments)) return;
    if (!add(*proposed->op, proposed->arguments) || !proposed->kept_in.valid()) return;
    call("aten.copy_.default", {proposed->kept_in, builder_.graph().nodes.back().results.front()}, {});
  }

  // Whether a call writes to a source that the targets do not let it write to.
  bool writes_read_only(const Op& op, const std::vector<Argument>& arguments) const {
    bool writes = false;
    for_each_written(op, arguments, [&](ValueId value) {
      const std::size_t storage = builder_.graph().meta(value).storage.index;
      for (const Source& source : builder_.graph().sources) {
        const bool own = builder_.graph().meta(source.value).storage.index == storage;
        writes = writes || (own && words_.is_read_only(source.kind));
      }
    });
    return writes;
  }

  // A call that takes up an earlier one, where one is drawn.
  bool draw_motif() {
    auto call = motif_call(choices_, weights_.motifs, builder_.graph(), pool_.limits());
    return call && add(*call->op, std::move(call->arguments));
  }

  // A call of the op added to the graph; false where it found no operands or they do not infer.
  bool draw_call(const Op& op, bool delegated, bool wide) {
    const Choices::Scope scope(choices_, "operands");
    SampleContext context(choices_, pool_.draw_candidates(choices_, wide), builder_.graph().metas);
    std::optional<std::vector<Argument>> arguments = op.sample(op, context);
    if (!arguments || (delegated && !is_delegated(op, *arguments))) return false;
    maybe_guard(op, *arguments);
    auto altered = altered_arguments(choices_, op, *arguments, builder_.graph().metas);
    if (altered && add(op, *std::move(altered))) return true;
    return add(op, *std::move(arguments));
  }

  // Leads an operand into the domain of the function, where that is drawn and the graph has room for a call more.
  void maybe_guard(const Op& op, std::vector<Argument>& arguments) {
    const int percent = words_.loses_nan() ? guarded_where_nan_is_lost : weights_.guarded;
    const LeftOpen open{.nan = words_.loses_powers(), .quotients = words_.loses_nan() && words_.rounds_quotients()};
    const std::optional<DomainGuard> guard = draw_domain_guard(choices_, op, percent, open);
    if (!guard || static_cast<int64_t>(builder_.graph().nodes.size()) + left_ >= most_nodes_) return;
    auto* operand = std::get_if<ValueId>(&arguments[guard->operand]);
    if (!operand || !is_floating(builder_.graph().meta(*operand).dtype) || !add(*guard->op, {*operand})) return;
    *operand = builder_.graph().nodes.back().results.front();
  }

  // False where the targets do not take the call or it does not infer.
  bool add(const Op& op, std::vector<Argument> arguments) {
    const Graph& graph = builder_.graph();
    if (!is_taken(op, arguments) || (around_model_ && !is_affordable(op, arguments))) return false;
    for (Argument& argument : arguments) {
      for_each_value(argument, [&](ValueId& value) { value = builder_.current(value); });
    }
    std::vector<NumberInCall> numbers;
    if (!ahead_.take(op, arguments, graph)) {
      auto following = ahead_.follow(choices_, op, arguments, graph);
      if (!following) return false;
      numbers = *std::move(following);
    }
    if (!builder_.append_node(op, std::move(arguments))) return false;
    ahead_.add_node(graph);
    for (const NumberInCall& number : numbers) {
      symbols_.numbers.push_back({graph.nodes.size() - 1, number.argument, number.place, number.of});
    }
    pool_.add_node(graph, graph.nodes.back());
    return true;
  }

  // Whether the targets take a call: its op at its first tensor's dtype, and what it gives.
  bool is_taken(const Op& op, const std::vector<Argument>& arguments) const {
    if (words_.whole() || as_control(op)) return true;
    const Graph& graph = builder_.graph();
    const std::optional<DType> first = first_dtype(arguments, graph);
    if (first && !words_.has(op, *first)) return false;
    const auto results = op.infer(Call(op, arguments, graph.metas));
    return !results || std::ranges::all_of(*results, [&](const auto& result) {
      return words_.dtypes()[static_cast<std::size_t>(result.dtype)];
    });
  }

  bool is_delegated(const Op& op, const std::vector<Argument>& arguments) const {
    const std::optional<DType> first = first_dtype(arguments, builder_.graph());
    return first && words_.delegates(op, *first);
  }

  bool holds_delegated_call() const {
    return std::ranges::any_of(builder_.graph().nodes,
                               [&](const Node& node) { return is_delegated(*node.op, node.arguments); });
  }

  Choices& choices_;
  const GenerateWeights& weights_;
  const Vocabulary& words_;
  std::array<uint32_t, op_group_count> groups_;
  ControlKinds structures_;  // that may be drawn
  GraphBuilder builder_;
  Pool pool_;
  Symbols symbols_;
  std::vector<SymbolSizes> runs_;
  SizesAhead ahead_;
  bool takes_turns_ = false;    // a branch goes another way in each call
  std::size_t more_calls_ = 0;  // of the same program, after the first
  bool interleaves_ = false;    // those calls, on several instances
  bool has_methods_ = false;    // some of them are of further methods
  bool is_method_ = false;
  bool around_model_ = false;
  int64_t most_nodes_ = 0;                    // 0 of a subgraph, a method and around a model
  int64_t left_ = 0;                          // nodes to be drawn, this one too
  int level_ = 0;                             // of subgraphs
  double work_left_ = 2 * Around::most_work;  // around a model
};

}  // namespace

std::optional<GenerateProfile> parse_generate_profile(std::string_view name) {
  for (const GenerateWeights& weights : generate_weights) {
    if (weights.name == name) return weights.profile;
  }
  return std::nullopt;
}

std::string_view name(GenerateProfile profile) { return weights_of(profile).name; }

Case generate(Choices& choices, const GenerateOptions& options) { return Generator(choices, options).take(); }

}  // namespace parallax
