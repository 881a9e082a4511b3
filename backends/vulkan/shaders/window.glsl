// Convolutions and pooling: an invocation makes one element of a result [batch, channel, x, y, z] out of the window that
// belongs to it.
//
// Metadata: what to do, the dtype of all tensors (the places of maxima are i64), offsets of input, weight, bias and
// result, the sizes of the result in five words; steps of the input along batch and channel, of the weight along its
// first two dims, of the bias (one more than it is; 0 for none), of the result along batch and channel; channels of the input and of the result in a
// group; a divisor (0: the window's own); then for each of three dims the input's size, the kernel's size, stride,
// padding, dilation, and the steps of input, weight and result.
const uint Convolution = 0, Transposed = 1, Average = 2, AverageInside = 3, Largest = 4, PlaceOfLargest = 5, Adaptive = 6;
const uint AdaptiveLargest = 7, PlaceOfAdaptiveLargest = 8;

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint task = metadata[at];
  uint dtype = metadata[at + 1u];
  int input_at = int(metadata[at + 2u]);
  int weight_at = int(metadata[at + 3u]);
  int bias_at = int(metadata[at + 4u]);
  int result_at = int(metadata[at + 5u]);
  int coordinates[5];
  int sizes[3];
  uint rest = item;
  for (uint d = 5u; d-- > 0u;) {
    uint size = metadata[at + 6u + d];
    coordinates[d] = int(rest % size);
    if (d >= 2u) sizes[d - 2u] = int(size);
    rest /= size;
  }
  at += 11u;
  int channel = coordinates[1];
  int group_in = int(metadata[at + 7u]);
  int group_out = int(metadata[at + 8u]);
  int64_t divisor = to_integer(uvec2(metadata[at + 9u], metadata[at + 10u]));
  bool convolves = task <= Transposed;
  int group = convolves ? channel / group_out : 0;
  input_at += coordinates[0] * int(metadata[at]) + (convolves ? group * group_in : channel) * int(metadata[at + 1u]);
  // Of a transposed convolution the weight is [in, out of the group].
  int weight_step = int(metadata[at + (task == Transposed ? 2u : 3u)]);
  weight_at += task == Transposed ? group * group_in * int(metadata[at + 2u]) + channel % group_out * int(metadata[at + 3u])
                                  : channel * int(metadata[at + 2u]);
  bool has_bias = metadata[at + 4u] != 0u;
  bias_at += channel * (int(metadata[at + 4u]) - 1);
  result_at += coordinates[0] * int(metadata[at + 5u]) + channel * int(metadata[at + 6u]);
  int input_step = int(metadata[at + 1u]);
  at += 11u;

  int extents[3];   // of the input
  int kernels[3];   // places of the window
  int firsts[3];    // input position of the window's first place
  int steps[3];     // between places
  int64_t padded = 1;
  for (uint d = 0u; d < 3u; ++d) {
    uint row = at + 8u * d;
    extents[d] = int(metadata[row]);
    kernels[d] = int(metadata[row + 1u]);
    int o = coordinates[d + 2u];
    firsts[d] = o * int(metadata[row + 2u]) - int(metadata[row + 3u]);
    steps[d] = int(metadata[row + 4u]);
    if (task >= Adaptive) {
      firsts[d] = o * extents[d] / sizes[d];
      kernels[d] = ((o + 1) * extents[d] + sizes[d] - 1) / sizes[d] - firsts[d];
    }
    // The padding behind the input counts, what lies beyond it does not.
    padded *= int64_t(min(firsts[d] + kernels[d], extents[d] + int(metadata[row + 3u])) - firsts[d]);
    result_at += o * int(metadata[row + 7u]);
  }

  uint numbers = class_of(dtype);
  bool finds = task == Largest || task == PlaceOfLargest || task > Adaptive;
  precise float total = finds ? -float_inf : 0.0;
  precise double wide_total = finds ? double(-float_inf) : 0.0lf;
  // The least number of the dtype, which is what a window has that lies in the padding alone.
  int64_t whole_total = finds && dtype >= I8 ? int64_t(-1) << ((8u << log_size_of(dtype)) - 1u) : int64_t(0);
  int64_t met = 0;
  int64_t place = 0;
  int channels = convolves ? group_in : 1;
  for (int c = 0; c < channels; ++c) {
    for (int k = 0; k < kernels[0] * kernels[1] * kernels[2]; ++k) {
      ivec3 tap = ivec3(k / (kernels[1] * kernels[2]), k / kernels[2] % kernels[1], k % kernels[2]);
      int element = input_at + c * input_step;
      int weight = weight_at + c * weight_step;
      int64_t here = 0;
      bool inside = true;
      for (uint d = 0u; d < 3u; ++d) {
        uint row = at + 8u * d;
        int position = firsts[d] + tap[d] * steps[d];
        if (task == Transposed) {
          int reached = coordinates[d + 2u] + int(metadata[row + 3u]) - tap[d] * steps[d];
          int stride = int(metadata[row + 2u]);
          inside = inside && reached >= 0 && reached % stride == 0;
          position = reached / stride;
        }
        inside = inside && position >= 0 && position < extents[d];
        element += position * int(metadata[row + 5u]);
        weight += tap[d] * int(metadata[row + 6u]);
        here = here * int64_t(extents[d]) + int64_t(position);
      }
      if (!inside) continue;
      uvec2 x = load(0u, dtype, element);
      uvec2 w = convolves ? load(1u, dtype, weight) : uvec2(0u);
      bool first = met == 0;
      met += 1;
      if (finds) {
        bool replaces = numbers == FloatClass ? first || to_float(x) > total || is_nan(to_float(x))
                        : numbers == DoubleClass ? first || to_double(x) > wide_total || is_nan(to_double(x))
                        : first || to_integer(x) > whole_total;
        if (replaces) {
          total = to_float(x);
          wide_total = to_double(x);
          whole_total = to_integer(x);
          place = here;
        }
      } else if (numbers == FloatClass) {
        precise float term = convolves ? to_float(x) * to_float(w) : to_float(x);
        total = total + term;
      } else if (numbers == DoubleClass) {
        precise double term = convolves ? to_double(x) * to_double(w) : to_double(x);
        wide_total = wide_total + term;
      } else {
        whole_total += convolves ? to_integer(x) * to_integer(w) : to_integer(x);
      }
    }
  }
  if (has_bias) {
    uvec2 bias = load(2u, dtype, bias_at);
    total = total + to_float(bias);
    wide_total = wide_total + to_double(bias);
    whole_total += to_integer(bias);
  }
  if (!convolves && !finds) {
    int64_t by = divisor != 0 ? divisor : task == Average ? padded : met;
    // A window that lies in padding is 0, and has no divisor to speak of.
    if (met == 0) by = 1;
    total = total / float(by);
    wide_total = wide_total / double(by);
    int64_t cut = int64_t(uint64_t(whole_total < 0 ? -whole_total : whole_total) / uint64_t(by < 0 ? -by : by));
    whole_total = (whole_total < 0) != (by < 0) ? -cut : cut;
  }
  if (task == PlaceOfLargest || task == PlaceOfAdaptiveLargest) {
    store(0u, I64, result_at, integer_bits(place));
  } else {
    store(0u, dtype, result_at, numbers == FloatClass ? float_bits(total)
                                : numbers == IntegerClass ? integer_bits(whole_total) : double_bits(wide_total));
  }
}
