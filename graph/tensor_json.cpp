#include "graph/tensor_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/philox.h"
#include "graph/base64.h"
#include "graph/weights_beside.h"

namespace parallax {
namespace {

// Longer data is written as base64: nobody reads it, and a list takes five times the bytes.
constexpr int64_t max_listed_elements = 4096;

Result<void> set_float(const Json& json, Tensor& tensor, int64_t i) {
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const auto special = parse_special(text);
    if (!special) return fail("'{}' is not a number, \"nan\", \"inf\" or \"-inf\"", text);
    tensor.set_double(i, *special);
    return {};
  }
  if (!json.is_number()) return fail("an element of {} must be a number", name(tensor.dtype));
  const auto x = json.get<double>();
  tensor.set_double(i, x);
  if (!std::isfinite(tensor.get_double(i))) return fail("{} is over the range of {}", x, name(tensor.dtype));
  return {};
}

// A JSON number as an integer; 2.0 is one.
Result<int64_t> integral_value(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto x = json.get<uint64_t>();
    if (x > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return fail("{} is over the range of i64", x);
    return static_cast<int64_t>(x);
  }
  if (json.is_number_integer()) return json.get<int64_t>();
  const auto x = json.get<double>();
  if (std::trunc(x) != x) return fail("{} is not an integer", x);
  if (std::fabs(x) >= 0x1p63) return fail("{} is over the range of i64", x);
  return static_cast<int64_t>(x);
}

Result<void> set_integer(const Json& json, Tensor& tensor, int64_t i) {
  const DTypeInfo& limits = info(tensor.dtype);
  if (json.is_boolean() && tensor.dtype == DType::Bool) {
    tensor.set_integer(i, json.get<bool>());
    return {};
  }
  if (!json.is_number()) {
    return fail("an element of {} must be {}", limits.name,
                tensor.dtype == DType::Bool ? "true or false" : "an integer");
  }
  TRY(int64_t x, integral_value(json));
  if (x < limits.min_integer || x > limits.max_integer) return fail("{} is over the range of {}", x, limits.name);
  tensor.set_integer(i, x);
  return {};
}

Result<Tensor> read_list(const Field& data, const TensorType& type) {
  const Json& list = data.json();
  if (static_cast<int64_t>(list.size()) != type.numel) {
    return data.fail("data has {} elements, {} needs {}", list.size(), type_text(type.dtype, type.sizes), type.numel);
  }
  Tensor tensor(type.dtype, type.sizes);
  const bool floating = is_floating(type.dtype);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    auto set = floating ? set_float(list[i], tensor, index) : set_integer(list[i], tensor, index);
    if (!set) return at(data.element(i).pointer(), set.error());
  }
  return tensor;
}

Result<Tensor> read_base64(const Field& b64, const TensorType& type) {
  TRY(std::string text, b64.text());
  auto bytes = decode_base64(text);
  if (!bytes) return b64.fail("not base64");
  const auto wanted = static_cast<std::size_t>(type.numel) * static_cast<std::size_t>(size_of(type.dtype));
  if (bytes->size() != wanted) {
    return b64.fail("data has {} bytes, {} needs {}", bytes->size(), type_text(type.dtype, type.sizes), wanted);
  }
  if (type.dtype == DType::Bool) {
    for (std::size_t i = 0; i < bytes->size(); ++i) {
      const int byte = std::to_integer<int>((*bytes)[i]);
      if (byte > 1) return b64.fail("byte {} is {}, a bool is 0 or 1", i, byte);
    }
  }
  Tensor tensor;
  tensor.dtype = type.dtype;
  tensor.sizes = type.sizes;
  tensor.bytes = *std::move(bytes);
  return tensor;
}

// Data in a weights file, which resolve_weights (graph/weights_beside.h) has put in its place.
Result<Tensor> read_weights(const Field& data, const TensorType& type) {
  TRY(const std::string tensor, data.need_text("tensor"));
  const auto bytes = data.find(resolved_bytes);
  if (!bytes || !bytes->json().is_binary())
    return data.fail("only a case that is read from a file has weights beside it");
  TRY(const std::string held, data.need_text(resolved_type));
  if (held != type_text(type.dtype, type.sizes))
    return data.fail("'{}' is {} there and not {}", tensor, held, type_text(type.dtype, type.sizes));
  const auto& binary = bytes->json().get_binary();
  if (type.dtype == DType::Bool && std::ranges::any_of(binary, [](uint8_t byte) { return byte > 1; }))
    return data.fail("'{}' has a byte over 1, a bool is 0 or 1", tensor);
  Tensor result(type.dtype, type.sizes);
  PARALLAX_CHECK(binary.size() == result.bytes.size());
  std::memcpy(result.bytes.data(), binary.data(), binary.size());
  return result;
}

Result<double> read_bound(const Field& random, std::string_view key, DType dtype) {
  TRY(Field field, random.need(key));
  if (!field.json().is_number()) return field.fail("must be a number");
  const auto x = field.json().get<double>();
  const DTypeInfo& limits = info(dtype);
  const double lowest = limits.floating ? -limits.max_finite : static_cast<double>(limits.min_integer);
  // `high` is left out of the range, so one past the largest integer is allowed.
  const double highest =
      limits.floating ? limits.max_finite : static_cast<double>(limits.max_integer) + (key == "high" ? 1 : 0);
  if (!(x >= lowest && x <= highest)) return field.fail("{} is over the range of {}", x, limits.name);
  return x;
}

Result<Tensor> read_random(const Field& random, const TensorType& type) {
  TRY(Field seed_field, random.need("seed"));
  TRY(int64_t seed, seed_field.integer());
  TRY(double low, read_bound(random, "low", type.dtype));
  TRY(double high, read_bound(random, "high", type.dtype));
  if (!(low < high) || !std::isfinite(high - low))
    return random.fail("\"low\" {} must be below \"high\" {}", low, high);
  Tensor tensor(type.dtype, type.sizes);
  for (int64_t i = 0; i < type.numel; ++i) {
    const double x = philox_uniform(static_cast<uint64_t>(seed), static_cast<uint64_t>(i), low, high);
    if (is_floating(type.dtype)) {
      tensor.set_double(i, x);
    } else {
      // The largest i64 is no double: a draw that rounds up to 2^63 stays inside.
      tensor.set_integer(i,
                         std::floor(x) >= 0x1p63 ? info(type.dtype).max_integer : static_cast<int64_t>(std::floor(x)));
    }
  }
  return tensor;
}

// The shortest decimal of a float32 value, as the double it reads to; f16 and bf16 values are float32 values too.
double shortest(DType dtype, double x) {
  if (dtype == DType::F64) return x;
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), static_cast<float>(x)).ptr;
  double read = x;
  std::from_chars(digits.begin(), end, read);
  return round_to(dtype, read) == x ? read : x;
}

Json element_json(const Tensor& tensor, int64_t i) {
  if (tensor.dtype == DType::Bool) return tensor.get_integer(i) != 0;
  if (is_integral(tensor.dtype)) return tensor.get_integer(i);
  const double x = tensor.get_double(i);
  return std::isfinite(x) ? Json(shortest(tensor.dtype, x)) : number_json(x);
}

// Whether a NaN's bits are not those that "nan" is read to.
bool has_unusual_nan(const Tensor& tensor) {
  if (!is_floating(tensor.dtype)) return false;
  Tensor usual(tensor.dtype, {});
  usual.set_double(0, std::numeric_limits<double>::quiet_NaN());
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (std::isnan(tensor.get_double(i)) && !std::equal(usual.bytes.begin(), usual.bytes.end(), tensor.at(i)))
      return true;
  }
  return false;
}

}  // namespace

std::optional<double> parse_special(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

Json number_json(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Result<Tensor> read_tensor(const Field& data, const TensorType& type) {
  if (data.json().is_array()) return read_list(data, type);
  if (data.json().is_object()) {
    if (auto b64 = data.find("b64")) return read_base64(*b64, type);
    if (auto random = data.find("random")) return read_random(*random, type);
    if (data.find("safetensors")) return read_weights(data, type);
  }
  return data.fail("data must be a list of elements, {{\"b64\": …}}, {{\"random\": …}} or {{\"safetensors\": …}}");
}

Json tensor_json(const Tensor& tensor) {
  if (tensor.numel() > max_listed_elements || has_unusual_nan(tensor)) return {{"b64", encode_base64(tensor.bytes)}};
  Json list = Json::array();
  for (int64_t i = 0; i < tensor.numel(); ++i) list.push_back(element_json(tensor, i));
  return list;
}

}  // namespace parallax
