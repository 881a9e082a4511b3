// Goes in front of shaders that read pictures between their elements: up to four places along each of three dims, and
// what each of them weighs. All of it is in doubles, so that what is rounded is the result.
int tap_counts[3];
int tap_places[3][4];  // -1: outside, where there is nothing
double tap_weights[3][4];

void set_one_tap(uint dim, int place) {
  tap_counts[dim] = 1;
  tap_places[dim][0] = place;
  tap_weights[dim][0] = 1.0lf;
}

// Between the element at `low` and the next one.
void set_linear_weights(uint dim, double low, double place) {
  precise double share = place - low;
  tap_counts[dim] = 2;
  tap_weights[dim][0] = 1.0lf - share;
  tap_weights[dim][1] = share;
}

// Keys' cubic convolution through four elements, the second of which is before the place, with ATen's slope.
double cubic_weight(double distance) {
  const double slope = -0.75lf;
  precise double x = abs(distance);
  precise double near = ((slope + 2.0lf) * x - (slope + 3.0lf)) * x * x + 1.0lf;
  precise double far = ((slope * x - 5.0lf * slope) * x + 8.0lf * slope) * x - 4.0lf * slope;
  return x <= 1.0lf ? near : far;
}
void set_cubic_weights(uint dim, double low, double place) {
  tap_counts[dim] = 4;
  for (int i = 0; i < 4; ++i) tap_weights[dim][i] = cubic_weight(place - (low + double(i - 1)));
}

// The sum over all taps of the picture that begins at an element of input 0.
double weighted_sum(uint dtype, int start, ivec3 steps) {
  precise double sum = 0.0lf;
  for (int z = 0; z < tap_counts[0]; ++z) {
    for (int y = 0; y < tap_counts[1]; ++y) {
      for (int x = 0; x < tap_counts[2]; ++x) {
        ivec3 place = ivec3(tap_places[0][z], tap_places[1][y], tap_places[2][x]);
        if (place.x < 0 || place.y < 0 || place.z < 0) continue;
        int element = start + place.x * steps.x + place.y * steps.y + place.z * steps.z;
        precise double weight = tap_weights[0][z] * tap_weights[1][y] * tap_weights[2][x];
        precise double term = to_double(converted(load(0u, dtype, element), dtype, F64)) * weight;
        sum = sum + term;
      }
    }
  }
  return sum;
}
