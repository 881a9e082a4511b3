#include "cli/quantize_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "cli/calibration.h"
#include "graph/control_op.h"
#include "graph/sketch.h"
#include "ops/registry.h"

namespace parallax {
namespace {

constexpr std::string_view library = "quantized_decomposed.";

// Which parameters of a product are what.
struct ProductRow {
  std::string_view op;
  arg activation;
  arg weight;
  arg bias;
  int channels;  // the dim of the weight that has one scale an element
  bool grouped;  // groups lie along the rows of the weight
};
constexpr std::array products = {
    ProductRow{"aten.linear.default", arg::input, arg::weight, arg::bias, 0, true},
    ProductRow{"aten.addmm.default", arg::mat1, arg::mat2, arg::self, 1, false},
    ProductRow{"aten.mm.default", arg::self, arg::mat2, arg::bias, 1, false},
    ProductRow{"aten.conv2d.default", arg::input, arg::weight, arg::bias, 0, false},
    ProductRow{"aten.convolution.default", arg::input, arg::weight, arg::bias, 0, false},
};
// What has two operands with scales of their own, and what its operands share one with.
constexpr std::array pairs = {"aten.add.Tensor", "aten.mul.Tensor"};
constexpr std::array sharing = {"aten.cat.default", "aten.max_pool2d.default", "aten.avg_pool2d.default"};
constexpr std::array activations = {"aten.relu.default", "aten.clamp.default", "aten.hardtanh.default"};

const ProductRow* product_row(const Op& op) {
  const auto found = std::ranges::find(products, op.name, &ProductRow::op);
  return found == products.end() ? nullptr : &*found;
}
template <class Names>
bool is_one_of(const Op& op, const Names& names) {
  return std::ranges::find(names, std::string_view(op.name)) != names.end();
}

// What a tensor is quantized with.
struct Parameters {
  double scale = 1;
  int64_t zero_point = 0;
  int64_t low = -128;
  int64_t high = 127;
  DType dtype = DType::I8;
};

double as_single(double x) { return static_cast<double>(static_cast<float>(x)); }

Parameters parameters_of(const ValueRange& range, DType dtype, bool symmetric) {
  constexpr double least_scale = 0x1p-23;
  const DTypeInfo& limits = info(dtype);
  Parameters made{.low = limits.min_integer, .high = limits.max_integer, .dtype = dtype};
  const auto steps = static_cast<double>(made.high - made.low);
  const double low = std::min(range.low, 0.0);
  const double high = std::max(range.high, 0.0);
  if (symmetric) {
    made.scale = as_single(std::max(std::max(-low, high) / (steps / 2), least_scale));
    made.zero_point = dtype == DType::U8 ? 128 : 0;
    return made;
  }
  made.scale = as_single(std::max((high - low) / steps, least_scale));
  const auto offset = static_cast<int64_t>(std::nearbyint(low / made.scale));
  made.zero_point = std::clamp(made.low - offset, made.low, made.high);
  return made;
}

class CaseQuantizer {
 public:
  CaseQuantizer(const Case& test, const QuantizeOptions& options, Calibration& calibration)
      : test_(test),
        graph_(test.graph),
        options_(options),
        calibration_(calibration),
        sketch_(take_apart(test)),
        written_(written_storages(test.graph)) {
    for (const std::string& name : graph_.names) names_.insert(name);
    for (const Storage& storage : graph_.storages) names_.insert(storage.name);
    for (const Node& node : graph_.nodes) {
      names_.insert(node.name);
      for (const Argument& argument : node.arguments)
        for_each_value(argument, [&](ValueId value) { readers_[value].push_back(&node); });
    }
    for (const ValueId output : graph_.outputs) readers_[output].push_back(nullptr);
  }

  Result<QuantizedCase> run() {
    if (options_.mode == QuantizeMode::Static) share_ranges();
    std::vector<Sketch::CallSketch> calls = std::move(sketch_.nodes);
    sketch_.nodes.clear();
    for (std::size_t n = 0; n < calls.size(); ++n) add(graph_.nodes[n], std::move(calls[n]));
    drop_constants_without_readers();
    if (made_.calls == 0) return fail("nothing in it is quantized in this mode");
    std::optional<Case> test = put_together(sketch_, test_);
    if (!test) return fail("the quantized program is no valid case");
    // Of what has readers with dequantizes of their own.
    made_.test = without_dead_nodes(*test);
    return std::move(made_);
  }

 private:
  const TensorMeta& meta(ValueId value) const { return graph_.meta(value); }
  bool is_single(ValueId value) const { return meta(value).dtype == DType::F32 && meta(value).layout.numel() > 0; }

  // Tensors that must have the same parameters have one range.
  void share_ranges() {
    for (const Node& node : graph_.nodes) {
      if (!is_one_of(*node.op, sharing) || !is_single(node.results.front())) continue;
      std::vector<ValueId> group = {node.results.front()};
      for_each_value(node.arguments.front(), [&](ValueId value) { group.push_back(value); });
      calibration_.share(group);
    }
  }

  std::string fresh_name(std::string_view stem, std::string_view suffix) {
    std::string name = fmt::format("{}_{}", stem, suffix);
    for (int number = 2; names_.contains(name); ++number) name = fmt::format("{}_{}{}", stem, suffix, number);
    names_.insert(name);
    return name;
  }
  ValueId fresh_value() {
    const ValueId value(sketch_.stand_ins.size());
    sketch_.stand_ins.push_back(value);
    return value;
  }

  // A call of an op of the library; the results have names of their own.
  std::vector<ValueId> call(std::string_view op, std::vector<Argument> positional, std::string_view stem,
                            std::string_view suffix, std::size_t results = 1, ValueId result = {}) {
    const Op& record = op_named(std::string(library) + std::string(op));
    Result<std::vector<Argument>> arguments = bind_arguments(record, std::move(positional));
    PARALLAX_CHECK(arguments.has_value());
    Sketch::CallSketch made{&record, fresh_name(stem, suffix), *std::move(arguments), {}, {}};
    for (std::size_t k = 0; k < results; ++k) made.results.push_back(result.valid() ? result : fresh_value());
    sketch_.nodes.push_back(made);
    return made.results;
  }

  ValueId add_constant(Tensor data, std::string_view stem, std::string_view suffix) {
    const ValueId value = fresh_value();
    const DType dtype = data.dtype;
    const Layout layout = contiguous_layout(data.sizes);
    sketch_.sources.push_back(
        {SourceKind::Constant, value, fresh_name(stem, suffix), dtype, layout, std::move(data), std::nullopt});
    return value;
  }

  ValueId quantize(ValueId value, const Parameters& p, std::string_view stem) {
    ++made_.tensors;
    return call("quantize_per_tensor.default",
                {value, Scalar(p.scale), Scalar(p.zero_point), Scalar(p.low), Scalar(p.high), p.dtype}, stem, "q")[0];
  }
  ValueId dequantize(ValueId q, const Parameters& p, std::string_view stem, ValueId result = {}) {
    return call("dequantize_per_tensor.default",
                {q, Scalar(p.scale), Scalar(p.zero_point), Scalar(p.low), Scalar(p.high), p.dtype}, stem, "dq", 1,
                result)[0];
  }

  // --- activations ---

  struct Quantized {
    ValueId integers;
    Parameters parameters;
  };

  // What a call reads in an activation's place; the value itself where it is not quantized. Each reader has a
  // dequantize of its own.
  ValueId activation(ValueId value) {
    if (!is_single(value)) return value;
    const std::string& stem = graph_.name(value);
    if (options_.mode == QuantizeMode::Dynamic) return dynamic(value, stem);
    if (options_.mode == QuantizeMode::EightDaFourW) return by_token(value, stem);
    if (options_.mode != QuantizeMode::Static) return value;
    auto known = quantized_.find(value);
    if (known == quantized_.end() || written_[meta(value).storage.index]) {
      const std::optional<ValueRange> range = calibration_.range(value);
      if (!range) return value;
      const Parameters p = parameters_of(*range, options_.activations, options_.symmetric);
      known = quantized_.insert_or_assign(value, Quantized{quantize(value, p, stem), p}).first;
    }
    return dequantize(known->second.integers, known->second.parameters, stem);
  }

  ValueId dynamic(ValueId value, const std::string& stem) {
    const DTypeInfo& limits = info(options_.activations);
    const Argument low = Scalar(limits.min_integer);
    const Argument high = Scalar(limits.max_integer);
    const std::string_view choose = options_.symmetric ? "choose_qparams_symmetric.tensor" : "choose_qparams.tensor";
    const auto chosen = call(
        choose,
        {value, low, high, Scalar(static_cast<double>(std::numeric_limits<float>::epsilon())), options_.activations},
        stem, "qparams", 2);
    ++made_.tensors;
    const ValueId q = call("quantize_per_tensor.tensor", {value, chosen[0], chosen[1], low, high, options_.activations},
                           stem, "q")[0];
    return call("dequantize_per_tensor.tensor", {q, chosen[0], chosen[1], low, high, options_.activations}, stem,
                "dq")[0];
  }

  ValueId by_token(ValueId value, const std::string& stem) {
    if (meta(value).layout.rank() == 0) return value;
    const Argument low = Scalar(int64_t{-128});
    const Argument high = Scalar(int64_t{127});
    const std::string_view choose =
        options_.symmetric ? "choose_qparams_per_token.default" : "choose_qparams_per_token_asymmetric.default";
    const auto chosen = call(choose, {value, DType::I8}, stem, "qparams", 2);
    ++made_.tensors;
    const ValueId q =
        call("quantize_per_token.default", {value, chosen[0], chosen[1], low, high, DType::I8}, stem, "q")[0];
    return call("dequantize_per_token.default", {q, chosen[0], chosen[1], low, high, DType::I8, DType::F32}, stem,
                "dq")[0];
  }

  // --- weights ---

  const Source* constant(ValueId value) const {
    const auto found = std::ranges::find(graph_.sources, value, &Source::value);
    const bool fits = found != graph_.sources.end() && found->kind == SourceKind::Constant && !found->window;
    return fits && is_single(value) ? &*found : nullptr;
  }

  // The integers of a constant and its scales, `shared` neighbours to one and as many scales as there are channels.
  struct Stored {
    Tensor integers;
    std::vector<double> scales;
  };
  static Stored stored(const Tensor& data, std::size_t scales, const std::vector<std::size_t>& places, int64_t most) {
    std::vector<double> reach(scales, 0.0);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double x = data.get_double(static_cast<int64_t>(i));
      if (std::isfinite(x)) reach[places[i]] = std::max(reach[places[i]], std::fabs(x));
    }
    Stored made{Tensor(DType::I8, data.sizes), {}};
    for (const double x : reach) made.scales.push_back(as_single(std::max(x / static_cast<double>(most), 0x1p-23)));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto element = static_cast<int64_t>(i);
      const double x = std::nearbyint(data.get_double(element) / made.scales[places[i]]);
      const auto bound = static_cast<double>(most);
      made.integers.set_integer(element, std::isnan(x) ? 0 : static_cast<int64_t>(std::clamp(x, -bound, bound)));
    }
    return made;
  }

  ValueId scales_constant(const std::vector<double>& scales, const Dims& sizes, std::string_view stem) {
    Tensor data(DType::F32, sizes);
    for (std::size_t i = 0; i < scales.size(); ++i) data.set_double(static_cast<int64_t>(i), scales[i]);
    return add_constant(std::move(data), stem, "scales");
  }
  ValueId zeros_constant(const Dims& sizes, DType dtype, std::string_view stem) {
    return add_constant(Tensor(dtype, sizes), stem, "zero_points");
  }

  // A weight that is stored as integers, and its scales by channel; nothing where it is no constant.
  struct Weight {
    ValueId value;
    std::vector<double> scales;
  };
  std::optional<Weight> weight(ValueId value, const ProductRow& row) {
    const Source* source = constant(value);
    if (!source) return std::nullopt;
    const Dims& sizes = source->data.sizes;
    const bool four = options_.mode == QuantizeMode::WeightOnly4 || options_.mode == QuantizeMode::EightDaFourW;
    if (four) return row.grouped && sizes.size() == 2 ? grouped_weight(*source) : std::nullopt;
    if (sizes.size() <= row.channels) return std::nullopt;
    const std::string& stem = graph_.name(value);
    int64_t inner = 1;
    for (int dim = row.channels + 1; dim < sizes.size(); ++dim) inner *= sizes[dim];
    const int64_t channels = options_.per_channel ? sizes[row.channels] : 1;
    std::vector<std::size_t> places;
    for (int64_t i = 0; i < source->data.numel(); ++i) places.push_back(static_cast<std::size_t>(i / inner % channels));
    Stored made = stored(source->data, static_cast<std::size_t>(channels), places, 127);
    const ValueId integers = add_constant(std::move(made.integers), stem, "q");
    ++made_.weights;
    if (!options_.per_channel) {
      const Parameters p{.scale = made.scales[0], .low = -127};
      return Weight{dequantize(integers, p, stem), std::move(made.scales)};
    }
    const ValueId scales = scales_constant(made.scales, Dims{channels}, stem);
    const ValueId zeros = zeros_constant(Dims{channels}, DType::I64, stem);
    const ValueId result = call("dequantize_per_channel.default",
                                {integers, scales, zeros, Scalar(int64_t{row.channels}), Scalar(int64_t{-127}),
                                 Scalar(int64_t{127}), DType::I8},
                                stem, "dq")[0];
    return Weight{result, std::move(made.scales)};
  }

  std::optional<Weight> grouped_weight(const Source& source) {
    const Dims& sizes = source.data.sizes;
    const std::string& stem = graph_.name(source.value);
    const int64_t group = sizes[1] % options_.group == 0 ? options_.group : sizes[1];
    if (group < 2) return std::nullopt;
    std::vector<std::size_t> places;
    for (int64_t i = 0; i < source.data.numel(); ++i) places.push_back(static_cast<std::size_t>(i / group));
    const Dims groups = {sizes[0], sizes[1] / group};
    Stored made = stored(source.data, static_cast<std::size_t>(groups[0] * groups[1]), places, 7);
    const ValueId integers = add_constant(std::move(made.integers), stem, "q");
    ++made_.weights;
    const ValueId scales = scales_constant(made.scales, groups, stem);
    const ValueId zeros = zeros_constant(groups, DType::I32, stem);
    const ValueId result =
        call("dequantize_per_channel_group.default",
             {integers, scales, zeros, Scalar(int64_t{-8}), Scalar(int64_t{7}), DType::I8, Scalar(group), DType::F32},
             stem, "dq")[0];
    return Weight{result, std::move(made.scales)};
  }

  // A bias of i32 has the product of the two scales, and no zero point.
  ValueId bias(ValueId value, double activation_scale, const std::vector<double>& weight_scales) {
    const Source* source = constant(value);
    if (!source || source->data.sizes.size() != 1) return value;
    const auto channels = static_cast<std::size_t>(source->data.numel());
    if (weight_scales.size() != 1 && weight_scales.size() != channels) return value;
    const DTypeInfo& limits = info(DType::I32);
    Tensor integers(DType::I32, source->data.sizes);
    std::vector<double> scales;
    for (std::size_t i = 0; i < channels; ++i) {
      const double scale = as_single(activation_scale * weight_scales[weight_scales.size() == 1 ? 0 : i]);
      if (weight_scales.size() != 1 || scales.empty()) scales.push_back(scale);
      const double x = std::nearbyint(source->data.get_double(static_cast<int64_t>(i)) / scale);
      const auto low = static_cast<double>(limits.min_integer);
      const auto high = static_cast<double>(limits.max_integer);
      integers.set_integer(static_cast<int64_t>(i), std::isnan(x) ? 0 : static_cast<int64_t>(std::clamp(x, low, high)));
    }
    const std::string& stem = graph_.name(value);
    const ValueId stored_as = add_constant(std::move(integers), stem, "q");
    const Parameters p{.scale = scales[0], .low = limits.min_integer, .high = limits.max_integer, .dtype = DType::I32};
    if (scales.size() == 1) return dequantize(stored_as, p, stem);
    const Dims sizes = {static_cast<int64_t>(scales.size())};
    return call("dequantize_per_channel.default",
                {stored_as, scales_constant(scales, sizes, stem), zeros_constant(sizes, DType::I64, stem),
                 Scalar(int64_t{0}), Scalar(limits.min_integer), Scalar(limits.max_integer), DType::I32},
                stem, "dq")[0];
  }

  // --- calls ---

  static ValueId& operand(Sketch::CallSketch& call, ParameterRef parameter) {
    return std::get<ValueId>(call.arguments[static_cast<std::size_t>(call.op->schema.index_of(parameter))]);
  }

  void add(const Node& node, Sketch::CallSketch sketched) {
    const bool counts = rewrite(node, sketched);
    made_.calls += counts;
    const bool ends =
        options_.mode == QuantizeMode::Static &&
        ((counts && !is_followed(node)) || (is_one_of(*node.op, activations) && follows_.contains(&node)));
    if (counts && is_followed(node)) follows_.insert(readers_[node.results.front()].front());
    if (!ends || !is_single(node.results.front())) {
      sketch_.nodes.push_back(std::move(sketched));
      return;
    }
    const ValueId result = node.results.front();
    const std::optional<ValueRange> range = calibration_.range(result);
    if (!range) {
      sketch_.nodes.push_back(std::move(sketched));
      return;
    }
    // Who reads the result reads the pair.
    const ValueId own = fresh_value();
    sketched.results.front() = own;
    const std::string stem = graph_.name(result);
    sketched.name = fresh_name(stem, "f");
    sketched.result_names.clear();
    sketch_.nodes.push_back(std::move(sketched));
    const Parameters p = parameters_of(*range, options_.activations, options_.symmetric);
    const ValueId q = quantize(own, p, stem);
    quantized_.insert_or_assign(result, Quantized{q, p});
    dequantize(q, p, stem, result);
  }

  // Whether the only reader is a call that a quantizer leaves beside this one.
  bool is_followed(const Node& node) const {
    const auto found = readers_.find(node.results.front());
    if (found == readers_.end() || found->second.size() != 1 || !found->second.front()) return false;
    return is_one_of(*found->second.front()->op, activations);
  }

  // Gives a call operands that are dequantized; false for one that is left as it is.
  bool rewrite(const Node& node, Sketch::CallSketch& call) {
    if (node.results.size() != 1 || !is_single(node.results.front())) return false;
    if (const ProductRow* row = product_row(*node.op)) return rewrite_product(node, *row, call);
    if (options_.mode != QuantizeMode::Static) return false;
    const bool reads_all = is_one_of(*node.op, pairs);
    if (!reads_all && !is_one_of(*node.op, sharing)) return false;
    if (reads_all &&
        (!std::holds_alternative<ValueId>(node.arguments[0]) || !std::holds_alternative<ValueId>(node.arguments[1])))
      return false;
    for (std::size_t p = 0; p < (reads_all ? 2 : 1); ++p)
      for_each_value(call.arguments[p], [&](ValueId& value) { value = activation(value); });
    return true;
  }

  bool rewrite_product(const Node& node, const ProductRow& row, Sketch::CallSketch& call) {
    const Call own(*node.op, node.arguments, graph_.metas);
    if (own.takes(arg::transposed) && own.boolean(arg::transposed)) return false;
    const ValueId x = own.value(row.activation);
    std::optional<Weight> made = weight(own.value(row.weight), row);
    if (!made && options_.mode != QuantizeMode::Static) return false;
    operand(call, row.activation) = activation(x);
    operand(call, row.weight) = made ? made->value : activation(own.value(row.weight));
    const auto known = quantized_.find(x);
    if (options_.integer_biases && made && own.has(row.bias) && known != quantized_.end())
      operand(call, row.bias) = bias(own.value(row.bias), known->second.parameters.scale, made->scales);
    return true;
  }

  void drop_constants_without_readers() {
    std::set<ValueId> read(sketch_.outputs.begin(), sketch_.outputs.end());
    for (const Sketch::CallSketch& call : sketch_.nodes) {
      for (const Argument& argument : call.arguments)
        for_each_value(argument, [&](ValueId value) { read.insert(value); });
    }
    std::erase_if(sketch_.sources, [&](const Sketch::GivenValue& source) {
      return source.kind == SourceKind::Constant && !source.storage && !read.contains(source.value);
    });
  }

  const Case& test_;
  const Graph& graph_;
  const QuantizeOptions& options_;
  Calibration& calibration_;
  Sketch sketch_;
  std::vector<bool> written_;
  std::set<std::string> names_;
  std::map<ValueId, std::vector<const Node*>> readers_;  // null for the caller
  std::map<ValueId, Quantized> quantized_;
  std::set<const Node*> follows_;  // activations behind a call that is quantized
  QuantizedCase made_;
};

}  // namespace

Result<QuantizedCase> quantize_case(const Case& test, const QuantizeOptions& options) {
  if (!test.symbols.empty()) return fail("a case whose sizes change is not quantized");
  if (find_control(test.graph)) return fail("a case with subgraphs is not quantized");
  if (test.gradient) return fail("a case that asks for gradients is not quantized");
  TRY(Calibration calibration, Calibration::of(test));
  return CaseQuantizer(test, options, calibration).run();
}

}  // namespace parallax
