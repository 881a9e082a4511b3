#include "fuzz/generate/altered_call.h"

#include <array>
#include <string_view>

#include "ops/sample.h"

namespace parallax {
namespace {

// Percentage of the calls that have such an argument.
constexpr int altered_calls = 20;

bool is_left_out(const Argument& argument, DType) { return is_none(argument); }

// PyTorch promotes integers beside a fraction; in a write there is no other dtype to go to.
bool is_whole_beside_integers(const Argument& argument, DType self) {
  const auto* number = std::get_if<Scalar>(&argument);
  return number && std::holds_alternative<int64_t>(*number) && is_integral(self) && self != DType::Bool;
}

Argument draw_fraction(Choices& choices, DType) {
  static constexpr std::array fractions = {0.5, -0.5, 1.5, -1.25, 2.75, 0.1};
  return Scalar(choices.pick(fractions));
}

// What moves out each bit, and what leaves one.
Argument draw_width(Choices& choices, DType self) { return Scalar(int64_t{8} * size_of(self) - choices.between(0, 1)); }

Argument draw_asked_dtype(Choices& choices, DType) { return draw_dtype(choices); }

struct Alteration {
  std::string_view family;
  std::string_view of;  // part of the op's name
  ArgKind kind;
  bool in_place;
  bool (*fits)(const Argument& argument, DType self);
  Argument (*draw)(Choices& choices, DType self);
};

constexpr std::array alterations = {
    Alteration{"scan", "", ArgKind::DType, false, is_left_out, draw_asked_dtype},
    Alteration{"reduction", "", ArgKind::DType, false, is_left_out, draw_asked_dtype},
    Alteration{"softmax", "", ArgKind::DType, false, is_left_out, draw_asked_dtype},
    Alteration{"clamp", "", ArgKind::Scalar, false, is_whole_beside_integers, draw_fraction},
    Alteration{"unary", "clamp", ArgKind::Scalar, false, is_whole_beside_integers, draw_fraction},
    Alteration{"comparison", "", ArgKind::Scalar, false, is_whole_beside_integers, draw_fraction},
    Alteration{"bitwise", "_shift", ArgKind::Scalar, true, is_whole_beside_integers, draw_width},
};

}  // namespace

std::optional<std::vector<Argument>> altered_arguments(Choices& choices, const Op& op,
                                                       const std::vector<Argument>& arguments,
                                                       std::span<const TensorMeta> metas) {
  for (const Alteration& row : alterations) {
    if (op.family != row.family || (op.writes() && !row.in_place) || !op.name.contains(row.of)) continue;
    const auto* self = std::get_if<ValueId>(&arguments.front());
    if (!self) continue;
    const DType dtype = metas[self->index].dtype;
    std::vector<std::size_t> fitting;
    for (std::size_t p = 1; p < arguments.size(); ++p) {
      const bool is_kind = op.schema.parameters[p].kind == row.kind;
      if (is_kind && row.fits(arguments[p], dtype)) fitting.push_back(p);
    }
    if (fitting.empty() || !choices.chance(altered_calls)) continue;
    std::vector<Argument> altered = arguments;
    altered[choices.pick(fitting)] = row.draw(choices, dtype);
    return altered;
  }
  return std::nullopt;
}

}  // namespace parallax
