// Sums of products of stored integers: an invocation makes one element of the result, a float.
//
// A stored integer stands for (stored - zero point) * scale. The products of what is over the zero points are summed
// in integers, and the sum meets its two scales once: one sum for each group of scales. Places outside of a window are
// where both tensors would be multiplied by the zero point, and are left out.
//
// Metadata: for the zero points and the scales of x, then for those of w, whether one double stands for all, a dtype,
// and the double; the dtypes of x, w, the bias and the result; whether there is a bias; the numbers of outer dims, of
// groups, of inner dims and of windows; where each of x, w, the four parameters, the bias and the result begins. Then
// for each outer dim its size and the steps of these eight, for the groups the steps of the first six, for each inner
// dim its size and the steps of the first two. Then for each window its outer and its inner dim, stride, dilation,
// padding and the input's size.
const uint XZero = 0, XScale = 1, WZero = 2, WScale = 3;
const uint Parameters = 4, Tensors = 8, Bias = 6, Result = 7;
const uint Header = 4 * Parameters + 9;

int offsets[8];  // in the order of the metadata

double parameter(uint which) {
  uint row = push.metadata + 4u * which;
  if (metadata[row] != 0u) return to_double(uvec2(metadata[row + 2u], metadata[row + 3u]));
  uint dtype = metadata[row + 1u];
  return to_double(converted(load(2u + which, dtype, offsets[2u + which]), dtype, F64));
}

// Whether no sum of 2^24 products passes 64 bits, and no element f32. All else is summed as floats would be.
bool is_usual(double zero_point, double scale) {
  if (is_nan(zero_point) || is_nan(scale)) return false;
  return abs(zero_point) <= 262144.0lf && floor(zero_point) == zero_point && abs(scale) <= 4.0e31lf;
}

double as_float(int64_t stored, double zero_point, double scale) {
  precise double over = double(stored) - zero_point;
  precise float x = float(over * scale);
  return double(x);
}

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata + 4u * Parameters;
  uint x_dtype = metadata[at];
  uint w_dtype = metadata[at + 1u];
  uint bias_dtype = metadata[at + 2u];
  uint result_dtype = metadata[at + 3u];
  bool has_bias = metadata[at + 4u] != 0u;
  uint outer = metadata[at + 5u];
  uint groups = metadata[at + 6u];
  uint inner = metadata[at + 7u];
  uint windows = metadata[at + 8u];
  at = push.metadata + Header;
  for (uint k = 0u; k < Tensors; ++k) offsets[k] = int(metadata[at + k]);
  at += Tensors;
  int outer_place[8];
  uint rest = item;
  for (uint d = outer; d-- > 0u;) {
    uint row = at + (Tensors + 1u) * d;
    outer_place[d] = int(rest % metadata[row]);
    rest /= metadata[row];
    for (uint k = 0u; k < Tensors; ++k) offsets[k] += outer_place[d] * int(metadata[row + 1u + k]);
  }
  uint group_steps = at + (Tensors + 1u) * outer;
  uint inner_rows = group_steps + 2u + Parameters;
  uint window_rows = inner_rows + 3u * inner;
  uint count = 1u;
  for (uint d = 0u; d < inner; ++d) count *= metadata[inner_rows + 3u * d];

  precise double sum = 0.0lf;
  for (uint g = 0u; g < groups; ++g) {
    double x_zero = parameter(XZero);
    double x_scale = parameter(XScale);
    double w_zero = parameter(WZero);
    double w_scale = parameter(WScale);
    bool usual = is_usual(x_zero, x_scale) && is_usual(w_zero, w_scale);
    int64_t x_less = usual ? int64_t(x_zero) : int64_t(0);
    int64_t w_less = usual ? int64_t(w_zero) : int64_t(0);
    int64_t whole = 0;
    precise double real = 0.0lf;
    for (uint i = 0u; i < count; ++i) {
      int x_at = offsets[0];
      int w_at = offsets[1];
      int inner_place[4];
      rest = i;
      for (uint d = inner; d-- > 0u;) {
        uint row = inner_rows + 3u * d;
        inner_place[d] = int(rest % metadata[row]);
        rest /= metadata[row];
        x_at += inner_place[d] * int(metadata[row + 1u]);
        w_at += inner_place[d] * int(metadata[row + 2u]);
      }
      bool inside = true;
      for (uint d = 0u; d < windows; ++d) {
        uint row = window_rows + 6u * d;
        int place = outer_place[metadata[row]] * int(metadata[row + 2u]) +
                    inner_place[metadata[row + 1u]] * int(metadata[row + 3u]) - int(metadata[row + 4u]);
        inside = inside && place >= 0 && place < int(metadata[row + 5u]);
      }
      if (!inside) continue;
      int64_t x = to_integer(load(0u, x_dtype, x_at));
      int64_t w = to_integer(load(1u, w_dtype, w_at));
      if (usual) {
        whole += (x - x_less) * (w - w_less);
      } else {
        precise double term = as_float(x, x_zero, x_scale) * as_float(w, w_zero, w_scale);
        real = real + term;
      }
    }
    precise double met = usual ? double(whole) * (x_scale * w_scale) : real;
    sum = sum + met;
    for (uint k = 0u; k < 2u + Parameters; ++k) offsets[k] += int(metadata[group_steps + k]);
  }
  if (has_bias) sum = sum + to_double(converted(load(Bias, bias_dtype, offsets[Bias]), bias_dtype, F64));
  store(0u, result_dtype, offsets[Result], converted(double_bits(sum), F64, result_dtype));
}
