// Where arithmetic has its edges: integers that wrap, infinities and NaN where they are asked for, products below the
// normal numbers, totals of one number, and kernels that are made of many numbers.
#include <array>
#include <cmath>

#include "fuzz/generate/structures.h"

namespace parallax {
namespace {

constexpr std::array floating_dtypes = {DType::F32, DType::F16, DType::BF16, DType::F64};
constexpr std::array integer_dtypes = {DType::I32, DType::I64, DType::U8, DType::I8, DType::I16};

ValueId wrapped(StructureSite& site, ValueId x) {
  static constexpr std::array<std::string_view, 8> ops = {
      "aten.abs.default",  "aten.abs.default",    "aten.neg.default",  "aten.bitwise_not.default",
      "aten.sign.default", "aten.square.default", "aten.relu.default", "aten.neg.default"};
  return site.choices().chance(35) ? site.multiply(x, x) : site.call(site.choices().pick(ops), {x});
}

// Integers whose square, sign or magnitude wraps, behind one another, and what is asked about the result. A rewrite
// that holds for numbers (|x²| = x²) and an integer that is wider on the way show here.
void wrapping_integers(StructureSite& site) {
  Choices& choices = site.choices();
  ValueId x = site.source(SourceKind::Input, choices.pick(integer_dtypes), site.small_sizes());
  for (int64_t calls = choices.between(2, 3); calls > 0; --calls) x = wrapped(site, x);
  switch (choices.below(6)) {
    case 0:
      site.call("aten.ge.Scalar", {x, Scalar(int64_t{0})});
      break;
    case 1:
      site.call("aten._to_copy.default", {x}, {{"dtype", choices.chance(50) ? DType::I64 : DType::F32}});
      break;
    case 2:
      site.call("aten.sum.default", {x});
      break;
    case 3:
      site.call("aten.bitwise_right_shift.Tensor_Scalar", {x, Scalar(int64_t{1})});
      break;
    case 4:
      if (x.valid()) site.call("aten.sum.default", {site.call("aten.cat.default", {ValueList{x, x}})});
      break;
    default:
      break;
  }
}

// Whether numbers are infinite or NaN, and what stands in for them.
void special_numbers(StructureSite& site) {
  static constexpr std::array<std::string_view, 5> makers = {
      "aten.reciprocal.default", "aten.log.default", "aten.exp.default", "aten.square.default", "aten.neg.default"};
  static constexpr std::array<std::string_view, 5> questions = {"aten.isinf.default", "aten.isnan.default",
                                                                "aten.isfinite.default", "aten.isposinf.default",
                                                                "aten.isneginf.default"};
  Choices& choices = site.choices();
  ValueId x = site.source(SourceKind::Input, choices.pick(floating_dtypes), site.small_sizes());
  if (choices.chance(35)) x = site.call(choices.pick(makers), {x});
  const uint64_t kind = choices.below(4);
  switch (kind) {
    case 0:
      x = site.call("aten.nan_to_num.default", {x});
      break;
    case 1:
      x = site.call("aten.nan_to_num.default", {x, Scalar(0.5), Scalar(2.0), Scalar(-2.0)});
      break;
    case 2:
      x = site.call(choices.pick(questions), {x});
      break;
    default:
      break;
  }
  if (kind == 3 || choices.chance(60)) site.call(choices.chance(50) ? "aten.any.default" : "aten.all.default", {x});
  if (choices.chance(30)) site.call("aten._to_copy.default", {x}, {{"dtype", DType::F32}});
}

// Percentage of the products below the least normal number that lie above it where a target may flush what is below.
constexpr int lifted_where_flushed = 85;
// Above the square of an eighth, halved.
constexpr double lift = 256;

// Products that lie just below the least normal number: of numbers by that one, or of two of its root.
void product_below_the_normal(StructureSite& site) {
  Choices& choices = site.choices();
  const bool lifted = site.flushes() && choices.chance(lifted_where_flushed);
  const double least = info(site.dtype()).smallest_normal * (lifted ? lift : 1);
  const Dims sizes = site.small_sizes();
  const ValueId x = site.activations(sizes);
  ValueId product;
  if (choices.chance(50)) {
    product = site.scaled(x, least * static_cast<double>(choices.between(1, 4)));
  } else {
    const ValueId a = site.scaled(x, std::sqrt(least));
    product = site.multiply(a, choices.chance(50) ? a : site.scaled(site.activations(sizes), std::sqrt(least) / 2));
  }
  if (choices.chance(40)) site.scaled(product, 1 / least);
  if (choices.chance(30)) site.call("aten.ne.Scalar", {product, Scalar(0.0)});
}

// A total of a tensor full of one number, which folds into that number and its place, to a dtype that is asked for.
void total_of_one_number(StructureSite& site) {
  static constexpr std::array made = {DType::I64, DType::F32, DType::I32, DType::Bool};
  static constexpr std::array asked = {DType::F32, DType::I64, DType::I32, DType::F16, DType::F64, DType::U8};
  static constexpr std::array<std::string_view, 3> along = {"aten.cumsum.default", "aten.cumprod.default",
                                                            "aten.prod.dim_int"};
  Choices& choices = site.choices();
  const IntList sizes = {choices.between(1, 3), choices.between(1, 4)};
  const DType dtype = choices.pick(made);
  const ValueId full = choices.chance(50)
                           ? site.call("aten.ones.default", {sizes}, {{"dtype", dtype}})
                           : site.call("aten.full.default", {sizes, Scalar(choices.between(0, 3))}, {{"dtype", dtype}});
  const Argument dim = Scalar(choices.between(0, 1));
  const Argument to = choices.pick(asked);
  if (choices.chance(25)) {
    site.call("aten.sum.dim_IntList", {full, IntList{1}, Scalar(choices.chance(50))}, {{"dtype", to}});
  } else {
    site.call(choices.pick(along), {full, dim}, {{"dtype", to}});
  }
}

// A product with a number as programs write it, or with a constant without dims, as importers keep it.
ValueId times_a_number(StructureSite& site, ValueId x) {
  const double eighths = static_cast<double>(site.choices().between(1, 12)) / 8;
  return site.choices().chance(50) ? site.scaled(x, eighths) : site.multiply(x, site.weights({}));
}

// Calls with numbers, sometimes more than one kernel takes, of a row that is broadcast: behind one another, or terms of
// a sum.
void many_numbers(StructureSite& site) {
  static constexpr std::array<std::string_view, 4> behind = {"aten.add.Scalar", "aten.sub.Scalar",
                                                             "aten.clamp_min.default", "aten.clamp_max.default"};
  Choices& choices = site.choices();
  const Dims sizes = {choices.between(1, 3), choices.between(1, 4)};
  const ValueId x = site.sum(site.activations(sizes), site.activations({sizes[1]}));
  const bool adds = choices.chance(50);
  const bool is_long = choices.chance(35);
  ValueId y = x;
  for (int64_t k = is_long ? choices.between(10, 14) : choices.between(2, 4); k > 0; --k) {
    const ValueId term = times_a_number(site, adds ? x : y);
    const double number = static_cast<double>(choices.between(-16, 16)) / 8;
    y = adds ? site.sum(y, term) : site.call(choices.pick(behind), {term, Scalar(number)});
  }
}

}  // namespace

std::span<const Structure> numeric_structures() {
  static constexpr std::array structures = {
      Structure{"wrapping integers", wrapping_integers},
      Structure{"special numbers", special_numbers},
      Structure{"product below the normal", product_below_the_normal},
      Structure{"total of one number", total_of_one_number},
      Structure{"many numbers", many_numbers},
  };
  return structures;
}

}  // namespace parallax
