// Bags of rows of a table: their sums, means and maxima.
#include <array>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

constexpr std::size_t bag_of_index = 1;
constexpr std::size_t bag_sizes = 2;

constexpr int64_t mean_mode = 1;
constexpr int64_t max_mode = 2;

struct Bags {
  Numbers<int64_t> rows;    // the row of each index
  Numbers<int64_t> bounds;  // where each bag begins, and the last one ends
  int64_t padding = -1;     // a row that is passed over
};

Result<Bags> read_bags(const KernelCall& call) {
  const int64_t table_rows = call.input(arg::weight).layout->sizes[0];
  Bags bags{call.read<int64_t>(arg::indices, DType::I64), call.read<int64_t>(arg::offsets, DType::I64), -1};
  for (const int64_t row : bags.rows) {
    if (row < 0 || row >= table_rows) return refuse("row {} of a table of {}", row, table_rows);
  }
  const auto count = static_cast<int64_t>(bags.rows.size());
  if (!call.boolean(arg::include_last_offset)) bags.bounds.push_back(count);
  if (bags.bounds.front() != 0) return refuse("the first offset is {}", bags.bounds.front());
  for (std::size_t i = 1; i < bags.bounds.size(); ++i) {
    if (bags.bounds[i] < bags.bounds[i - 1] || bags.bounds[i] > count) {
      return refuse("offset {} after {} of {} indices", bags.bounds[i], bags.bounds[i - 1], count);
    }
  }
  if (call.has(arg::padding_idx)) {
    bags.padding = call.integer(arg::padding_idx);
    // Only the overload that knows None counts from the end.
    if (bags.padding < 0 && call.op().schema.overload == "padding_idx") bags.padding += table_rows;
  }
  return bags;
}

// Of one bag: how many rows count, and what they come to.
template <class C>
class Reducer {
 public:
  Reducer(int64_t width, C* to, int64_t* places) : width_(width), to_(to), places_(places) {}

  void add(const C* row, int64_t number, C scale, bool compares) {
    for (int64_t i = 0; i < width_; ++i) {
      const C x = row[i] * scale;
      if (!compares) {
        to_[i] = to_[i] + x;
      } else if (count_ == 0 || x > to_[i]) {
        to_[i] = x;
        places_[i] = number;
      }
    }
    ++count_;
  }
  int64_t count() const { return count_; }

 private:
  int64_t width_;
  C* to_;
  int64_t* places_;
  int64_t count_ = 0;
};

template <class C>
void reduce(const KernelCall& call, const Bags& bags, Numbers<int64_t>& sizes, Numbers<int64_t>& places) {
  const DType dtype = call.output().dtype;
  const int64_t mode = call.integer(arg::mode);
  const int64_t width = call.output_sizes()[1];
  const Numbers<C> table = call.read<C>(arg::weight, dtype);
  Numbers<C> scales = call.numbers<C>(0);
  if (call.has(arg::per_sample_weights)) scales = call.read<C>(arg::per_sample_weights, dtype);
  Numbers<C> results = call.numbers<C>(call.output().layout->numel());
  for (std::size_t bag = 0; bag + 1 < bags.bounds.size(); ++bag) {
    const int64_t first = static_cast<int64_t>(bag) * width;
    Reducer<C> reducer(width, results.data() + first, places.data() + first);
    for (int64_t i = bags.bounds[bag]; i < bags.bounds[bag + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int64_t row = bags.rows[at];
      if (row == bags.padding) continue;
      reducer.add(table.data() + row * width, row, scales.empty() ? C(1) : scales[at], mode == max_mode);
    }
    sizes[bag] = reducer.count();
    if (mode != mean_mode || reducer.count() == 0) continue;
    for (int64_t i = first; i < first + width; ++i) {
      C& result = results[static_cast<std::size_t>(i)];
      result = result / static_cast<C>(reducer.count());
    }
  }
  call.write(results);
}

// The bag of each index; of indices behind the last bag, the last.
void write_numbers_of_bags(const KernelCall& call, const Bags& bags) {
  if (call.output(bag_of_index).layout->numel() == 0) return;
  Numbers<int64_t> numbers = call.numbers<int64_t>(0);
  for (std::size_t bag = 0; bag + 1 < bags.bounds.size(); ++bag) {
    const bool last = bag + 2 == bags.bounds.size();
    const int64_t end = last ? static_cast<int64_t>(bags.rows.size()) : bags.bounds[bag + 1];
    for (int64_t i = bags.bounds[bag]; i < end; ++i) numbers.push_back(static_cast<int64_t>(bag));
  }
  numbers.resize(bags.rows.size());
  call.write(numbers, 1);
}

Result<void> embedding_bag(const KernelCall& call) {
  TRY(const Bags bags, read_bags(call));
  const int64_t mode = call.integer(arg::mode);
  Numbers<int64_t> sizes = call.numbers<int64_t>(static_cast<int64_t>(bags.bounds.size()));
  Numbers<int64_t> places = call.numbers<int64_t>(call.output().layout->numel());
  with_float_type(call.output().dtype, [&]<class C>(std::type_identity<C>) { reduce<C>(call, bags, sizes, places); });
  write_numbers_of_bags(call, bags);
  // Eager counts no rows of sums.
  if (mode != mean_mode && mode != max_mode) std::ranges::fill(sizes, 0);
  sizes.resize(static_cast<std::size_t>(call.output(bag_sizes).layout->numel()));
  call.write(sizes, 2);
  call.write(mode == max_mode ? places : sizes, 3);
  return {};
}

constexpr std::array bag_table = {
    KernelEntry{"aten.embedding_bag.padding_idx", embedding_bag},
    KernelEntry{"aten.embedding_bag.default", embedding_bag},
    KernelEntry{"aten._embedding_bag.default", embedding_bag},
    KernelEntry{"aten._embedding_bag_forward_only.default", embedding_bag},
};

}  // namespace

std::span<const KernelEntry> bag_kernels() { return bag_table; }

}  // namespace parallax::portable
