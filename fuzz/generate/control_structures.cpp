#include "fuzz/generate/control_structures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fuzz/generate/attention_operations.h"
#include "ops/registry.h"

namespace parallax {
namespace {

constexpr int64_t most_elements = 64;

bool has_few_slices(const TensorMeta& meta) {
  return meta.layout.rank() > 0 && meta.layout.sizes[0] > 0 && meta.layout.sizes[0] <= 6;
}

// What the outputs of a subgraph are chosen from: everything of a type, the newest first.
std::vector<ValueId> alike(const DrawnBody& body, const TensorMeta& wanted) {
  const Graph& graph = body.builder.graph();
  std::vector<ValueId> values;
  for (const Pool::Entry& entry : body.pool.entries()) {
    const TensorMeta& meta = graph.meta(entry.value);
    const Layout here{meta.layout.sizes, meta.layout.strides, 0};
    const Layout there{wanted.layout.sizes, wanted.layout.strides, 0};
    if (meta.dtype == wanted.dtype && same_places(here, there)) values.push_back(entry.value);
  }
  std::ranges::reverse(values);
  return values;
}

class ControlDrawer {
 public:
  explicit ControlDrawer(ControlSite& site) : site_(site), choices_(site.choices) {}

  std::optional<ProposedControl> draw() {
    std::array<uint32_t, control_kind_count> weights = {35, 20, 15, 8, 22};
    for (std::size_t kind = 0; kind < weights.size(); ++kind) weights[kind] *= site_.structures[kind];
    switch (static_cast<ControlKind>(choices_.weighted(weights))) {
      case ControlKind::Cond:
        return branch();
      case ControlKind::WhileLoop:
        return loop();
      case ControlKind::Scan:
        return choices_.chance(30) ? cache() : scan(true);
      case ControlKind::Map:
        return scan(false);
      case ControlKind::Custom:
        return custom();
    }
    return std::nullopt;
  }

 private:
  const TensorMeta& meta(ValueId value) const { return site_.builder.graph().meta(value); }

  // A few tensors of the caller's that `fits` says; one may come twice.
  template <class Fits>
  std::vector<ValueId> operands(int64_t low, int64_t high, Fits&& fits) {
    std::vector<ValueId> fitting;
    for (const Pool::Entry& entry : site_.pool.entries()) {
      const ValueId value = site_.builder.current(entry.value);
      if (meta(value).layout.numel() <= most_elements && fits(meta(value))) fitting.push_back(value);
    }
    std::vector<ValueId> chosen;
    if (fitting.empty()) return chosen;
    for (int64_t left = choices_.between(low, high); left > 0; --left) chosen.push_back(choices_.pick(fitting));
    return chosen;
  }

  // A number that the program holds as a tensor.
  ValueId number(int64_t value, const Dims& sizes = {}) {
    return site_.call("aten.full.default", {IntList(sizes.begin(), sizes.end()), Scalar(value)},
                      {{"dtype", Argument(DType::I64)}});
  }

  // One bool: of the data, of a size, of how often the program was called, or one that is there.
  ValueId predicate() {
    std::vector<ValueId> bools;
    for (const Pool::Entry& entry : site_.pool.entries()) {
      const ValueId value = site_.builder.current(entry.value);
      if (meta(value).dtype == DType::Bool && meta(value).layout.numel() == 1) bools.push_back(value);
    }
    if (!bools.empty() && choices_.chance(40)) return choices_.pick(bools);
    if (choices_.chance(15)) {
      const ValueId turn = this->turn();
      if (turn.valid()) return turn;
    }
    return choices_.chance(15) ? of_a_size() : of_the_data();
  }

  // A buffer counts the calls of the program: true in every second one.
  ValueId turn() {
    const ValueId count = site_.source(SourceKind::Buffer, DType::I64, {});
    if (!count.valid()) return {};
    const ValueId counted = site_.call("aten.add_.Scalar", {count, Scalar(int64_t{1})}, {});
    if (!counted.valid()) return {};
    const ValueId rest = site_.call("aten.remainder.Scalar", {counted, Scalar(int64_t{2})}, {});
    if (!rest.valid()) return {};
    site_.takes_turns = true;
    return site_.call("aten.eq.Scalar", {rest, Scalar(int64_t{0})}, {});
  }

  std::string_view order() { return choices_.chance(50) ? "aten.gt.Scalar" : "aten.lt.Scalar"; }

  // Known when the program is compiled: one branch is dead, or a pass takes it out.
  ValueId of_a_size() {
    const std::vector<ValueId> of = operands(1, 1, [](const TensorMeta& meta) { return meta.layout.rank() > 0; });
    if (of.empty()) return {};
    const ValueId size = number(meta(of.front()).layout.sizes[0]);
    const std::string_view order = this->order();
    return size.valid() ? site_.call(order, {size, Scalar(int64_t{choices_.between(0, 4)})}, {}) : ValueId();
  }

  ValueId of_the_data() {
    const std::vector<ValueId> of = operands(1, 1, [](const TensorMeta& meta) { return meta.layout.numel() > 0; });
    if (of.empty()) return {};
    const Argument limit(Scalar(int64_t{choices_.between(-1, 1)}));
    const std::string_view order = this->order();
    if (meta(of.front()).dtype == DType::Bool || choices_.chance(30)) {
      const ValueId compared = site_.call(order, {of.front(), limit}, {});
      const std::string_view all = choices_.chance(50) ? "aten.any.default" : "aten.all.default";
      return compared.valid() ? site_.call(all, {compared}, {}) : ValueId();
    }
    const ValueId sum = site_.call("aten.sum.default", {of.front()}, {});
    return sum.valid() ? site_.call(order, {sum, limit}, {}) : ValueId();
  }

  std::string name(std::string_view stem) { return fmt::format("{}_{}", stem, site_.builder.graph().nodes.size()); }

  static Subgraph finish(std::string name, DrawnBody body, const std::vector<ValueId>& outputs) {
    for (const ValueId output : outputs) body.builder.add_output(output);
    return {std::move(name), std::make_shared<const Graph>(body.builder.take())};
  }

  // A value of that type: seldom an operand handed on, mostly the newest result.
  std::optional<ValueId> output_like(const DrawnBody& body, const TensorMeta& wanted) {
    const std::vector<ValueId> values = alike(body, wanted);
    if (values.empty()) return std::nullopt;
    return choices_.chance(60) ? values.front() : choices_.pick(values);
  }

  // The metas of operands as a subgraph sees them.
  std::vector<TensorMeta> metas_of(const std::vector<ValueId>& values) const {
    std::vector<TensorMeta> metas;
    for (const ValueId value : values) metas.push_back(meta(value));
    return metas;
  }

  static std::vector<Argument> arguments_of(std::initializer_list<std::vector<ValueId>> lists) {
    std::vector<Argument> arguments;
    for (const std::vector<ValueId>& list : lists) arguments.insert(arguments.end(), list.begin(), list.end());
    return arguments;
  }

  std::optional<ProposedControl> proposed(ControlParts parts, std::vector<Argument> arguments) {
    Result<std::shared_ptr<const ControlOp>> op = make_control_op(std::move(parts));
    if (!op) return std::nullopt;
    return ProposedControl{*std::move(op), std::move(arguments)};
  }

  std::vector<bool> drawn_writable(std::size_t read_only, std::size_t others) {
    std::vector<bool> writable(read_only, false);
    for (std::size_t i = 0; i < others; ++i) writable.push_back(site_.writes && choices_.chance(40));
    return writable;
  }

  std::optional<ProposedControl> branch() {
    const ValueId predicate = this->predicate();
    if (!predicate.valid()) return std::nullopt;
    const std::vector<ValueId> given = operands(1, 3, [](const TensorMeta&) { return true; });
    std::vector<TensorMeta> results;
    for (const ValueId value : given) {
      if (is_dense(meta(value).layout)) results.push_back(meta(value));
    }
    if (results.empty()) return std::nullopt;
    if (results.size() > 1 && choices_.chance(30)) results.pop_back();
    if (choices_.chance(25)) results.push_back(results.front());
    const std::vector<TensorMeta> inputs = metas_of(given);
    ControlParts parts{.kind = ControlKind::Cond, .subgraphs = {}, .closures = given.size()};
    for (const std::string_view stem : {"then", "else"}) {
      DrawnBody body = site_.draw_body(inputs, drawn_writable(0, given.size()), site_.structures);
      std::vector<ValueId> outputs;
      for (const TensorMeta& wanted : results) {
        const std::optional<ValueId> output = output_like(body, wanted);
        if (!output) return std::nullopt;
        outputs.push_back(*output);
      }
      parts.subgraphs.push_back(finish(name(stem), std::move(body), outputs));
    }
    return proposed(std::move(parts), arguments_of({{predicate}, given}));
  }

  // The next carries, in the order of the carries or with two of one type exchanged.
  std::optional<std::vector<ValueId>> next_carries(const DrawnBody& body, const std::vector<TensorMeta>& carries) {
    std::vector<ValueId> next;
    for (const TensorMeta& carry : carries) {
      const std::optional<ValueId> output = output_like(body, carry);
      if (!output) return std::nullopt;
      next.push_back(*output);
    }
    return next;
  }

  // What a simulation goes on from: a buffer that was written before the loop.
  ValueId state() {
    const ValueId kept = site_.source(SourceKind::Buffer, DType::F32, {2});
    return kept.valid() ? site_.call("aten.add_.Scalar", {kept, Scalar(int64_t{1})}, {}) : ValueId();
  }

  // A loop of a few steps, counted by its first carry; the data may end it before.
  std::optional<ProposedControl> loop() {
    const ValueId count = number(0);
    if (!count.valid()) return std::nullopt;
    std::vector<ValueId> carries = operands(1, 3, [](const TensorMeta& meta) { return is_dense(meta.layout); });
    if (carries.empty()) return std::nullopt;
    carries.insert(carries.begin(), count);
    std::vector<ValueId> closures = operands(0, 2, [](const TensorMeta&) { return true; });
    if (site_.writes && choices_.chance(20)) {
      const ValueId state = this->state();
      if (state.valid()) closures.push_back(state);
    }
    std::vector<ValueId> all = carries;
    all.insert(all.end(), closures.begin(), closures.end());
    const std::vector<TensorMeta> inputs = metas_of(all);
    ControlParts parts{
        .kind = ControlKind::WhileLoop, .subgraphs = {}, .carries = carries.size(), .closures = closures.size()};

    GraphBuilder condition;
    std::vector<ValueId> asked;
    for (const TensorMeta& input : inputs)
      asked.push_back(
          *condition.add_source(SourceKind::Input, "", input.dtype, {input.layout.sizes, input.layout.strides, 0}));
    const Argument steps(Scalar(int64_t{choices_.between(0, 4)}));
    ValueId goes_on = *condition.call("aten.lt.Scalar", {asked.front(), steps});
    if (choices_.chance(40)) {
      const Result<ValueId> sum = condition.call("aten.sum.default", {asked[1]});
      const Argument limit(Scalar(int64_t{choices_.between(-2, 6)}));
      const Result<ValueId> small = sum ? condition.call("aten.lt.Scalar", {*sum, limit}) : sum;
      const Result<ValueId> both = small ? condition.call("aten.logical_and.default", {goes_on, *small}) : small;
      if (both) goes_on = *both;
    }
    if (site_.writes && !closures.empty() && choices_.chance(30)) {
      // Refused where it cannot be written, as an expanded one; then the condition is left as it is.
      const auto first = asked.begin() + static_cast<std::ptrdiff_t>(carries.size());
      const ValueId written = choices_.pick(std::vector<ValueId>(first, asked.end()));
      static_cast<void>(condition.call("aten.add_.Scalar", {written, Scalar(int64_t{1})}));
    }
    condition.add_output(goes_on);
    parts.subgraphs.push_back({name("condition"), std::make_shared<const Graph>(condition.take())});

    DrawnBody body = site_.draw_body(inputs, drawn_writable(carries.size(), closures.size()), site_.structures);
    const ValueId counted = body.builder.graph().sources.front().value;
    const Result<ValueId> next = body.builder.call("aten.add.Scalar", {counted, Scalar(int64_t{1})});
    std::optional<std::vector<ValueId>> outputs =
        next_carries(body, {inputs.begin() + 1, inputs.begin() + static_cast<std::ptrdiff_t>(carries.size())});
    if (!next || !outputs) return std::nullopt;
    outputs->insert(outputs->begin(), *next);
    parts.subgraphs.push_back(finish(name("body"), std::move(body), *outputs));
    return proposed(std::move(parts), arguments_of({carries, closures}));
  }

  std::optional<ProposedControl> scan(bool carries_on) {
    std::vector<ValueId> carries;
    if (carries_on) carries = operands(1, 2, [](const TensorMeta& meta) { return is_dense(meta.layout); });
    std::vector<ValueId> scanned = operands(1, 2, has_few_slices);
    if (scanned.empty() || (carries_on && carries.empty())) return std::nullopt;
    std::erase_if(scanned,
                  [&](ValueId value) { return meta(value).layout.sizes[0] != meta(scanned.front()).layout.sizes[0]; });
    const std::vector<ValueId> closures = operands(0, 2, [](const TensorMeta&) { return true; });
    std::vector<TensorMeta> inputs = metas_of(carries);
    for (const ValueId value : scanned) inputs.push_back({meta(value).dtype, slice_of(meta(value).layout, 0), {}});
    for (const ValueId value : closures) inputs.push_back(meta(value));
    std::vector<bool> writable = drawn_writable(carries.size() + scanned.size(), closures.size());
    if (!carries_on) writable.assign(inputs.size(), false);
    DrawnBody body = site_.draw_body(inputs, writable, site_.structures);
    std::optional<std::vector<ValueId>> outputs =
        next_carries(body, {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(carries.size())});
    if (!outputs) return std::nullopt;
    std::vector<ValueId> small;
    for (const Pool::Entry& entry : body.pool.entries()) {
      const TensorMeta& made = body.builder.graph().meta(entry.value);
      if (made.layout.numel() <= most_elements && made.layout.rank() < 4) small.push_back(entry.value);
    }
    if (small.empty()) return std::nullopt;
    for (int64_t left = choices_.between(carries_on ? 0 : 1, 2); left > 0; --left)
      outputs->push_back(choices_.chance(50) ? small.back() : choices_.pick(small));
    ControlParts parts{.kind = carries_on ? ControlKind::Scan : ControlKind::Map,
                       .subgraphs = {finish(name(carries_on ? "combine" : "mapped"), std::move(body), *outputs)},
                       .carries = carries.size(),
                       .scanned = scanned.size(),
                       .closures = closures.size()};
    return proposed(std::move(parts), arguments_of({carries, scanned, closures}));
  }

  // A scan that puts each slice into the next row of a cache, and reads the cache: as a carry that is copied to the
  // buffer afterwards, or where it is written to in place.
  std::optional<ProposedControl> cache() {
    const std::vector<ValueId> scanned = operands(1, 1, has_few_slices);
    if (scanned.empty()) return std::nullopt;
    const TensorMeta steps = meta(scanned.front());
    Dims sizes = steps.layout.sizes;
    sizes[0] += choices_.between(0, 2);
    const ValueId rows = site_.source(SourceKind::Buffer, steps.dtype, sizes);
    if (!rows.valid()) return std::nullopt;
    const ValueId place = number(choices_.between(0, sizes[0] - steps.layout.sizes[0]), {1});
    if (!place.valid()) return std::nullopt;
    const bool in_place = site_.writes && choices_.chance(40);

    const TensorMeta slice{steps.dtype, slice_of(steps.layout, 0), {}};
    const std::vector<TensorMeta> inputs =
        in_place ? std::vector{meta(place), slice, meta(rows)} : std::vector{meta(rows), meta(place), slice};
    DrawnBody body = site_.draw_body(inputs, std::vector<bool>(inputs.size(), false), site_.structures);
    const auto input = [&](std::size_t i) { return body.builder.graph().sources[i].value; };
    const ValueId cached = input(in_place ? 2 : 0), at = input(in_place ? 0 : 1), added = input(in_place ? 1 : 2);
    const Result<ValueId> row = body.builder.call("aten.unsqueeze.default", {added, int64_t{0}});
    if (!row) return std::nullopt;
    const std::string_view put = in_place ? "aten.index_copy_.default" : "aten.index_copy.default";
    const Result<ValueId> written = body.builder.call(put, {cached, int64_t{0}, at, *row});
    const Result<ValueId> next = body.builder.call("aten.add.Scalar", {at, Scalar(int64_t{1})});
    if (!written || !next) return std::nullopt;
    const Result<ValueId> read = choices_.chance(50)
                                     ? body.builder.call("aten.select_copy.int", {*written, int64_t{0}, int64_t{0}})
                                     : body.builder.call("aten.amax.default", {*written, IntList{0}});
    if (!read) return std::nullopt;
    const std::vector<ValueId> outputs = in_place ? std::vector{*next, *read} : std::vector{*written, *next, *read};
    ControlParts parts{.kind = ControlKind::Scan,
                       .subgraphs = {finish(name("cached"), std::move(body), outputs)},
                       .carries = in_place ? 1U : 2U,
                       .scanned = 1,
                       .closures = in_place ? 1U : 0U};
    const std::vector<ValueId> carries = in_place ? std::vector{place} : std::vector{rows, place};
    const std::vector<ValueId> closures = in_place ? std::vector{rows} : std::vector<ValueId>{};
    auto proposed = this->proposed(std::move(parts), arguments_of({carries, scanned, closures}));
    if (proposed && !in_place && choices_.chance(70)) proposed->kept_in = rows;
    return proposed;
  }

  // Tensors of the caller's, the later ones often in the memory of the first, and which of them may be written.
  std::pair<std::vector<ValueId>, std::vector<bool>> custom_operands() {
    std::vector<const Pool::Entry*> fitting;
    for (const Pool::Entry& entry : site_.pool.entries()) {
      if (meta(site_.builder.current(entry.value)).layout.numel() <= most_elements) fitting.push_back(&entry);
    }
    std::pair<std::vector<ValueId>, std::vector<bool>> operands;
    if (fitting.empty()) return operands;
    for (int64_t left = choices_.between(1, 3); left > 0; --left) {
      std::vector<const Pool::Entry*> from = fitting;
      if (!operands.first.empty() && choices_.chance(35)) {
        std::erase_if(from, [&](const Pool::Entry* entry) {
          return meta(entry->value).storage != meta(operands.first.front()).storage;
        });
      }
      const Pool::Entry* entry = choices_.pick(from);
      operands.first.push_back(site_.builder.current(entry->value));
      operands.second.push_back(entry->writable && choices_.chance(70));
    }
    if (choices_.chance(20)) {
      // What a compiler may take for the memory that it was copied from.
      const ValueId copy = site_.call("aten.clone.default", {choices_.pick(operands.first)}, {});
      if (copy.valid()) {
        operands.first.push_back(copy);
        operands.second.push_back(choices_.chance(30));
      }
    }
    return operands;
  }

  // A call that writes an operand of the body, as far as it can be written so.
  void write(GraphBuilder& body, ValueId operand) {
    static constexpr std::array<std::string_view, 4> ops = {"aten.add_.Scalar", "aten.mul_.Scalar", "aten.add_.Tensor",
                                                            "aten.copy_.default"};
    const std::size_t op = choices_.below(ops.size());
    std::vector<ValueId> sources;
    for (const Source& source : body.graph().sources) sources.push_back(source.value);
    const Argument other = op < 2 ? Argument(Scalar(int64_t{op == 0 ? 1 : 2})) : Argument(choices_.pick(sources));
    static_cast<void>(body.call(ops[op], {operand, other}));
  }

  // What the operation returns: an operand, a view of one, or what it made, each view and each memory of its own once.
  std::vector<ValueId> custom_results(const DrawnBody& body) {
    const Graph& graph = body.builder.graph();
    std::vector<ValueId> operands;
    std::vector<ValueId> views;
    std::vector<ValueId> made;
    for (const Pool::Entry& entry : body.pool.entries()) {
      const auto shares = [&](const Source& source) {
        return graph.meta(source.value).storage == graph.meta(entry.value).storage;
      };
      (entry.source ? operands : std::ranges::any_of(graph.sources, shares) ? views : made).push_back(entry.value);
    }
    std::vector<ValueId> results;
    for (int64_t left = choices_.between(0, 3); left > 0; --left) {
      static constexpr std::array<uint32_t, 3> weights = {20, 20, 60};
      const std::size_t kind = choices_.weighted(weights);
      const std::vector<ValueId>& from = kind == 0 ? operands : kind == 1 ? views : made;
      if (from.empty()) continue;
      const ValueId result = choices_.pick(from);
      const auto is_again = [&](ValueId other) {
        if (kind == 1) return graph.objects[other.index] == graph.objects[result.index];
        return kind == 2 && graph.meta(other).storage == graph.meta(result).storage;
      };
      if (std::ranges::none_of(results, is_again)) results.push_back(result);
    }
    return results;
  }

  // An operation that writes, hands operands or views of them on, or returns None beside its results; or one of a
  // language model's.
  std::optional<ProposedControl> custom() {
    if (choices_.chance(20)) {
      if (auto attention = draw_attention_operation(site_)) {
        ControlParts parts{.kind = ControlKind::Custom,
                           .subgraphs = {std::move(attention->reference)},
                           .closures = attention->operands.size()};
        return proposed(std::move(parts), arguments_of({attention->operands}));
      }
    }
    const auto [given, writable] = custom_operands();
    if (given.empty()) return std::nullopt;
    DrawnBody body = site_.draw_body(metas_of(given), writable, site_.structures & ~branches_and_loops);
    bool writes = false;
    for (std::size_t i = 0; i < given.size(); ++i) {
      for (uint32_t percent = 60; writable[i] && choices_.chance(percent); percent = 30) {
        write(body.builder, body.builder.graph().sources[i].value);
        writes = true;
      }
    }
    std::vector<ValueId> results = custom_results(body);
    if (writes && choices_.chance(30)) {  // what is there after the writes
      const ValueId read = choices_.pick(body.builder.graph().sources).value;
      if (const Result<ValueId> copy = body.builder.call("aten.clone.default", {read})) results.push_back(*copy);
    }
    if (results.empty() && !writes) return std::nullopt;
    Subgraph subgraph = finish(name("operation"), std::move(body), results);
    while (choices_.chance(15)) {
      const std::size_t place = choices_.below(results.size() + subgraph.nones.size() + 1);
      for (std::size_t& later : subgraph.nones) later += later >= place;
      subgraph.nones.insert(std::ranges::lower_bound(subgraph.nones, place), place);
    }
    ControlParts parts{.kind = ControlKind::Custom, .subgraphs = {std::move(subgraph)}, .closures = given.size()};
    return proposed(std::move(parts), arguments_of({given}));
  }

  ControlSite& site_;
  Choices& choices_;
};

}  // namespace

std::optional<ProposedControl> draw_control(ControlSite& site) { return ControlDrawer(site).draw(); }

}  // namespace parallax
