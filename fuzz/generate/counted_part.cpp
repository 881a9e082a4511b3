#include "fuzz/generate/counted_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "graph/runs.h"
#include "graph/sketch.h"
#include "ops/counted_size.h"
#include "ops/profiles.h"
#include "ops/registry.h"
#include "oracle/expected_runs.h"

namespace parallax {
namespace {

// Percentage of the cases that could have one.
constexpr int counted_parts = 30;
// What a counted call reads at most: the oracle goes through all of it.
constexpr int64_t most_elements = 96;
// Draws of one call that reads counted values.
constexpr int reader_attempts = 16;
// Percentage of the calls whose count is not known that are taken: their cases are undecided as a whole.
constexpr int open_counts = 8;

// A counted call that is not in the graph yet, its count left out.
struct Proposed {
  const Op* op = nullptr;
  std::vector<Argument> arguments;
};

// The newest value of each tensor object that a call may read.
std::vector<ValueId> readable_values(const Graph& graph) {
  std::vector<ValueId> newest(graph.metas.size());
  for (std::size_t v = 0; v < graph.metas.size(); ++v) newest[graph.objects[v].index] = ValueId(v);
  std::vector<ValueId> values;
  for (const ValueId value : newest) {
    if (value.valid() && graph.meta(value).layout.numel() <= most_elements) values.push_back(value);
  }
  return values;
}

class CountedPart {
 public:
  CountedPart(Choices& choices, const Vocabulary& words, Case test)
      : choices_(choices), words_(words), test_(std::move(test)) {}

  Case take() {
    for (int64_t left = choices_.between(1, 2); left > 0; --left) {
      const Choices::Scope scope(choices_, "counted");
      if (!add_counted()) break;
      for (int64_t readers = choices_.between(0, 3); readers > 0; --readers) add_reader();
    }
    return std::move(test_);
  }

 private:
  const Graph& graph() const { return test_.graph; }

  std::string fresh_name(std::string_view stem) const {
    std::set<std::string> taken(graph().names.begin(), graph().names.end());
    for (const Node& node : graph().nodes) taken.insert(node.name);
    for (const Storage& storage : graph().storages) taken.insert(storage.name);
    for (const Symbol& symbol : test_.symbols.list) taken.insert(symbol.name);
    for (int i = 0;; ++i) {
      std::string name = fmt::format("{}{}", stem, i);
      if (!taken.contains(name)) return name;
    }
  }

  // A value that a call of the op may read and `accept` takes.
  template <class Accept>
  std::optional<ValueId> pick(Accept&& accept) {
    std::vector<ValueId> fitting;
    for (const ValueId value : readable_values(graph())) {
      if (accept(graph().meta(value))) fitting.push_back(value);
    }
    if (fitting.empty()) return std::nullopt;
    return choices_.pick(fitting);
  }

  // Where the elements of a value are true: a mask that is there, or a comparison with 0.
  std::optional<ValueId> mask_for(ValueId self) {
    const Dims sizes = graph().meta(self).layout.sizes;
    const auto fits = [&](const TensorMeta& meta) { return meta.dtype == DType::Bool && meta.layout.sizes == sizes; };
    if (const auto mask = pick(fits); mask && choices_.chance(70)) return mask;
    const std::string name = fresh_name("m");
    const Op& op = op_named(choices_.chance(50) ? "aten.gt.Scalar" : "aten.ne.Scalar");
    if (!append({&op, {self, Scalar(int64_t{0})}}, name, {})) return std::nullopt;
    return named(name);
  }

  ValueId named(std::string_view name) const {
    for (std::size_t v = 0; v < graph().names.size(); ++v) {
      if (graph().names[v] == name) return ValueId(v);
    }
    return ValueId();
  }

  std::optional<Proposed> propose() {
    static constexpr std::array<uint32_t, 5> weights = {26, 32, 20, 14, 8};
    switch (choices_.weighted(weights)) {
      case 0: {
        const auto self = pick([](const TensorMeta&) { return true; });
        if (!self) return std::nullopt;
        return Proposed{&op_named("aten.nonzero.default"), {*self}};
      }
      case 1:
        return propose_masked("aten.masked_select.default");
      case 2:
        return propose_masked("aten.index.Tensor");
      case 3: {
        const auto self = pick([](const TensorMeta& meta) { return !is_floating(meta.dtype); });
        if (!self) return std::nullopt;
        return Proposed{&op_named("aten._unique2.default"),
                        {*self, Scalar(true), Scalar(choices_.chance(60)), Scalar(choices_.chance(60))}};
      }
      default: {
        const auto repeats = pick([](const TensorMeta& meta) {
          return (meta.dtype == DType::I64 || meta.dtype == DType::I32) && meta.layout.rank() == 1;
        });
        if (!repeats) return std::nullopt;
        return Proposed{&op_named("aten.repeat_interleave.Tensor"), {*repeats, Argument()}};
      }
    }
  }

  std::optional<Proposed> propose_masked(std::string_view name) {
    const auto self = pick([](const TensorMeta& meta) { return meta.layout.rank() > 0; });
    if (!self) return std::nullopt;
    const std::string own = graph().name(*self);
    const auto mask = mask_for(*self);
    if (!mask) return std::nullopt;
    const ValueId again = named(own);  // the graph may have been put together anew
    if (name == "aten.index.Tensor") return Proposed{&op_named(name), {again, ValueList{*mask}}};
    return Proposed{&op_named(name), {again, *mask}};
  }

  bool add_counted() {
    std::optional<Proposed> proposed = propose();
    if (!proposed) return false;
    proposed->arguments.emplace_back();
    const std::optional<std::vector<int64_t>> counts = counts_of(*proposed);
    if (!counts) return false;
    const int64_t most = std::max(most_at_bound(*proposed), std::ranges::max(*counts));
    if (std::ranges::min(*counts) < 0 || most > 4 * most_elements) return false;
    proposed->arguments.back() = Scalar(counts->front());
    const Symbol symbol{fresh_name("N"), 0, std::max<int64_t>(most, 1)};
    const std::string name = fresh_name("k");
    return append(*proposed, name, symbol, *counts);
  }

  // What each run's data make of the count; nothing where they do not say.
  std::optional<std::vector<int64_t>> counts_of(const Proposed& proposed) {
    static const Profile& profile = *find_profile("eager");
    std::vector<Graph> graphs;
    for (std::size_t run = 0; run <= test_.later.size(); ++run) {
      auto graph = graph_of_run(test_, run);
      if (!graph) return std::nullopt;
      // Operands whose sizes are alike in the first run alone fit nowhere else.
      std::vector<Argument> stated = proposed.arguments;
      stated.back() = Scalar(int64_t{0});
      if (!proposed.op->infer(Call(*proposed.op, stated, graph->metas))) return std::nullopt;
      graphs.push_back(*std::move(graph));
    }
    std::vector<int64_t> counts;
    bool known = true;
    const auto note = [&](NodeId node, std::span<const BallView> values) {
      if (node.index + 1 != graph().nodes.size() || counts.size() == graphs.size()) return;
      const FoundCount found = found_count(Call(*proposed.op, proposed.arguments, graphs[counts.size()].metas), values);
      known = known && found.undecided == Undecided::No;
      counts.push_back(found.count);
    };
    if (!expected_runs(profile, test_, note) || counts.size() != graphs.size()) return std::nullopt;
    if (!known && !choices_.chance(open_counts)) return std::nullopt;
    return counts;
  }

  // What there can be of it at the symbols' bound; of repeats no more is known than that.
  int64_t most_at_bound(const Proposed& proposed) const {
    const auto bound = at_sizes(graph(), test_.symbols, test_.symbols.bound());
    if (!bound || proposed.op->name == "aten.repeat_interleave.Tensor") return 0;
    int64_t most = 0;
    for (const Argument& argument : proposed.arguments) {
      for_each_value(argument, [&](ValueId value) { most = std::max(most, bound->meta(value).layout.numel()); });
    }
    return most;
  }

  // Puts a call at the end of the graph, its results among the outputs; one that has a count says it by the symbol.
  // False where that is no case.
  bool append(const Proposed& call, const std::string& name, const std::optional<Symbol>& symbol,
              const std::vector<int64_t>& counts = {}, const std::vector<SymbolicNumber>& numbers = {}) {
    Sketch sketch = take_apart(test_);
    Sketch::CallSketch node{call.op, name, call.arguments, {}, {}, numbers};
    for (std::size_t run = 1; symbol && run < counts.size(); ++run) sketch.later[run - 1].push_back(counts[run]);
    if (symbol) {
      node.numbers.push_back({sketch.nodes.size(), count_place(*call.op), 0, {sketch.symbols.size()}});
      sketch.symbols.push_back(*symbol);
    }
    const auto results = call.op->infer(Call(*call.op, call.arguments, graph().metas));
    if (!results) return false;
    const bool list = call.op->schema.has_list_result();
    std::vector<std::string> names;
    for (std::size_t k = 0; k < results->size(); ++k) {
      const ValueId value(sketch.stand_ins.size());
      sketch.stand_ins.push_back(value);
      node.results.push_back(value);
      names.push_back(list ? fmt::format("{}_{}", name, k) : name);
      sketch.outputs.push_back(value);
    }
    node.result_names = list ? names : std::vector<std::string>{};
    sketch.nodes.push_back(std::move(node));
    std::optional<Case> made = put_together(sketch, test_);
    if (!made || (symbol && made->symbols.list.size() != test_.symbols.list.size() + 1)) return false;
    test_ = *std::move(made);
    if (symbol || !numbers.empty() || reads_counted(call)) counted_.insert(names.begin(), names.end());
    return true;
  }

  bool reads_counted(const Proposed& call) const {
    bool reads = false;
    for (const Argument& argument : call.arguments) {
      for_each_value(argument, [&](ValueId value) {
        reads = reads || (value.index < graph().names.size() && counted_.contains(graph().name(value)));
      });
    }
    return reads;
  }

  // A call of any kind that reads what a counted one gave.
  void add_reader() {
    static constexpr std::array groups = {OpGroup::Pointwise, OpGroup::Reduction, OpGroup::View, OpGroup::Comparison,
                                          OpGroup::Join};
    for (int attempt = 0; attempt < reader_attempts; ++attempt) {
      const std::span<const Op* const> ops = words_.of(choices_.pick(groups));
      if (ops.empty()) continue;
      const Op& op = *choices_.pick(ops);
      std::vector<Candidate> pool;
      for (const ValueId value : readable_values(graph())) {
        const bool counted = counted_.contains(graph().name(value));
        for (int i = 0; i < (counted ? 4 : 1); ++i) pool.push_back({value});
      }
      SampleContext context(choices_, pool, graph().metas);
      const auto arguments = op.sample(op, context);
      if (!arguments) continue;
      const Proposed call{&op, *arguments};
      const std::optional<DType> first = first_dtype(call.arguments, graph());
      if (!reads_counted(call) || (first && !words_.has(op, *first))) continue;
      const std::string name = fresh_name("r");
      if (append(call, name, {}) || append(call, name, {}, {}, numbers_of(call))) return;
    }
  }

  // The sizes that a call spells out and that are a count in the first run, as numbers that follow it.
  std::vector<SymbolicNumber> numbers_of(const Proposed& call) const {
    std::vector<SymbolicNumber> numbers;
    const SymbolSizes sizes = sizes_of_run(test_, 0);
    for (std::size_t a = 0; a < call.arguments.size(); ++a) {
      const auto* list = std::get_if<IntList>(&call.arguments[a]);
      for (std::size_t place = 0; list && place < list->size(); ++place) {
        const auto found = std::ranges::find(sizes.rbegin(), sizes.rend(), (*list)[place]);
        if (found == sizes.rend()) continue;
        numbers.push_back({graph().nodes.size(), a, place, {static_cast<std::size_t>(sizes.rend() - found) - 1}});
      }
    }
    return numbers;
  }

  Choices& choices_;
  const Vocabulary& words_;
  Case test_;
  std::set<std::string> counted_;  // names of values whose sizes hang on a count
};

}  // namespace

Case maybe_with_counted_part(Choices& choices, const Vocabulary& words, Case test) {
  const bool counts = !test.symbols.empty() && words.has(op_named("aten.nonzero.default"), DType::Bool);
  if (!counts || !choices.chance(counted_parts)) return test;
  const Choices::Scope scope(choices, "counted part");
  return CountedPart(choices, words, std::move(test)).take();
}

}  // namespace parallax
