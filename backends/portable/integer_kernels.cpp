#include "backends/portable/integer_kernels.h"

#include <cmath>
#include <limits>
#include <optional>

#include "backends/portable/integer_operand.h"
#include "backends/portable/windows.h"

namespace parallax::portable {
namespace {

std::size_t index_of(int64_t i) { return static_cast<std::size_t>(i); }

// What a relu or a clamp lets through; NaN passes.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  double applied(double x) const { return x != x ? x : std::min(std::max(x, low), high); }
};

Bounds bounds_of(const Call& call) {
  const auto bound = [&](arg parameter, double otherwise) {
    return call.has(parameter) ? static_cast<double>(static_cast<float>(call.real(parameter))) : otherwise;
  };
  const Bounds none;
  if (call.takes(arg::min_val)) return {bound(arg::min_val, none.low), bound(arg::max_val, none.high)};
  if (call.takes(arg::min)) return {bound(arg::min, none.low), bound(arg::max, none.high)};
  return {0, none.high};
}

// A fused call by the roles of its parts: dequantizes, one op, what it is activated by, and perhaps a quantize.
class Roles {
 public:
  Roles(const KernelCall& call, const FusedSteps& steps, const IntegerRules& rules)
      : call_(call), steps_(steps), rules_(rules) {
    const auto begins = [&](std::size_t part, std::string_view text) {
      return steps.op(part).schema.name.starts_with(text);
    };
    std::size_t part = 0;
    while (part < steps.size() && begins(part, "dequantize")) ++part;
    main_ = part;
    if (part < steps.size() && !begins(part, "quantize") && !is_activation(part)) ++part;
    for (; part < steps.size() && is_activation(part); ++part) bounds_.push_back(bounds_of(steps.part(part)));
    if (part < steps.size()) requantizer_.emplace(call, steps.part(part), rules);
  }

  const KernelCall& call() const { return call_; }
  const IntegerRules& rules() const { return rules_; }
  // The op between the dequantizes and what follows. Without one, the last dequantize stands for it.
  Call main() const { return steps_.part(main_); }
  std::string_view name() const { return steps_.op(main_).name; }

  // What a value is dequantized from; nothing for a tensor of floats.
  std::optional<IntegerOperand> integers(ValueId value, const Dims* sizes = nullptr) const {
    const int maker = steps_.maker(value);
    if (maker == FusedPart::outside) return std::nullopt;
    return read_operand(call_, steps_.part(index_of(maker)), rules_, sizes);
  }
  // The elements of a value, broadcast.
  Numbers<double> reals(ValueId value, const Dims& sizes) const {
    if (steps_.maker(value) == FusedPart::outside) return call_.broadcast<double>(call_.ref(value), sizes, DType::F64);
    const IntegerOperand operand = *integers(value);
    const Numbers<int64_t> places = places_of(operand.sizes, sizes);
    Numbers<double> all = call_.numbers<double>(static_cast<int64_t>(places.size()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(operand.real(index_of(places[i])));
    return all;
  }

  // Puts down element i, which is a sum or of single precision.
  void put_sum(std::size_t i, double y, Numbers<int64_t>& integers, Numbers<float>& floats) const {
    if (!rules_.activates_integers) y = activated(y);
    if (!requantizer_) {
      floats[i] = static_cast<float>(y);
    } else {
      integers[i] = activated_late(requantizer_->of_sum(y));
    }
  }
  void put_single(std::size_t i, float y, Numbers<int64_t>& integers) const {
    if (!rules_.activates_integers) y = static_cast<float>(activated(static_cast<double>(y)));
    integers[i] = activated_late(requantizer_->of_single(y));
  }
  // Memory for the results; write() hands them out.
  Numbers<int64_t> integer_results() const {
    return call_.numbers<int64_t>(requantizer_ ? call_.output().layout->numel() : 0);
  }
  Numbers<float> float_results() const {
    return call_.numbers<float>(requantizer_ ? 0 : call_.output().layout->numel());
  }
  void write(const Numbers<int64_t>& integers, const Numbers<float>& floats) const {
    if (requantizer_) {
      call_.write(integers);
    } else {
      call_.write(floats);
    }
  }

 private:
  bool is_activation(std::size_t part) const {
    const std::string_view name = steps_.op(part).schema.name;
    return name == "relu" || name == "clamp" || name == "hardtanh";
  }
  double activated(double y) const {
    for (const Bounds& bounds : bounds_) y = bounds.applied(y);
    return y;
  }
  int64_t activated_late(int64_t q) const {
    if (!rules_.activates_integers) return q;
    const double y = activated(static_cast<double>(q));
    return cut_to(std::nearbyint(y), call_.output().dtype);
  }
  // Where each element of a tensor that is broadcast comes from.
  Numbers<int64_t> places_of(const Dims& from, const Dims& to) const {
    const std::optional<Layout> layout = broadcast_to(contiguous_layout(from), to);
    PARALLAX_CHECK(layout.has_value());
    Numbers<int64_t> places = call_.numbers<int64_t>(0);
    for_each_element(*layout, [&](int64_t element) { places.push_back(element); });
    return places;
  }

  const KernelCall& call_;
  const FusedSteps& steps_;
  const IntegerRules& rules_;
  std::size_t main_ = 0;
  std::vector<Bounds> bounds_;
  std::optional<Requantizer> requantizer_;
};

// One sum of products. Where the scales change on the way, what was summed so far meets its own.
class Sum {
 public:
  Sum(const IntegerOperand& x, const IntegerOperand& w, const IntegerRules& rules, int64_t row)
      : x_(x), w_(w), rules_(rules), row_(row) {}

  void take(std::size_t xi, std::size_t wi) {
    if (const auto places = std::pair(x_.place(xi), w_.place(wi)); places != at_) {
      meet_scales();
      at_ = places;
    }
    whole_ = rules_.accumulated(whole_ + x_.values[xi] * w_.values[wi]);
    if (!is_finite()) real_ += static_cast<double>(x_.real(xi)) * static_cast<double>(w_.real(wi));
  }
  // What stands in the padding beside a weight.
  void take_pad(std::size_t wi) {
    const int64_t stored = rules_.pad(x_.zero_point);
    if (stored == x_.zero_point) return;
    at_ = {0, w_.place(wi)};
    whole_ = rules_.accumulated(whole_ + (stored - x_.zero_point) * w_.values[wi]);
  }
  double total(double bias) {
    meet_scales();
    return sum_ + rules_.bias(bias, x_.scales[at_.first], w_.scales[at_.second]);
  }

 private:
  bool is_finite() const { return std::isfinite(x_.scales[at_.first]) && std::isfinite(w_.scales[at_.second]); }
  void meet_scales() {
    const auto channel = index_of(rules_.scale(static_cast<int64_t>(at_.second), row_)) % w_.scales.size();
    const double input = x_.scales[at_.first];
    const double weight = w_.scales[channel];
    const auto whole = static_cast<double>(whole_);
    if (!is_finite()) {
      sum_ += real_;  // what floats would give
    } else {
      const double both = input * weight;
      // Scales of f64 may overflow where their sum is 0.
      sum_ += std::isfinite(both) ? whole * both : whole * input * weight;
    }
    whole_ = 0;
    real_ = 0;
  }

  const IntegerOperand& x_;
  const IntegerOperand& w_;
  const IntegerRules& rules_;
  int64_t row_;
  std::pair<std::size_t, std::size_t> at_{0, 0};
  int64_t whole_ = 0;
  double real_ = 0;
  double sum_ = 0;
};

// --- products of matrices ---

// Rows of x against columns of w, which lie `step` apart and whose elements lie `stride` apart.
Result<void> multiply_rows(const Roles& roles, ValueId x_value, ValueId w_value, bool transposed,
                           std::optional<ValueId> bias_value) {
  const IntegerOperand x = *roles.integers(x_value);
  const IntegerOperand w = *roles.integers(w_value);
  const int64_t depth = x.sizes.back();
  const int64_t width = transposed ? w.sizes[0] : w.sizes[1];
  const Dims& sizes = roles.call().output_sizes();
  const int64_t elements = roles.call().output().layout->numel();
  Numbers<double> bias = bias_value ? roles.reals(*bias_value, sizes) : roles.call().numbers<double>(elements);
  Numbers<int64_t> integers = roles.integer_results();
  Numbers<float> floats = roles.float_results();
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t row = i / width;
    const int64_t column = i % width;
    Sum sum(x, w, roles.rules(), row);
    for (int64_t k = 0; k < depth; ++k)
      sum.take(index_of(row * depth + k), index_of(transposed ? column * depth + k : k * width + column));
    roles.put_sum(index_of(i), sum.total(bias[index_of(i)]), integers, floats);
  }
  roles.write(integers, floats);
  return {};
}

Result<void> linear(const Roles& roles) {
  const Call main = roles.main();
  return multiply_rows(roles, main.value(arg::input), main.value(arg::weight), true,
                       main.has(arg::bias) ? std::optional(main.value(arg::bias)) : std::nullopt);
}

Result<void> matrix_product(const Roles& roles) {
  const Call main = roles.main();
  if (!main.takes(arg::mat1)) return multiply_rows(roles, main.value(0), main.value(1), false, std::nullopt);
  return multiply_rows(roles, main.value(arg::mat1), main.value(arg::mat2), false, main.value(arg::self));
}

// --- convolutions ---

struct Window {
  Space input, output, kernel, stride, padding, dilation;
};

Result<void> convolution(const Roles& roles) {
  const Call main = roles.main();
  const IntegerOperand x = *roles.integers(main.value(arg::input));
  const IntegerOperand w = *roles.integers(main.value(arg::weight));
  const Dims& sizes = roles.call().output_sizes();
  const int spatial = w.sizes.size() - 2;
  const auto numbers = [&](arg name, int64_t otherwise) {
    return spatial_numbers(main.integers(name), spatial, otherwise);
  };
  const Window at{spatial_sizes(x.sizes, spatial), spatial_sizes(sizes, spatial), spatial_sizes(w.sizes, spatial),
                  numbers(arg::stride, 1),         numbers(arg::padding, 0),      numbers(arg::dilation, 1)};
  const int64_t out = w.sizes[0];
  const int64_t in = w.sizes[1];
  const int64_t groups = main.integer(arg::groups);
  Numbers<double> bias = roles.call().numbers<double>(out);
  if (main.has(arg::bias)) bias = roles.reals(main.value(arg::bias), Dims{out});
  Numbers<int64_t> integers = roles.integer_results();
  Numbers<float> floats = roles.float_results();
  const int64_t pixels = positions(at.output);
  for (int64_t i = 0; i < roles.call().output().layout->numel(); ++i) {
    const int64_t pixel = i % pixels;
    const int64_t channel = i / pixels % out;
    const int64_t batch = i / pixels / out;
    const Space to = {pixel / (at.output[1] * at.output[2]), pixel / at.output[2] % at.output[1], pixel % at.output[2]};
    const int64_t first_channel = channel / (out / groups) * in;
    Sum sum(x, w, roles.rules(), pixel);
    for (int64_t c = 0; c < in; ++c) {
      for (int64_t tap = 0; tap < positions(at.kernel); ++tap) {
        const Space k = {tap / (at.kernel[1] * at.kernel[2]), tap / at.kernel[2] % at.kernel[1], tap % at.kernel[2]};
        const std::size_t wi = index_of((channel * in + c) * positions(at.kernel) + tap);
        int64_t from = batch * groups * in + first_channel + c;
        bool inside = true;
        for (std::size_t d = 0; d < k.size(); ++d) {
          const int64_t place = to[d] * at.stride[d] + k[d] * at.dilation[d] - at.padding[d];
          inside = inside && place >= 0 && place < at.input[d];
          from = from * at.input[d] + place;
        }
        if (inside) {
          sum.take(index_of(from), wi);
        } else {
          sum.take_pad(wi);
        }
      }
    }
    roles.put_sum(index_of(i), sum.total(bias[index_of(channel)]), integers, floats);
  }
  roles.write(integers, floats);
  return {};
}

// --- pools ---

// Calls `visit(i, elements, padded)` with the elements of each window, and how many more are padding.
template <class Visit>
void for_each_window(const IntegerOperand& x, const Dims& sizes, const Window& at, Visit&& visit) {
  std::vector<std::size_t> elements;
  const int64_t pixels = positions(at.output);
  int64_t all = 1;
  for (const int64_t size : sizes) all *= size;
  for (int64_t i = 0; i < all; ++i) {
    const int64_t pixel = i % pixels;
    const Space to = {pixel / (at.output[1] * at.output[2]), pixel / at.output[2] % at.output[1], pixel % at.output[2]};
    elements.clear();
    int64_t padded = 0;
    for (int64_t tap = 0; tap < positions(at.kernel); ++tap) {
      const Space k = {tap / (at.kernel[1] * at.kernel[2]), tap / at.kernel[2] % at.kernel[1], tap % at.kernel[2]};
      int64_t from = i / pixels;
      bool inside = true;
      for (std::size_t d = 0; d < k.size(); ++d) {
        const int64_t place = to[d] * at.stride[d] + k[d] * at.dilation[d] - at.padding[d];
        inside = inside && place >= 0 && place < at.input[d];
        from = from * at.input[d] + place;
      }
      if (inside) elements.push_back(index_of(from));
      padded += inside ? 0 : 1;
    }
    visit(index_of(i), elements, padded);
  }
  PARALLAX_CHECK(x.values.size() > 0 || all == 0);
}

Window pool_window(const Roles& roles, const IntegerOperand& x) {
  constexpr int spatial = 2;
  const Call main = roles.main();
  const Space kernel = spatial_numbers(main.integers(arg::kernel_size), spatial, 1);
  const bool strided = !main.integers(arg::stride).empty();
  return {spatial_sizes(x.sizes, spatial),
          spatial_sizes(roles.call().output_sizes(), spatial),
          kernel,
          strided ? spatial_numbers(main.integers(arg::stride), spatial, 1) : kernel,
          spatial_numbers(main.integers(arg::padding), spatial, 0),
          main.takes(arg::dilation) ? spatial_numbers(main.integers(arg::dilation), spatial, 1) : Space{1, 1, 1}};
}

Result<void> max_pool(const Roles& roles) {
  const IntegerOperand x = *roles.integers(roles.main().value(arg::self));
  Numbers<int64_t> integers = roles.integer_results();
  for_each_window(x, roles.call().output_sizes(), pool_window(roles, x),
                  [&](std::size_t i, const std::vector<std::size_t>& elements, int64_t) {
                    int64_t most = roles.rules().lowest(x.dtype) - x.zero_point;
                    for (const std::size_t element : elements) most = std::max(most, x.values[element]);
                    const float y = static_cast<float>(most) * static_cast<float>(x.scales[0]);
                    roles.put_single(i, y, integers);
                  });
  roles.write(integers, roles.float_results());
  return {};
}

Result<void> average_pool(const Roles& roles) {
  const IntegerOperand x = *roles.integers(roles.main().value(arg::self));
  const bool counts_pads = roles.main().boolean(arg::count_include_pad);
  Numbers<int64_t> integers = roles.integer_results();
  Numbers<float> floats = roles.float_results();
  for_each_window(x, roles.call().output_sizes(), pool_window(roles, x),
                  [&](std::size_t i, const std::vector<std::size_t>& elements, int64_t padded) {
                    int64_t sum = 0;
                    for (const std::size_t element : elements) sum += x.values[element];
                    const auto count = static_cast<int64_t>(elements.size()) + (counts_pads ? padded : 0);
                    roles.put_sum(i, roles.rules().mean(sum, count) * x.scales[0], integers, floats);
                  });
  roles.write(integers, floats);
  return {};
}

// --- element by element ---

template <class F>
Result<void> of_two(const Roles& roles, F&& function) {
  const Dims& sizes = roles.call().output_sizes();
  const IntegerOperand a = *roles.integers(roles.main().value(0), &sizes);
  const IntegerOperand b = *roles.integers(roles.main().value(1), &sizes);
  Numbers<int64_t> integers = roles.integer_results();
  for (std::size_t i = 0; i < integers.size(); ++i) roles.put_single(i, function(a.real(i), b.real(i)), integers);
  roles.write(integers, roles.float_results());
  return {};
}

Result<void> sum_of_two(const Roles& roles) {
  return of_two(roles, [](float a, float b) { return a + b; });
}
Result<void> product_of_two(const Roles& roles) {
  return of_two(roles, [](float a, float b) { return a * b; });
}

Result<void> requantized(const Roles& roles, const IntegerOperand& x) {
  Numbers<int64_t> integers = roles.integer_results();
  for (std::size_t i = 0; i < integers.size(); ++i) roles.put_single(i, x.real(i), integers);
  roles.write(integers, roles.float_results());
  return {};
}

// Each operand goes to its stretch of the result.
Result<void> concatenation(const Roles& roles) {
  const Call main = roles.main();
  const Dims& sizes = roles.call().output_sizes();
  const int dim = wrapped_dim(main.integer(arg::dim), sizes.size());
  int64_t inner = 1;
  for (int d = dim + 1; d < sizes.size(); ++d) inner *= sizes[d];
  Numbers<int64_t> integers = roles.integer_results();
  int64_t begin = 0;
  for (const ValueId value : main.values(arg::tensors)) {
    const IntegerOperand x = *roles.integers(value);
    const int64_t length = x.sizes[dim] * inner;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      const auto element = static_cast<int64_t>(i);
      const int64_t to = element / length * sizes[dim] * inner + begin + element % length;
      roles.put_single(index_of(to), x.real(i), integers);
    }
    begin += length;
  }
  roles.write(integers, roles.float_results());
  return {};
}

struct Row {
  std::string_view op;
  Result<void> (*run)(const Roles& roles);
};
constexpr std::array rows = {
    Row{"aten.linear.default", linear},           Row{"aten.mm.default", matrix_product},
    Row{"aten.addmm.default", matrix_product},    Row{"aten.conv2d.default", convolution},
    Row{"aten.convolution.default", convolution}, Row{"aten.max_pool2d.default", max_pool},
    Row{"aten.avg_pool2d.default", average_pool}, Row{"aten.add.Tensor", sum_of_two},
    Row{"aten.mul.Tensor", product_of_two},       Row{"aten.cat.default", concatenation},
};

}  // namespace

Result<void> run_integers(const KernelCall& call, const IntegerRules& rules) {
  TRY(const FusedSteps steps, FusedSteps::of(call));
  TRY_VOID(check_divisor(call, steps.part(steps.size() - 1)));
  const Roles roles(call, steps, rules);
  const auto row = std::ranges::find(rows, roles.name(), &Row::op);
  if (row != rows.end()) return row->run(roles);
  return requantized(roles, read_operand(call, steps.part(0), rules));
}

}  // namespace parallax::portable
