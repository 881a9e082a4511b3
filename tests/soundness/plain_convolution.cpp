// Convolutions and transposed ones, by their definition.
#include "tests/soundness/plain_box.h"
#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;

void convolve(Perturbed& p, const PlainCall& call, Results& results, bool transposed) {
  const int first = call.rank(arg::input) - (call.rank(arg::weight) - 2);
  const Box input(call.sizes(arg::input), first);
  const Box kernel(call.sizes(arg::weight), 2);
  const Box output(call.result_sizes(), first);
  const int64_t groups = call.integer(arg::groups);
  const int64_t channels = call.sizes(arg::input)[first - 1];
  const int64_t filters = call.result_sizes()[first - 1];
  const int64_t in_group = channels / groups;
  const int64_t filters_in_group = filters / groups;
  const int64_t batch = first == 2 ? call.sizes(arg::input)[0] : 1;
  // Where the input's element lies that kernel place k brings to output place o; -1 for none.
  const auto source = [&](const std::vector<int64_t>& o, const std::vector<int64_t>& k) {
    std::vector<int64_t> at(o.size());
    for (std::size_t dim = 0; dim < o.size(); ++dim) {
      const auto d = static_cast<int>(dim);
      const int64_t stride = call.entry(arg::stride, d, 1);
      const int64_t padding = call.entry(arg::padding, d, 0);
      const int64_t reach = k[dim] * call.entry(arg::dilation, d, 1);
      at[dim] = transposed ? o[dim] + padding - reach : o[dim] * stride - padding + reach;
      if (!transposed) continue;
      if (at[dim] % stride != 0) return int64_t{-1};
      at[dim] /= stride;
    }
    return input.place(at);
  };
  std::size_t to = 0;
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t f = 0; f < filters; ++f) {
      const int64_t group = f / filters_in_group;
      for (int64_t o = 0; o < output.count(); ++o, ++to) {
        PlainTensor x;
        PlainTensor w;
        for (int64_t c = 0; c < in_group; ++c) {
          const int64_t channel = group * in_group + c;
          const int64_t weights = transposed ? channel * filters_in_group + f % filters_in_group : f * in_group + c;
          for (int64_t k = 0; k < kernel.count(); ++k) {
            const int64_t place = source(output.coordinates(o), kernel.coordinates(k));
            if (place < 0) continue;
            x.push_back(
                call.elements(arg::input)[static_cast<std::size_t>((n * channels + channel) * input.count() + place)]);
            w.push_back(call.elements(arg::weight)[static_cast<std::size_t>(weights * kernel.count() + k)]);
          }
        }
        const double sum = p.dot(x, w);
        results[0][to] = call.has(arg::bias)
                             ? p.accumulator().add(p.kept(sum), call.elements(arg::bias)[static_cast<std::size_t>(f)])
                             : sum;
      }
    }
  }
}

void convolution(Perturbed& p, const PlainCall& call, Results& results) {
  convolve(p, call, results, call.boolean(arg::transposed));
}
void forward(Perturbed& p, const PlainCall& call, Results& results) { convolve(p, call, results, false); }
void backward(Perturbed& p, const PlainCall& call, Results& results) { convolve(p, call, results, true); }

}  // namespace

std::vector<PlainOp> plain_convolution_ops() {
  return {
      {"convolution", "aten.convolution.default", convolution},
      {"convolution", "aten.conv1d.default", forward},
      {"convolution", "aten.conv2d.default", forward},
      {"convolution", "aten.conv3d.default", forward},
      {"convolution", "aten.conv_transpose1d.default", backward},
      {"convolution", "aten.conv_transpose2d.input", backward},
      {"convolution", "aten.conv_transpose3d.input", backward},
  };
}

}  // namespace parallax
