#include "backends/xnnpack/integer_delegate.h"

#include <xnnpack.h>

#include <map>

#include "backends/xnnpack/definer.h"
#include "backends/xnnpack/integer_call.h"
#include "backends/xnnpack/integer_operators.h"

namespace parallax::xnnpack {
namespace {

using portable::TensorRef;
using Bytes = std::vector<uint8_t>;  // of i8 or u8, in row-major order, with room behind them

struct DeleteOperator {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};

Bytes with_slack(std::size_t size) { return Bytes(size + XNN_EXTRA_BYTES); }

Bytes stored(const Tensor& tensor, const Layout& layout) {
  Bytes bytes;
  for_each_element(layout,
                   [&](int64_t element) { bytes.push_back(static_cast<uint8_t>(tensor.get_integer(element))); });
  bytes.resize(bytes.size() + XNN_EXTRA_BYTES);
  return bytes;
}

// The dims of a contiguous tensor in another order.
Layout reordered(const Dims& sizes, std::initializer_list<int> dims) {
  const Layout from = contiguous_layout(sizes);
  Layout layout;
  for (const int dim : dims) {
    layout.sizes.push_back(from.sizes[dim]);
    layout.strides.push_back(from.strides[dim]);
  }
  return layout;
}

Bytes rearranged(const Bytes& bytes, const Layout& layout) {
  Bytes made;
  for_each_element(layout, [&](int64_t element) { made.push_back(bytes[static_cast<std::size_t>(element)]); });
  made.resize(made.size() + XNN_EXTRA_BYTES);
  return made;
}

// One fused call as an operator of the library.
class IntegerOperator {
 public:
  static Result<IntegerOperator> of(const Graph& graph, const Node& node) {
    IntegerOperator made;
    made.call_ = *integer_call(graph, node);
    made.result_ = node.results.front();
    made.x_sizes_ = graph.meta(made.call_.x).layout.sizes;
    made.w_sizes_ = graph.meta(made.call_.other).layout.sizes;
    made.sizes_ = graph.meta(made.result_).layout.sizes;
    xnn_operator_t op = nullptr;
    const xnn_status status =
        made.call_.dtype == DType::I8 ? made.create<int8_t>(graph, op) : made.create<uint8_t>(graph, op);
    if (status != xnn_status_success) return fail("XNNPACK creates no operator for {}: {}", node.name, name(status));
    made.op_.reset(op);
    return made;
  }

  const IntegerCall& call() const { return call_; }
  ValueId result() const { return result_; }

  Result<Bytes> run(const Bytes& x, const Bytes& other) {
    std::size_t elements = 1;
    for (const int64_t size : sizes_) elements *= static_cast<std::size_t>(size);
    Bytes made = with_slack(elements);
    const bool pictures = call_.kind == IntegerCall::Kind::Convolution;
    const Bytes seen = pictures ? rearranged(x, reordered(x_sizes_, {0, 2, 3, 1})) : x;
    const xnn_status status = call_.dtype == DType::I8 ? compute(reinterpret_cast<const int8_t*>(seen.data()),
                                                                 reinterpret_cast<const int8_t*>(other.data()),
                                                                 reinterpret_cast<int8_t*>(made.data()))
                                                       : compute(seen.data(), other.data(), made.data());
    if (status != xnn_status_success) return fail("XNNPACK does not run: {}", name(status));
    if (!pictures) return made;
    return rearranged(made, reordered({sizes_[0], sizes_[2], sizes_[3], sizes_[1]}, {0, 3, 1, 2}));
  }

 private:
  static std::size_t count(int64_t n) { return static_cast<std::size_t>(n); }
  static IntegerScale scale_of(const auto& of) { return {of.scale, static_cast<int32_t>(of.zero_point)}; }
  static uint32_t number(int64_t n) { return static_cast<uint32_t>(n); }

  template <class Q>
  static Q q(int64_t x) {
    return static_cast<Q>(x);
  }

  template <class Q>
  xnn_status create(const Graph& graph, xnn_operator_t& op) {
    const IntegerCall& c = call_;
    const auto [zx, zo] = std::pair(q<Q>(c.of_x.zero_point), q<Q>(c.of_result.zero_point));
    const Q low = q<Q>(c.low);
    const Q high = q<Q>(c.high);
    const int32_t* bias = c.bias.empty() ? nullptr : c.bias.data();
    if (c.kind == IntegerCall::Kind::Multiply)
      return create_product(op, scale_of(c.of_x), scale_of(c.of_other), scale_of(c.of_result), low, high);
    const Tensor& data = constant_source(graph, c.other)->data;
    if (c.kind == IntegerCall::Kind::Linear) {
      const Bytes weights = stored(data, contiguous_layout(w_sizes_));
      const std::size_t in = count(w_sizes_[1]);
      const std::size_t out = count(w_sizes_[0]);
      if constexpr (std::is_same_v<Q, int8_t>) {
        return create_operator(xnn_create_fully_connected_nc_qs8, op, in, out, in, out, zx, c.of_x.scale,
                               c.of_other.scale, reinterpret_cast<const int8_t*>(weights.data()), bias, zo,
                               c.of_result.scale, low, high, 0U);
      } else {
        return create_operator(xnn_create_fully_connected_nc_qu8, op, in, out, in, out, zx, c.of_x.scale,
                               q<Q>(c.of_other.zero_point), c.of_other.scale, weights.data(), bias, zo,
                               c.of_result.scale, low, high, 0U);
      }
    }
    const Bytes weights = stored(data, reordered(w_sizes_, {0, 2, 3, 1}));
    const uint32_t top = number(c.padding[0]);
    const uint32_t left = number(c.padding[1]);
    const uint32_t height = number(w_sizes_[2]);
    const uint32_t width = number(w_sizes_[3]);
    const std::size_t in = count(w_sizes_[1]);
    const std::size_t out = count(w_sizes_[0] / c.groups);
    const std::size_t all_in = in * count(c.groups);
    const std::size_t all_out = count(w_sizes_[0]);
    if constexpr (std::is_same_v<Q, int8_t>) {
      const auto* kernel = reinterpret_cast<const int8_t*>(weights.data());
      if (!c.channel_scales.empty()) {
        return create_operator(create_convolution_by_channel, op, top, left, top, left, height, width,
                               number(c.stride[0]), number(c.stride[1]), number(c.dilation[0]), number(c.dilation[1]),
                               number(c.groups), in, out, all_in, all_out, zx, c.of_x.scale, c.channel_scales.data(),
                               kernel, bias, zo, c.of_result.scale, low, high, 0U);
      }
      return create_operator(xnn_create_convolution2d_nhwc_qs8, op, top, left, top, left, height, width,
                             number(c.stride[0]), number(c.stride[1]), number(c.dilation[0]), number(c.dilation[1]),
                             number(c.groups), in, out, all_in, all_out, zx, c.of_x.scale, c.of_other.scale, kernel,
                             bias, zo, c.of_result.scale, low, high, 0U);
    } else {
      return create_operator(xnn_create_convolution2d_nhwc_qu8, op, top, left, top, left, height, width,
                             number(c.stride[0]), number(c.stride[1]), number(c.dilation[0]), number(c.dilation[1]),
                             number(c.groups), in, out, all_in, all_out, zx, c.of_x.scale, q<Q>(c.of_other.zero_point),
                             c.of_other.scale, weights.data(), bias, zo, c.of_result.scale, low, high, 0U);
    }
  }

  template <class Q>
  xnn_status compute(const Q* x, const Q* other, Q* made) {
    if (call_.kind == IntegerCall::Kind::Multiply) {
      const std::vector<std::size_t> shape(x_sizes_.begin(), x_sizes_.end());
      return run_product(op_.get(), shape, x, other, made, q<Q>(call_.low), q<Q>(call_.high));
    }
    xnn_status status = xnn_status_success;
    if (call_.kind == IntegerCall::Kind::Linear) {
      std::size_t batch = 1;
      for (int dim = 0; dim + 1 < x_sizes_.size(); ++dim) batch *= count(x_sizes_[dim]);
      status = set_up_linear(op_.get(), batch, x, made);
    } else {
      status = set_up_convolution(op_.get(), !call_.channel_scales.empty(), count(x_sizes_[0]), count(x_sizes_[2]),
                                  count(x_sizes_[3]), workspace_, x, made);
    }
    return status == xnn_status_success ? xnn_run_operator(op_.get(), nullptr) : status;
  }

  IntegerCall call_;
  ValueId result_;
  Dims x_sizes_, w_sizes_, sizes_;
  std::unique_ptr<xnn_operator, DeleteOperator> op_;
  Workspace workspace_;
};

class IntegerDelegate final : public Delegate {
 public:
  IntegerDelegate(std::vector<IntegerOperator> operators, std::vector<ValueId> inputs, std::vector<ValueId> outputs)
      : operators_(std::move(operators)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  Result<void> run(std::span<const TensorRef> inputs, std::span<const TensorRef> outputs) override {
    std::map<ValueId, Bytes> known;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const TensorRef& tensor = inputs[i];
      if (tensor.dtype != DType::I8 && tensor.dtype != DType::U8) continue;
      std::vector<int64_t> numbers(static_cast<std::size_t>(tensor.layout->numel()));
      portable::read_elements(tensor, *tensor.layout, numbers.data());
      Bytes bytes = with_slack(numbers.size());
      for (std::size_t k = 0; k < numbers.size(); ++k) bytes[k] = static_cast<uint8_t>(numbers[k]);
      known.insert_or_assign(inputs_[i], std::move(bytes));
    }
    for (IntegerOperator& one : operators_) {
      TRY(Bytes made, one.run(known[one.call().x], known[one.call().other]));
      known.insert_or_assign(one.result(), std::move(made));
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const TensorRef& tensor = outputs[i];
      const Bytes& bytes = known[outputs_[i]];
      std::vector<int64_t> numbers(static_cast<std::size_t>(tensor.layout->numel()));
      for (std::size_t k = 0; k < numbers.size(); ++k)
        numbers[k] = tensor.dtype == DType::I8 ? static_cast<int8_t>(bytes[k]) : bytes[k];
      portable::write_elements(tensor, *tensor.layout, numbers.data());
    }
    return {};
  }

 private:
  std::vector<IntegerOperator> operators_;
  std::vector<ValueId> inputs_, outputs_;
};

}  // namespace

bool takes_integers(const Graph& graph, const Node& node) { return integer_call(graph, node).has_value(); }

Result<std::unique_ptr<Delegate>> make_integer_delegate(const Graph& graph, const Partition& partition,
                                                        std::span<const ValueId> outputs) {
  static const xnn_status status = xnn_initialize(nullptr);
  if (status != xnn_status_success) {
    return std::unexpected(
        Error{ErrorKind::NoTarget, "", "", fmt::format("XNNPACK does not start here: {}", name(status))});
  }
  std::vector<IntegerOperator> operators;
  for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
    TRY(IntegerOperator made, IntegerOperator::of(graph, graph.nodes[n]));
    operators.push_back(std::move(made));
  }
  return std::make_unique<IntegerDelegate>(std::move(operators), partition.inputs,
                                           std::vector<ValueId>(outputs.begin(), outputs.end()));
}

}  // namespace parallax::xnnpack
