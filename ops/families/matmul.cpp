// Products of matrices and vectors, alone or scaled and added to a tensor.
#include "ops/contraction.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/inplace.h"
#include "ops/pair_sample.h"
#include "ops/plain/product_in_double.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// What one overload multiplies.
struct Product {
  ContractionFn contraction;
  arg left;
  arg right;
  // Eager looks at the dtype only where there is something to multiply.
  bool takes_empty_bool = false;
  // addbmm adds a batch at a time to a result that is stored in between.
  bool stores_batches = false;
};

constexpr Product mm = {matrix_product, arg::self, arg::mat2, true};
constexpr Product bmm = {batched_product, arg::self, arg::mat2, true};
constexpr Product mv = {matrix_vector_product, arg::self, arg::vec};
constexpr Product dot = {vector_product, arg::self, arg::tensor};
constexpr Product vdot = {vector_product, arg::self, arg::other};
constexpr Product matmul = {broadcast_product, arg::self, arg::other, true};
constexpr Product linear = {linear_product, arg::input, arg::weight};
constexpr Product addmm = {matrix_product, arg::mat1, arg::mat2};
constexpr Product addmv = {matrix_vector_product, arg::mat, arg::vec};
constexpr Product baddbmm = {batched_product, arg::batch1, arg::batch2};
constexpr Product addbmm = {summed_product, arg::batch1, arg::batch2, false, true};

Result<Contraction> contraction_of(const Call& call, const Product& product) {
  const TensorMeta& left = call.tensor(product.left);
  const TensorMeta& right = call.tensor(product.right);
  const std::optional<Contraction> contraction = product.contraction(left.layout, right.layout);
  if (!contraction) return refuse_product(call, left.layout, right.layout);
  if (left.dtype != right.dtype) {
    return refuse("{}: {} and {} cannot be multiplied", call.op().name, name(left.dtype), name(right.dtype));
  }
  const std::optional<int64_t> elements =
      checked_numel(std::span(contraction->sizes.begin(), contraction->sizes.end()));
  if (!elements) return refuse("{}: the result is too large", call.op().name);
  const bool empty = *elements == 0 || contraction->inner == 0;
  if (left.dtype == DType::Bool && !(empty && product.takes_empty_bool)) {
    return refuse("{} does not take bool", call.op().name);
  }
  return *contraction;
}

template <const Product& product>
Metas infer_product(const Call& call) {
  TRY(const Contraction contraction, contraction_of(call, product));
  return fresh_result(call.tensor(product.left).dtype, contiguous_layout(contraction.sizes));
}

template <const Product& product>
Result<void> reference_product(const ReferenceCall& call) {
  TRY(const Contraction contraction, contraction_of(call, product));
  contract(call, product.left, product.right, contraction, {});
  return {};
}

template <const Product& product>
bool plain_product(const ReferenceCall& call) {
  return contract_plainly(call, product.left, product.right, *contraction_of(call, product), {});
}

Result<void> check_addend(const Call& call, arg addend, const Contraction& contraction, DType dtype) {
  const TensorMeta& added = call.tensor(addend);
  if (added.dtype != dtype) {
    return refuse("{}: {} cannot be added to {}", call.op().name, name(added.dtype), name(dtype));
  }
  if (!broadcast_to(added.layout, contraction.sizes)) {
    return refuse("{}: [{}] does not broadcast to the product's [{}]", call.op().name, to_string(added.layout.sizes),
                  to_string(contraction.sizes));
  }
  return {};
}

// beta * self + alpha * product.
template <const Product& product>
Metas infer_added(const Call& call) {
  TRY(const Contraction contraction, contraction_of(call, product));
  const TensorMeta& left = call.tensor(product.left);
  const DType dtype = left.dtype;
  TRY_VOID(check_addend(call, arg::self, contraction, dtype));
  // With nothing to multiply, addmv resizes its result to self's own shape.
  const bool broadcast = call.tensor(arg::self).layout.sizes != contraction.sizes;
  if (product.contraction == matrix_vector_product && broadcast && left.layout.numel() == 0) {
    return refuse("{}: an empty product and an addend of another shape", call.op().name);
  }
  // Halves are computed as floats, and so are their factors.
  const DType computed = is_floating(dtype) && size_of(dtype) == 2 ? DType::F32 : dtype;
  TRY_VOID(check_fits(call, call.scalar(arg::beta), computed));
  TRY_VOID(check_fits(call, call.scalar(arg::alpha), computed));
  return fresh_result(dtype, contiguous_layout(contraction.sizes));
}

// Eager writes such a result while it still reads the factors, and does not look whether they lie in it.
template <const Product& product>
Metas infer_added_inplace(const Call& call) {
  TRY(const std::vector<ResultMeta> results, infer_inplace(call));
  for (const arg factor : {product.left, product.right}) {
    TRY_VOID(check_apart(call, call.value(arg::self), call.value(factor)));
  }
  return results;
}

template <const Product& product>
Scaling added_scaling(const Call& call) {
  const int64_t parts = product.stores_batches ? call.tensor(product.left).layout.sizes[0] : 0;
  return {.alpha = call.scalar(arg::alpha), .beta = call.scalar(arg::beta), .addend = arg::self, .stored_parts = parts};
}

template <const Product& product>
Result<void> reference_added(const ReferenceCall& call) {
  TRY(const Contraction contraction, contraction_of(call, product));
  contract(call, product.left, product.right, contraction, added_scaling<product>(call));
  return {};
}

template <const Product& product>
bool plain_added(const ReferenceCall& call) {
  return contract_plainly(call, product.left, product.right, *contraction_of(call, product),
                          added_scaling<product>(call));
}

Metas infer_linear(const Call& call) {
  TRY(const Contraction contraction, contraction_of(call, linear));
  const DType dtype = call.tensor(arg::input).dtype;
  if (call.has(arg::bias)) {
    // A weight that is a vector takes no bias in eager.
    if (call.tensor(arg::weight).layout.rank() == 1) return refuse("{}: a vector and a bias", call.op().name);
    TRY_VOID(check_addend(call, arg::bias, contraction, dtype));
  }
  return fresh_result(dtype, contiguous_layout(contraction.sizes));
}

Scaling linear_scaling(const Call& call) {
  Scaling scaling;
  if (call.has(arg::bias)) scaling.addend = arg::bias;
  return scaling;
}

Result<void> reference_linear(const ReferenceCall& call) {
  TRY(const Contraction contraction, contraction_of(call, linear));
  contract(call, linear.left, linear.right, contraction, linear_scaling(call));
  return {};
}

bool plain_linear(const ReferenceCall& call) {
  return contract_plainly(call, linear.left, linear.right, *contraction_of(call, linear), linear_scaling(call));
}

// What a generated product may cost, and how large it may get.
constexpr int64_t most_products = 4096;
constexpr int64_t most_elements = 256;

// The shape of a product of two values that an op may be drawn for, or nothing.
std::optional<Dims> drawable(const Product& product, const TensorMeta& left, const TensorMeta& right) {
  if (left.dtype != right.dtype || left.dtype == DType::Bool) return std::nullopt;
  const std::optional<Contraction> contraction = product.contraction(left.layout, right.layout);
  if (!contraction) return std::nullopt;
  const int64_t elements = contraction->batches * contraction->rows * contraction->columns;
  if (elements > most_elements || elements * contraction->inner > most_products) return std::nullopt;
  return contraction->sizes;
}

template <const Product& product>
std::optional<std::vector<Argument>> sample_product(const Op& op, SampleContext& context) {
  const auto pair = pick_pair(context, [](const TensorMeta& left, const TensorMeta& right) {
    return drawable(product, left, right).has_value();
  });
  if (!pair) return std::nullopt;
  return with_defaults(op, {pair->first, pair->second});
}

// A value that can be added to a product of `sizes`; one that can hold it, and lies apart from the factors, where it is
// written.
bool can_take(const Op& op, const Candidate& candidate, const TensorMeta& meta, const Dims& sizes,
              const TensorMeta& left, const TensorMeta& right) {
  if (meta.dtype != left.dtype || !broadcast_to(meta.layout, sizes)) return false;
  if (!op.writes()) return true;
  return candidate.writable && meta.layout.sizes == sizes && meta.storage != left.storage &&
         meta.storage != right.storage;
}

template <const Product& product>
std::optional<std::vector<Argument>> sample_added(const Op& op, SampleContext& context) {
  const auto taker = [&](const TensorMeta& left, const TensorMeta& right) {
    return [&op, &context, &left, &right, sizes = drawable(product, left, right)](const Candidate& candidate) {
      return sizes && can_take(op, candidate, context.meta(candidate.value), *sizes, left, right);
    };
  };
  const auto pair = pick_pair(context, [&](const TensorMeta& left, const TensorMeta& right) {
    return left.dtype == right.dtype && std::ranges::any_of(context.pool(), taker(left, right));
  });
  if (!pair) return std::nullopt;
  const auto takes = taker(context.meta(pair->first), context.meta(pair->second));
  const auto self = context.pick([&](const Candidate& candidate, const TensorMeta&) { return takes(candidate); });
  std::vector<Argument> arguments = with_defaults(op, {*self, pair->first, pair->second});
  const DType dtype = context.meta(*self).dtype;
  for (const arg scalar : {arg::beta, arg::alpha}) {
    if (!context.choices().chance(25)) continue;
    arguments = with_argument(op, std::move(arguments), scalar, draw_scalar(context.choices(), dtype));
  }
  return arguments;
}

std::optional<std::vector<Argument>> sample_linear(const Op& op, SampleContext& context) {
  const auto pair = pick_pair(context, [](const TensorMeta& left, const TensorMeta& right) {
    return drawable(linear, left, right).has_value();
  });
  if (!pair) return std::nullopt;
  std::vector<Argument> arguments = with_defaults(op, {pair->first, pair->second});
  const TensorMeta& weight = context.meta(pair->second);
  if (weight.layout.rank() == 2 && context.choices().chance(50)) {
    const auto bias = context.pick([&](const Candidate&, const TensorMeta& meta) {
      return meta.dtype == weight.dtype && meta.layout.sizes == Dims{weight.layout.sizes[0]};
    });
    if (bias) return with_argument(op, std::move(arguments), arg::bias, *bias);
  }
  return arguments;
}

template <const Product& product>
OpDef pure_matmul(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_product<product>,
          .reference = reference_product<product>,
          .plain = plain_product<product>,
          .sample = sample_product<product>};
}

template <const Product& product>
OpDef added(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_added<product>,
          .reference = reference_added<product>,
          .plain = plain_added<product>,
          .sample = sample_added<product>};
}

template <const Product& product>
OpDef matmul_twin(std::string_view schema, std::string_view functional) {
  return {.schema = schema,
          .infer = infer_added_inplace<product>,
          .reference = reference_inplace,
          .sample = sample_added<product>,
          .functional = functional};
}

}  // namespace

std::vector<OpDef> matmul_family() {
  return {
      pure_matmul<mm>("mm(Tensor self, Tensor mat2) -> Tensor"),
      pure_matmul<bmm>("bmm(Tensor self, Tensor mat2) -> Tensor"),
      pure_matmul<mv>("mv(Tensor self, Tensor vec) -> Tensor"),
      pure_matmul<dot>("dot(Tensor self, Tensor tensor) -> Tensor"),
      pure_matmul<vdot>("vdot(Tensor self, Tensor other) -> Tensor"),
      pure_matmul<matmul>("matmul(Tensor self, Tensor other) -> Tensor"),
      {.schema = "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
       .infer = infer_linear,
       .reference = reference_linear,
       .plain = plain_linear,
       .sample = sample_linear},

      added<addmm>("addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"),
      added<addmv>("addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor"),
      added<baddbmm>("baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"),
      added<addbmm>("addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"),
      matmul_twin<addmm>(
          "addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)",
          "aten.addmm.default"),
      matmul_twin<addmv>(
          "addmv_(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)",
          "aten.addmv.default"),
      matmul_twin<baddbmm>(
          "baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)",
          "aten.baddbmm.default"),
      matmul_twin<addbmm>(
          "addbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)",
          "aten.addbmm.default"),
  };
}

}  // namespace parallax
