// Form: a leeway of arithmetic that a target may have beside its rounding: another formula, another accumulator, a
// value that it does not keep. A profile allows forms by op and dtype (docs/profiles.md).
//
// A new form is a member of the enum and a row of the table here, the kernel's alternative, its perturbed twin, and the
// profile that allows it (docs/adding-a-form.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/dtype.h"

namespace parallax {

enum class Form : uint8_t {
  AccumulateInHalf,
  DroppedNan,
  OnePassVariance,
  ElidedCasts,
  LostNan,
  FoldedFactors,
  CancellingGate,
  AveragedProducts,
  InterpolationBySteps,
  UnorderedNan,
  SignOfNan,
  OpenShifts,
  JoinedConstants,
  OnlineSoftmax,
  DividedScale,
  HalfAway,
  HalfUp,
  SingleScales,
  InfiniteNan,
  FixedPoint,
  ShortFixedPoint,
  ReciprocalProduct,
  LostOperandNan,
  RoundedBias,
  Bf16Instructions,
};

// The dtypes that a form can be about.
enum class FormDTypes : uint8_t { Halves, Floating, Integers };

struct FormInfo {
  Form form;
  std::string_view name;     // as in a profile
  std::string_view meaning;  // one sentence, for people
  // The families of ops (Op::family) that have it, "all" for every one; separated by a comma and a space.
  std::string_view families;
  FormDTypes dtypes;
};

inline constexpr std::array forms = {
    FormInfo{Form::AccumulateInHalf, "accumulate_in_half",
             "Sums, products and steps of f16 and bf16 may be carried in that dtype, not in f32.", "all",
             FormDTypes::Halves},
    FormInfo{Form::DroppedNan, "dropped_nan",
             "A maximum, a minimum and what is made of them may return another operand for NaN.",
             "unary, activation, exponential, binary, clamp, extremum, max pool, upsample, grid sampler, distance, "
             "vector norm, scan, scatter index, index add, recurrent, embedding bag, quantization choice",
             FormDTypes::Floating},
    FormInfo{Form::OnePassVariance, "one_pass_variance",
             "A variance may be the mean of the squares less the square of the mean.",
             "variance, normalization, batch norm", FormDTypes::Floating},
    FormInfo{Form::ElidedCasts, "elided_casts",
             "What was cast up from a half may be computed, and stored, as that half.", "all", FormDTypes::Halves},
    FormInfo{Form::LostNan, "lost_nan", "What arithmetic makes NaN may come out as any number.", "all",
             FormDTypes::Floating},
    FormInfo{Form::FoldedFactors, "folded_factors",
             "Constant factors of a sum of products and of its operands may be folded into one, rounded anew: 3 / 6 "
             "squared is 9 x (1 / 36), and not exact.",
             "matmul, convolution, distance, upsample, grid sampler", FormDTypes::Floating},
    FormInfo{Form::CancellingGate, "cancelling_gate",
             "The gate of hardsigmoid and hardswish may be x / 6 + 1/2, whose sum cancels towards -3.", "activation",
             FormDTypes::Floating},
    FormInfo{Form::AveragedProducts, "averaged_products",
             "An average pool may add up x (1 / n), whose roundings do not cancel as the elements do.", "pooling",
             FormDTypes::Floating},
    FormInfo{
        Form::InterpolationBySteps, "interpolation_by_steps",
        "Linear interpolation may be a + t (b - a), dim after dim, or read a border's texel in parts: its error is "
        "relative to the texels, not to the result.",
        "upsample, grid sampler", FormDTypes::Floating},
    FormInfo{Form::UnorderedNan, "unordered_nan",
             "A sort or topk of a line with NaN may come out in any order, of its numbers too.", "sort",
             FormDTypes::Floating},
    FormInfo{Form::SignOfNan, "sign_of_nan", "The sign of NaN may be NaN, where eager has 0.", "unary",
             FormDTypes::Floating},
    FormInfo{Form::OpenShifts, "open_shifts",
             "A shift by less than 0, or by an integer's width or more, may give any integer: C++ and PyTorch's "
             "documentation leave it undefined.",
             "bitwise", FormDTypes::Integers},
    FormInfo{Form::JoinedConstants, "joined_constants",
             "Constants that are added to a value or multiplied with it one after another may be combined into one, "
             "rounded anew: 2 - 2 (x - 1.1) is 4.2 - 2 x.",
             "unary, binary, division", FormDTypes::Floating},
    FormInfo{Form::OnlineSoftmax, "online_softmax",
             "Attention may go over the keys block by block, and scale what it has summed so far whenever it meets a "
             "larger score.",
             "attention", FormDTypes::Floating},
    FormInfo{Form::DividedScale, "divided_scale",
             "A number may be quantized by its quotient with the scale, not its product with the scale's reciprocal.",
             "quantization", FormDTypes::Floating},
    FormInfo{Form::HalfAway, "half_away", "A number may be quantized with ties away from 0, not to even.",
             "quantization", FormDTypes::Floating},
    FormInfo{Form::HalfUp, "half_up", "A number may be quantized as the floor of itself and a half.", "quantization",
             FormDTypes::Floating},
    FormInfo{Form::SingleScales, "single_scales",
             "Scales and zero points of f64 may be f32, and what is computed with them too.", "quantization",
             FormDTypes::Floating},
    FormInfo{Form::InfiniteNan, "infinite_nan", "What arithmetic makes NaN may come out as an infinity.", "all",
             FormDTypes::Floating},
    FormInfo{Form::FixedPoint, "fixed_point",
             "What is made of quantized operands and quantized again may be an integer times a multiplier of 31 bits, "
             "whose product is rounded once or twice.",
             "quantization", FormDTypes::Floating},
    FormInfo{Form::ShortFixedPoint, "short_fixed_point",
             "The same with a multiplier of 15 bits, whose product is rounded once.", "quantization",
             FormDTypes::Floating},
    FormInfo{Form::ReciprocalProduct, "reciprocal_product",
             "A quotient by a number, or by a tensor of one element, may be a product with its reciprocal, rounded "
             "twice.",
             "division", FormDTypes::Floating},
    FormInfo{Form::LostOperandNan, "lost_operand_nan",
             "NaN in an operand may come out as any number; what arithmetic makes NaN stays NaN.", "all",
             FormDTypes::Floating},
    FormInfo{Form::RoundedBias, "rounded_bias",
             "The bias of quantized operands whose result is quantized may be rounded to a multiple of the product of "
             "their scales.",
             "quantization", FormDTypes::Floating},
    FormInfo{Form::Bf16Instructions, "bf16_instructions",
             "Halves may be computed with a processor's instructions for bf16, which take subnormals as 0 and add "
             "products in pairs: the last of an odd number meets a factor of 0, and is NaN where it is infinite.",
             "matmul, convolution, gradient, recurrent, activation", FormDTypes::Halves},
};

constexpr const FormInfo& info(Form form) { return forms[static_cast<std::size_t>(form)]; }
constexpr std::string_view name(Form form) { return info(form).name; }

// The form of that name, or nothing.
std::optional<Form> parse_form(std::string_view name);
// Whether ops of the family have the form.
bool applies(Form form, std::string_view family);
// Whether the form can be about elements of the dtype.
bool applies(Form form, DType dtype);

// Some of the forms.
class FormSet {
 public:
  constexpr FormSet() = default;
  constexpr FormSet(std::initializer_list<Form> members) {
    for (const Form form : members) add(form);
  }

  constexpr bool has(Form form) const { return (bits_ >> static_cast<unsigned>(form) & 1) != 0; }
  constexpr void add(Form form) { bits_ |= uint32_t{1} << static_cast<unsigned>(form); }
  constexpr void remove(Form form) { bits_ &= ~(uint32_t{1} << static_cast<unsigned>(form)); }

 private:
  uint32_t bits_ = 0;
};
static_assert(forms.size() <= 32);

}  // namespace parallax
