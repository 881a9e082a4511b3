// Judgement text: a judgement in words. What people read and what signatures hold is made here, and nowhere read back.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "oracle/judgement.h"
#include "oracle/spread.h"

namespace parallax {

// "values", "shape", "dtype", "count" or "identity".
std::string_view name(DivergenceKind kind);

// "A", "run 2", "A, read again after B", "A on a fresh instance" …
std::string run_text(const RunId& run);

// "out[1] e", "input x", "buffer cache", "gradient of x": the tensor at any time.
std::string tensor_text(const Place& place);
// The tensor when it is observed: "out[1] e", "input x after the run".
std::string place_text(const Place& place);

// "-0.3817 ± 3e-8 or nan".
std::string ball_text(DType dtype, const Ball& ball);
// "0.25 or 0.5".
std::string alternatives_text(DType dtype, std::span<const Ball> balls);
// "3", or "3 to 4" of an interval.
std::string integer_text(const IntegerBall& integer);

// "1.4647 (half-spread 3e-08)".
std::string spread_text(DType dtype, const Spread& spread);
// Of a statistical divergence: "41,000 half-spreads of 32 legal runs".
std::string statistics_text(const Divergence& divergence);

// "out[0] e element 3: expected 2 got 3".
std::string element_line(const Divergence& divergence);
// The reason of a judgement: "A: out[0] e element 3: expected 2 got 3", "A: out[0] e: expected f32[2], got f32[1]".
std::string reason_line(const Divergence& divergence);
// Why a case is undecided: "2 of 9 elements cannot be decided".
std::string undecided_line(const ElementCounts& counts);
// The line of an explanation, which has the type and the number of elements outside; the reason where nothing diverges.
std::string explanation_line(const Judgement& judgement);

}  // namespace parallax
