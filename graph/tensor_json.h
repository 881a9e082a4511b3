// Tensor data as the case file writes it: a list of elements, {"b64": …}, {"random": …} or {"safetensors": …}.
#pragma once

#include "core/json_field.h"
#include "core/tensor.h"
#include "graph/type_text.h"

namespace parallax {

// Reads row-major data of a type. The element count is checked before anything is allocated; an element must be
// a value of the dtype (for floats: any number that rounds to a finite one, or "nan", "inf", "-inf").
//
// Random data is element i = philox_uniform(seed, i, low, high) (core/philox.h), rounded to a float dtype or floored
// to an integer one, so that integers lie in [low, high).
Result<Tensor> read_tensor(const Field& data, const TensorType& type);

// The data of a tensor: a list of the shortest numbers that read back to its elements, or base64 where it is large or
// holds a NaN that "nan" does not give back bit for bit.
Json tensor_json(const Tensor& tensor);

// A float as a JSON number, or "nan", "inf", "-inf".
Json number_json(double x);
// What "nan", "inf" and "-inf" stand for, or nothing.
std::optional<double> parse_special(std::string_view text);

}  // namespace parallax
