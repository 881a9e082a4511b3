// A quantizer leaves float ops between a dequantize of what they read and a quantize of what they make. Such a call,
// with the relu or clamp behind it, becomes a FusedOp, which backends run on integers. Products whose result stays a
// float are fused too: so are the parameters that a program chooses at run time.
//
// What is declined stays in floats: dtypes over 16 bits, parameters along a dim that the kernels do not sum over,
// results with a second reader.
#include "compiler/passes/fuse_integers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "compiler/matcher.h"
#include "compiler/passes.h"
#include "graph/written_operands.h"
#include "ops/quantized_ops.h"

namespace parallax {
namespace {

bool is_activation(const Op& op) {
  return op.name == "aten.relu.default" || op.name == "aten.clamp.default" || op.name == "aten.hardtanh.default";
}

// Further from 0 than any dtype that is fused reaches, and near enough that no sum of products overflows.
constexpr int64_t most_zero_point = int64_t{1} << 20;

// How the scales of an operand may lie.
enum class Scales : uint8_t { One, OneOrTokens, OneOrChannels, OneChannelsOrGroups };

class Fuser {
 public:
  Fuser(const Graph& graph, const IntegerFusion& fusion)
      : graph_(graph), fusion_(fusion), rewriter_(graph), matcher_(rewriter_), uses_(graph.metas.size(), 0) {
    makers_.resize(graph.metas.size(), -1);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const Argument& argument : graph.nodes[n].arguments)
        for_each_value(argument, [&](ValueId value) { ++uses_[value.index]; });
      for (const ValueId result : graph.nodes[n].results) makers_[result.index] = static_cast<int>(n);
      for_each_written(graph.nodes[n], [&](ValueId value) { writes_.push_back({n, graph.meta(value).storage}); });
    }
    for (const ValueId output : graph.outputs) ++uses_[output.index];
  }

  Result<Graph> run() {
    for (now_ = 0; now_ < graph_.nodes.size(); ++now_) {
      const Node& node = graph_.nodes[now_];
      fused_ = {};
      if (!fuses(node)) {
        TRY_VOID(rewriter_.copy(node));
        continue;
      }
      if (fusion_.edit) fusion_.edit(fused_, rewriter_.builder().graph().metas);
      Replacement call{&fused_op(fused_.parts), {}};
      for (const std::vector<Argument>& own : fused_.arguments)
        call.arguments.insert(call.arguments.end(), own.begin(), own.end());
      TRY_VOID(matcher_.add(node, std::move(call)));
    }
    // What was fused has no reader any more. Left here, its own products would be fused when the pass runs again.
    const Graph made = rewriter_.finish();
    return drop_dead_nodes(made);
  }

 private:
  struct Write {
    std::size_t node;
    StorageId storage;
  };

  bool fuses(const Node& node) {
    if (quantizes_by_tensor(*node.op)) return ends_chain(node);
    return !is_followed(node) && adds_main(node, true);
  }

  // The call that made a value, where nothing that it read or made was written since; else null.
  const Node* maker(ValueId value) const {
    const int made_by = makers_[value.index];
    if (made_by < 0) return nullptr;
    const Node& node = graph_.nodes[static_cast<std::size_t>(made_by)];
    for (const Write& write : writes_) {
      if (write.node <= static_cast<std::size_t>(made_by) || write.node >= now_) continue;
      bool touched = graph_.meta(value).storage == write.storage;
      for (const Argument& argument : node.arguments) {
        for_each_value(argument,
                       [&](ValueId operand) { touched = touched || graph_.meta(operand).storage == write.storage; });
      }
      if (touched) return nullptr;
    }
    return &node;
  }

  bool is_single(ValueId value) const {
    return graph_.meta(value).dtype == DType::F32 && graph_.meta(value).layout.numel() > 0;
  }

  // Whether a call's only reader is a quantize, or an activation before one: the quantize fuses it then.
  bool is_followed(const Node& node) const {
    if (node.results.size() != 1 || uses_[node.results.front().index] != 1) return false;
    for (const Node& reader : graph_.nodes) {
      bool reads = false;
      for (const Argument& argument : reader.arguments)
        for_each_value(argument, [&](ValueId value) { reads = reads || value == node.results.front(); });
      if (reads) return quantizes_by_tensor(*reader.op) || (is_activation(*reader.op) && is_followed(reader));
    }
    return false;
  }

  // The chain that a quantize ends: activations, before them a call of dequantized operands or a dequantize itself.
  bool ends_chain(const Node& quantize) {
    const Call call(*quantize.op, quantize.arguments, graph_.metas);
    ValueId value = call.value(arg::input);
    if (!is_single(value)) return false;
    std::vector<const Node*> activations;
    const Node* made = maker(value);
    while (made && is_activation(*made->op) && uses_[value.index] == 1) {
      activations.push_back(made);
      value = std::get<ValueId>(made->arguments.front());
      made = maker(value);
    }
    if (!made || !is_single(value)) return false;
    if (dequantizes(*made->op)) {
      if (!adds_dequantize(value, Scales::One)) return false;
    } else if (uses_[value.index] != 1 || !adds_main(*made, false)) {
      return false;
    }
    std::ranges::reverse(activations);
    for (const Node* activation : activations) append_to_last(*activation);
    append_to_last(quantize);
    return true;
  }

  // A part that reads the part before it with its first parameter.
  void append_to_last(const Node& node) {
    std::vector<std::vector<int>> reads(node.arguments.size());
    reads.front() = {static_cast<int>(fused_.parts.size()) - 1};
    append(node, std::move(reads));
  }

  void append(const Node& node, std::vector<std::vector<int>> reads) {
    std::vector<Argument> arguments = rewriter_.mapped_arguments(node);
    for (std::size_t p = 0; p < reads.size(); ++p) {
      if (auto* list = std::get_if<ValueList>(&arguments[p])) {
        for (std::size_t i = 0; i < reads[p].size(); ++i) {
          if (reads[p][i] != FusedPart::outside) (*list)[i] = ValueId();
        }
      } else if (!reads[p].empty()) {
        arguments[p] = Argument();
      }
    }
    fused_.parts.push_back({node.op, std::move(reads)});
    fused_.arguments.push_back(std::move(arguments));
  }

  // Adds the dequantize that made an operand, if its parameters lie as is allowed. `axis` is that of channels.
  bool adds_dequantize(ValueId value, Scales allowed, int axis = 0, bool bias = false) {
    const Node* node = maker(value);
    if (!node || !dequantizes(*node->op) || !is_single(value)) return false;
    const Call call(*node->op, node->arguments, graph_.metas);
    const DType dtype = call.tensor(arg::input).dtype;
    const bool narrow = dtype == DType::I8 || dtype == DType::U8 || dtype == DType::I16;
    if (!narrow && !(bias && dtype == DType::I32)) return false;
    if (!call.takes(arg::scales)) {
      const auto counts = [&](arg parameter, bool integral) {
        return !call.is_tensor(parameter) || (is_floating(call.tensor(parameter).dtype) != integral);
      };
      if (!counts(arg::zero_point, true) || !counts(arg::scale, false)) return false;
      if (!call.is_tensor(arg::zero_point) && std::abs(call.integer(arg::zero_point)) > most_zero_point) return false;
    } else if (!lies_as_allowed(call, allowed, axis)) {
      return false;
    }
    append(*node, std::vector<std::vector<int>>(node->arguments.size()));
    return true;
  }

  bool lies_as_allowed(const Call& call, Scales allowed, int axis) const {
    const Layout& x = call.tensor(arg::input).layout;
    if (call.has(arg::zero_points)) {
      // Narrow zero points would wrap when they are taken away.
      const DType dtype = call.tensor(arg::zero_points).dtype;
      if (!is_floating(dtype) && dtype != DType::I32 && dtype != DType::I64) return false;
      if (is_floating(dtype) && allowed != Scales::OneOrTokens) return false;
    }
    if (call.takes(arg::axis)) {
      const bool fits = allowed == Scales::OneOrChannels || allowed == Scales::OneChannelsOrGroups;
      const int64_t own = call.integer(arg::axis);
      return fits && (own < 0 ? own + x.rank() : own) == axis;
    }
    if (call.takes(arg::group_size)) return allowed == Scales::OneChannelsOrGroups;
    if (allowed != Scales::OneOrTokens) return false;
    Dims tokens = x.sizes;
    if (tokens.size() == 0) return false;
    tokens[tokens.size() - 1] = 1;
    return call.tensor(arg::scales).layout.sizes == tokens && call.tensor(arg::zero_points).layout.sizes == tokens;
  }

  int newest() const { return static_cast<int>(fused_.parts.size()) - 1; }

  // Adds a call and the dequantizes of its operands. Only products make floats.
  bool adds_main(const Node& node, bool makes_floats) {
    if (node.results.size() != 1 || !is_single(node.results.front())) return false;
    const Call call(*node.op, node.arguments, graph_.metas);
    std::vector<std::vector<int>> reads(node.arguments.size());
    const auto known = std::ranges::find(kinds, node.op->name, &Kind::op);
    if (known == kinds.end() || (makes_floats && !known->product)) return false;
    if (!(this->*known->adds_operands)(call, reads)) return false;
    append(node, std::move(reads));
    return true;
  }

  std::vector<int>& at(std::vector<std::vector<int>>& reads, const Call& call, ParameterRef parameter) const {
    return reads[static_cast<std::size_t>(call.position(parameter))];
  }

  bool adds_operand(const Call& call, std::vector<std::vector<int>>& reads, ParameterRef parameter, Scales allowed,
                    int axis = 0) {
    if (!call.is_tensor(parameter) || !adds_dequantize(call.value(parameter), allowed, axis)) return false;
    at(reads, call, parameter) = {newest()};
    return true;
  }

  // What is added to a product may be quantized, or a tensor of floats.
  bool adds_bias(const Call& call, std::vector<std::vector<int>>& reads, ParameterRef parameter) {
    if (!call.has(parameter)) return true;
    const ValueId value = call.value(parameter);
    if (!is_single(value)) return false;
    if (adds_dequantize(value, Scales::OneOrChannels, graph_.meta(value).layout.rank() - 1, true))
      at(reads, call, parameter) = {newest()};
    return true;
  }

  bool linear(const Call& call, std::vector<std::vector<int>>& reads) {
    return call.tensor(arg::weight).layout.rank() == 2 && call.tensor(arg::input).layout.rank() > 0 &&
           adds_operand(call, reads, arg::input, Scales::OneOrTokens) &&
           adds_operand(call, reads, arg::weight, Scales::OneChannelsOrGroups) && adds_bias(call, reads, arg::bias);
  }
  bool mm(const Call& call, std::vector<std::vector<int>>& reads) {
    return adds_operand(call, reads, 0, Scales::OneOrTokens) && adds_operand(call, reads, 1, Scales::OneOrChannels, 1);
  }
  bool addmm(const Call& call, std::vector<std::vector<int>>& reads) {
    return call.real(arg::beta) == 1 && call.real(arg::alpha) == 1 &&
           adds_operand(call, reads, arg::mat1, Scales::OneOrTokens) &&
           adds_operand(call, reads, arg::mat2, Scales::OneOrChannels, 1) && adds_bias(call, reads, arg::self);
  }
  bool convolution(const Call& call, std::vector<std::vector<int>>& reads) {
    if (call.takes(arg::transposed) && call.boolean(arg::transposed)) return false;
    const int rank = call.tensor(arg::weight).layout.rank();
    return rank >= 3 && rank <= 5 && call.tensor(arg::input).layout.rank() == rank &&
           adds_operand(call, reads, arg::input, Scales::One) &&
           adds_operand(call, reads, arg::weight, Scales::OneOrChannels) && adds_bias(call, reads, arg::bias);
  }
  bool pool(const Call& call, std::vector<std::vector<int>>& reads) {
    if (call.boolean(arg::ceil_mode) || call.has(arg::divisor_override)) return false;
    return adds_operand(call, reads, arg::self, Scales::One) && has_positive_scale();
  }
  // Whether the newest dequantize keeps the order of what is stored.
  bool has_positive_scale() const {
    const FusedPart& part = fused_.parts.back();
    const auto scale = static_cast<std::size_t>(part.op->schema.index_of(arg::scale));
    const auto* number = std::get_if<Scalar>(&fused_.arguments.back()[scale]);
    return number && as_double(*number) > 0 && std::isfinite(static_cast<float>(as_double(*number)));
  }
  bool pair(const Call& call, std::vector<std::vector<int>>& reads) {
    if (call.takes(arg::alpha) && call.real(arg::alpha) != 1) return false;
    return adds_operand(call, reads, 0, Scales::One) && adds_operand(call, reads, 1, Scales::One);
  }
  bool cat(const Call& call, std::vector<std::vector<int>>& reads) {
    std::vector<int> parts;
    for (const ValueId value : call.values(arg::tensors)) {
      if (!value.valid() || !adds_dequantize(value, Scales::One)) return false;
      parts.push_back(newest());
    }
    at(reads, call, arg::tensors) = std::move(parts);
    return true;
  }

  struct Kind {
    std::string_view op;
    bool (Fuser::*adds_operands)(const Call& call, std::vector<std::vector<int>>& reads);
    bool product = false;
  };
  static const std::array<Kind, 10> kinds;

  const Graph& graph_;
  const IntegerFusion& fusion_;
  Rewriter rewriter_;
  Matcher matcher_;
  std::vector<int> uses_;  // by value
  std::vector<int> makers_;
  std::vector<Write> writes_;
  std::size_t now_ = 0;
  FusedCall fused_;
};

const std::array<Fuser::Kind, 10> Fuser::kinds = {{
    {"aten.linear.default", &Fuser::linear, true},
    {"aten.mm.default", &Fuser::mm, true},
    {"aten.addmm.default", &Fuser::addmm, true},
    {"aten.conv2d.default", &Fuser::convolution, true},
    {"aten.convolution.default", &Fuser::convolution, true},
    {"aten.max_pool2d.default", &Fuser::pool},
    {"aten.avg_pool2d.default", &Fuser::pool},
    {"aten.add.Tensor", &Fuser::pair},
    {"aten.mul.Tensor", &Fuser::pair},
    {"aten.cat.default", &Fuser::cat},
}};

}  // namespace

bool holds_fusable_calls(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) { return dequantizes(*node.op); });
}

int fusable_calls(const Graph& graph) {
  std::vector<bool> dequantized(graph.metas.size(), false);
  int count = 0;
  for (const Node& node : graph.nodes) {
    bool reads = false;
    for (const Argument& argument : node.arguments)
      for_each_value(argument, [&](ValueId value) { reads = reads || dequantized[value.index]; });
    count += reads && !node.op->is_view();
    if (dequantizes(*node.op)) dequantized[node.results.front().index] = true;
  }
  return count;
}

int fused_calls(const Graph& graph) {
  return static_cast<int>(
      std::ranges::count_if(graph.nodes, [](const Node& node) { return as_fused(*node.op) != nullptr; }));
}

// A reader that nobody needs would keep a call in floats.
Result<Graph> fuse_integers_with(const Graph& graph, const IntegerFusion& fusion) {
  if (!holds_dead_nodes(graph)) return Fuser(graph, fusion).run();
  TRY(const Graph live, drop_dead_nodes(graph));
  return Fuser(live, fusion).run();
}

Result<Graph> fuse_integers(const Graph& graph) { return fuse_integers_with(graph, IntegerFusion()); }

}  // namespace parallax
