#include "fuzz/generate/draw_sources.h"

#include <algorithm>
#include <array>

namespace parallax {
namespace {

// Element counts and how often a class has them. Small ones: what matters is that many tensors have the same.
constexpr std::array<int64_t, 8> class_counts = {2, 4, 6, 3, 8, 1, 12, 9};
constexpr std::array<uint32_t, 8> class_weights = {14, 26, 22, 8, 16, 4, 6, 4};

// One class of tensors of a case: equal in element count.
struct ShapeClass {
  int64_t count = 1;
  Dims usual;  // the shape that most members have
};

// A shape of `count` elements with 0 to 4 dims: each prime factor goes to a drawn dim.
Dims draw_shape(Choices& choices, int64_t count) {
  static constexpr std::array<uint32_t, 5> rank_weights = {28, 44, 18, 4, 6};
  static constexpr std::array<int, 5> ranks = {1, 2, 3, 0, 4};
  const int rank = ranks[choices.weighted(rank_weights)];
  if (rank == 0) return count == 1 ? Dims{} : Dims{count};
  Dims shape = Dims::filled(rank, 1);
  int64_t left = count;
  for (int64_t factor = 2; left > 1; ++factor) {
    for (; left % factor == 0; left /= factor)
      shape[static_cast<int>(choices.below(static_cast<uint64_t>(rank)))] *= factor;
  }
  return shape;
}

ShapeClass draw_class(Choices& choices) {
  const int64_t count = class_counts[choices.weighted(class_weights)];
  return {count, draw_shape(choices, count)};
}

int64_t longest_dim(const Dims& sizes) { return sizes.empty() ? 0 : *std::ranges::max_element(sizes); }

// A tensor's strides that are not row-major: dims in another order, gaps, or a dim repeated.
Layout draw_odd_layout(Choices& choices, const Dims& sizes) {
  Layout layout = contiguous_layout(sizes);
  const int rank = layout.rank();
  if (rank == 0) return layout;
  static constexpr std::array<uint32_t, 3> weights = {6, 3, 1};
  switch (choices.weighted(weights)) {
    case 0: {  // reversed order of dims
      int64_t stride = 1;
      for (int i = 0; i < rank; ++i) {
        layout.strides[i] = stride;
        stride *= std::max<int64_t>(layout.sizes[i], 1);
      }
      break;
    }
    case 1:  // every second element
      for (int64_t& stride : layout.strides) stride *= 2;
      break;
    default: {  // one dim repeats its elements
      layout.strides[static_cast<int>(choices.below(static_cast<uint64_t>(rank)))] = 0;
      break;
    }
  }
  return layout;
}

class SourceDrawer {
 public:
  SourceDrawer(Choices& choices, const GenerateWeights& weights, const Vocabulary& words, GraphBuilder& builder,
               Pool& pool)
      : choices_(choices), weights_(weights), words_(words), builder_(builder), pool_(pool) {
    dtypes_ = weights_.dtypes;
    for (std::size_t d = 0; d < dtypes_.size(); ++d) {
      if (!words.dtypes()[d]) dtypes_[d] = 0;
    }
    first_ = draw_class(choices_);
    // Where every program has symbols: a dim of two sizes shows little.
    for (int tries = 0; tries < 6 && weights_.symbols == 100 && longest_dim(first_.usual) < 3; ++tries) {
      first_ = draw_class(choices_);
    }
    second_ = choices_.chance(weights_.second_class) ? draw_class(choices_) : first_;
    const bool usual = words.dtypes()[static_cast<std::size_t>(main_dtype_)];
    if (choices_.chance(weights_.other_main_dtype) || !usual) main_dtype_ = draw_any_dtype();
    // Where most tensors are of a dtype that a delegate does not take, there is little for it.
    if (words.delegated_dtypes().any() && !words.delegated_dtypes()[static_cast<std::size_t>(main_dtype_)]) {
      main_dtype_ = draw_delegated_dtype();
    }
  }

  void draw() {
    static constexpr std::array<int, 4> input_counts = {1, 2, 3, 4};
    static constexpr std::array<uint32_t, 4> input_weights = {34, 40, 18, 8};
    const int inputs = input_counts[choices_.weighted(input_weights)];
    // A delegate takes nothing of a graph all of whose inputs have other dtypes or no elements.
    for (int i = 0; i < inputs; ++i) add_plain(SourceKind::Input, i == 0 && words_.delegated_dtypes().any());
    if (choices_.chance(weights_.shared_storage)) add_windows(SourceKind::Input);
    if (choices_.chance(weights_.constants)) add_plain(SourceKind::Constant);
    if (choices_.chance(weights_.buffers)) {
      if (choices_.chance(weights_.shared_storage)) add_windows(SourceKind::Buffer);
      const int buffers = 1 + static_cast<int>(choices_.below(2));
      for (int i = 0; i < buffers; ++i) add_plain(SourceKind::Buffer);
    }
  }

 private:
  DType draw_any_dtype() { return static_cast<DType>(choices_.weighted(dtypes_)); }
  DType draw_delegated_dtype() {
    auto weights = dtypes_;
    for (std::size_t d = 0; d < weights.size(); ++d) weights[d] *= words_.delegated_dtypes()[d] ? 1 : 0;
    return static_cast<DType>(choices_.weighted(weights));
  }
  DType draw_dtype() { return choices_.chance(weights_.other_dtype) ? draw_any_dtype() : main_dtype_; }

  Dims draw_sizes(bool may_be_empty) {
    const ShapeClass& shape_class = choices_.chance(weights_.other_class) ? second_ : first_;
    Dims sizes = choices_.chance(weights_.reshaped) ? draw_shape(choices_, shape_class.count) : shape_class.usual;
    if (may_be_empty && !sizes.empty() && choices_.chance(weights_.empty))
      sizes[static_cast<int>(choices_.below(static_cast<uint64_t>(sizes.size())))] = 0;
    return sizes;
  }

  std::string fresh_source_name(SourceKind kind) {
    static constexpr std::array<std::string_view, 3> stems = {"x", "c", "s"};
    return builder_.fresh_name(stems[static_cast<std::size_t>(kind)]);
  }

  void add_plain(SourceKind kind, bool for_delegate = false) {
    const Choices::Scope scope(choices_, "source");
    const DType dtype = for_delegate ? main_dtype_ : draw_dtype();
    const Dims sizes = draw_sizes(!for_delegate);
    const Layout layout = words_.strided_sources() && choices_.chance(weights_.odd_strides)
                              ? draw_odd_layout(choices_, sizes)
                              : contiguous_layout(sizes);
    Tensor data;
    if (kind != SourceKind::Input) data = Tensor(dtype, sizes);
    take(builder_.add_source(kind, fresh_source_name(kind), dtype, layout, std::move(data)), kind);
  }

  // Two or three windows on one storage of twice the class's count: side by side, interleaved, overlapping or equal.
  void add_windows(SourceKind kind) {
    const Choices::Scope scope(choices_, "storage");
    const DType dtype = draw_dtype();
    const int64_t elements = 2 * first_.count;
    const Dims sizes{elements};
    std::optional<Tensor> state;
    if (kind == SourceKind::Buffer) state = Tensor(dtype, sizes);
    const Result<StorageId> storage = builder_.add_storage(builder_.fresh_name("m"), dtype, sizes, std::move(state));
    PARALLAX_CHECK(storage.has_value());
    const int windows = 2 + static_cast<int>(choices_.below(2));
    for (int i = 0; i < windows; ++i) {
      Layout layout =
          contiguous_layout(choices_.chance(weights_.reshaped) ? draw_shape(choices_, first_.count) : first_.usual);
      if (words_.strided_sources() && choices_.chance(30)) {
        for (int64_t& stride : layout.strides) stride *= 2;
      }
      layout.offset = static_cast<int64_t>(choices_.below(static_cast<uint64_t>(elements - layout.extent() + 1)));
      take(builder_.add_window(kind, fresh_source_name(kind), dtype, layout, *storage), kind);
    }
  }

  void take(const Result<ValueId>& value, SourceKind kind) {
    PARALLAX_CHECK(value.has_value());
    pool_.add_source(*value, builder_.graph().meta(*value), words_.is_read_only(kind));
  }

  Choices& choices_;
  const GenerateWeights& weights_;
  const Vocabulary& words_;
  std::array<uint32_t, dtype_count> dtypes_{};  // the weights of those that are drawn
  GraphBuilder& builder_;
  Pool& pool_;
  ShapeClass first_;
  ShapeClass second_;
  DType main_dtype_ = DType::F32;
};

}  // namespace

void draw_sources(Choices& choices, const GenerateWeights& weights, const Vocabulary& words, GraphBuilder& builder,
                  Pool& pool) {
  SourceDrawer(choices, weights, words, builder, pool).draw();
}

}  // namespace parallax
