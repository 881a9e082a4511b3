#include "graph/tensor_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/choices.h"
#include "graph/base64.h"

namespace parallax {
namespace {

Result<Tensor> read(std::string_view data, std::string_view type) {
  TRY(Json json, parse_json(data));
  TRY(TensorType parsed, parse_type(type));
  return read_tensor(Field(json, "/data"), parsed);
}

TEST(TensorJson, ReadsElementsOfEveryDtype) {
  const struct {
    std::string_view type, data;
    std::vector<std::string> elements;
  } rows[] = {
      {"bool[4]", "[true, false, 1, 0]", {"true", "false", "true", "false"}},
      {"u8[2]", "[0, 255]", {"0", "255"}},
      {"i8[2]", "[-128, 127]", {"-128", "127"}},
      {"i16[1]", "[2.0]", {"2"}},
      {"i64[2]", "[-9223372036854775808, 9223372036854775807]", {"-9223372036854775808", "9223372036854775807"}},
      {"f16[4]", "[65504, \"nan\", \"inf\", \"-inf\"]", {"65504", "nan", "inf", "-inf"}},
      {"bf16[1]", "[1]", {"1"}},
      {"f32[2]", "[0.1, -0.0]", {"0.1", "-0"}},
      {"f64[]", "[0.1]", {"0.1"}},
      {"f32[2,0]", "[]", {}},
  };
  for (const auto& row : rows) {
    const auto tensor = read(row.data, row.type);
    ASSERT_TRUE(tensor) << tensor.error().text();
    std::vector<std::string> elements;
    for (int64_t i = 0; i < tensor->numel(); ++i) elements.push_back(element_text(*tensor, i));
    EXPECT_EQ(elements, row.elements) << row.type;
  }
}

TEST(TensorJson, SaysWhichElementIsWrong) {
  const struct {
    std::string_view type, data, pointer, reason;
  } rows[] = {
      {"f32[2,2]", "[1, 2, 3]", "/data", "data has 3 elements, f32[2,2] needs 4"},
      {"f32[268435456]", "[1]", "/data", "data has 1 elements, f32[268435456] needs 268435456"},
      {"f32[2]", "[1, \"NaN\"]", "/data/1", "'NaN' is not a number, \"nan\", \"inf\" or \"-inf\""},
      {"f32[2]", "[1, true]", "/data/1", "an element of f32 must be a number"},
      {"f32[1]", "[1e300]", "/data/0", "1e+300 is over the range of f32"},
      {"f16[1]", "[65520]", "/data/0", "65520 is over the range of f16"},
      {"u8[2]", "[1, 256]", "/data/1", "256 is over the range of u8"},
      {"u8[1]", "[-1]", "/data/0", "-1 is over the range of u8"},
      {"i32[1]", "[0.5]", "/data/0", "0.5 is not an integer"},
      {"i32[1]", "[true]", "/data/0", "an element of i32 must be an integer"},
      {"i64[1]", "[9223372036854775808]", "/data/0", "9223372036854775808 is over the range of i64"},
      {"i64[1]", "[1e19]", "/data/0", "1e+19 is over the range of i64"},
      {"i64[1]", "[\"nan\"]", "/data/0", "an element of i64 must be an integer"},
      {"bool[1]", "[2]", "/data/0", "2 is over the range of bool"},
      {"f32[1]", "[[1]]", "/data/0", "an element of f32 must be a number"},
      {"f32[1]", "3", "/data",
       "data must be a list of elements, {\"b64\": …}, {\"random\": …} or {\"safetensors\": …}"},
      {"f32[1]", "{}", "/data",
       "data must be a list of elements, {\"b64\": …}, {\"random\": …} or {\"safetensors\": …}"},
      {"f32[1]", R"({"b64": "AAAA"})", "/data/b64", "data has 3 bytes, f32[1] needs 4"},
      {"f32[1]", R"({"b64": "AA*A"})", "/data/b64", "not base64"},
      {"f32[1]", R"({"b64": 1})", "/data/b64", "must be a string"},
      {"bool[3]", R"({"b64": "AAEC"})", "/data/b64", "byte 2 is 2, a bool is 0 or 1"},
      {"f32[1]", R"({"random": {"low": 0, "high": 1}})", "/data/random", "\"seed\" is missing"},
      {"f32[1]", R"({"random": {"seed": 0.5, "low": 0, "high": 1}})", "/data/random/seed", "must be an integer"},
      {"f32[1]", R"({"random": {"seed": 1, "low": 2, "high": 1}})", "/data/random",
       "\"low\" 2 must be below \"high\" 1"},
      {"u8[1]", R"({"random": {"seed": 1, "low": -1, "high": 1}})", "/data/random/low", "-1 is over the range of u8"},
      {"f32[1]", R"({"random": {"seed": 1, "low": 0, "high": "x"}})", "/data/random/high", "must be a number"},
  };
  for (const auto& row : rows) {
    const auto tensor = read(row.data, row.type);
    ASSERT_FALSE(tensor) << row.type << " " << row.data;
    EXPECT_EQ(tensor.error().pointer, row.pointer) << row.data;
    EXPECT_EQ(tensor.error().reason, row.reason);
  }
}

// The documented generator: word i % 4 of block i / 4. The four words of (seed 0, block 0) are the known answer of
// Philox 4x32-10 for a zero key and counter.
TEST(TensorJson, RandomDataIsPhilox) {
  const auto reals = read(R"({"random": {"seed": 0, "low": 0, "high": 4294967296}})", "f64[4]");
  ASSERT_TRUE(reals);
  EXPECT_EQ(reals->get_double(0), 0x6627e8d5);
  EXPECT_EQ(reals->get_double(1), 0xe169c58d);
  EXPECT_EQ(reals->get_double(2), 0xbc57ac4c);
  EXPECT_EQ(reals->get_double(3), 0x9b00dbd8);
  const auto integers = read(R"({"random": {"seed": 3, "low": -2, "high": 2}})", "i8[1000]");
  ASSERT_TRUE(integers);
  std::array<int, 4> counts{};
  for (int64_t i = 0; i < 1000; ++i) ++counts.at(static_cast<std::size_t>(integers->get_integer(i) + 2));
  for (int count : counts) EXPECT_GT(count, 200);
  EXPECT_TRUE(read(R"({"random": {"seed": 3, "low": 0, "high": 256}})", "u8[8]"));
  EXPECT_TRUE(read(R"({"random": {"seed": 3, "low": 0, "high": 2}})", "bool[8]"));
}

TEST(TensorJson, WritesTheShortestNumbers) {
  const auto floats = read("[0.1, -0.0, 16777216, \"nan\", 1e-45, 3]", "f32[6]");
  ASSERT_TRUE(floats);
  EXPECT_EQ(write_json(tensor_json(*floats)), R"([0.1,-0.0,16777216.0,"nan",1e-45,3.0])");
  const auto doubles = read("[0.1]", "f64[1]");
  ASSERT_TRUE(doubles);
  EXPECT_EQ(write_json(tensor_json(*doubles)), "[0.1]");
}

TEST(TensorJson, ANanWithOtherBitsIsWrittenAsBytes) {
  Tensor tensor(DType::F32, {1});
  const uint32_t bits = 0xFFC12345;
  std::memcpy(tensor.bytes.data(), &bits, sizeof bits);
  const Json json = tensor_json(tensor);
  EXPECT_TRUE(json.contains("b64"));
  const auto again = read(write_json(json), "f32[1]");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, tensor);
}

TEST(TensorJson, RandomBitsReadBackBitForBit) {
  constexpr uint64_t seed = 20260;
  for (int d = 0; d < dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    Choices choices(seed, static_cast<uint64_t>(d));
    for (int64_t count : {0, 1, 7, 500, 5000}) {
      Tensor tensor(dtype, {count});
      for (std::byte& byte : tensor.bytes) byte = static_cast<std::byte>(choices.below(dtype == DType::Bool ? 2 : 256));
      // A NaN turns the whole tensor into base64, so most tensors must do without.
      for (int64_t i = 0; is_floating(dtype) && i < count; ++i) {
        if (!std::isfinite(tensor.get_double(i)))
          tensor.set_double(i, i % 2 ? std::numeric_limits<double>::infinity() : std::nan(""));
      }
      const std::string text = write_json(tensor_json(tensor));
      EXPECT_EQ(text.front(), count > 4096 ? '{' : '[');
      const auto again = read(text, type_text(dtype, tensor.sizes));
      ASSERT_TRUE(again) << "seed " << seed << " " << name(dtype) << ": " << again.error().text();
      EXPECT_EQ(*again, tensor) << "seed " << seed << " " << name(dtype);
    }
  }
}

// The vectors of RFC 4648, section 10.
TEST(Base64, KnownAnswers) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : rows) {
    const auto bytes = std::as_bytes(std::span(plain));
    EXPECT_EQ(encode_base64(bytes), encoded);
    const auto decoded = decode_base64(encoded);
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(std::equal(decoded->begin(), decoded->end(), bytes.begin(), bytes.end()));
  }
  for (std::string_view wrong : {"Z", "Zg=", "Zg", "Z===", "Zh==", "Zm9=", "Z=g=", "Zm 9v", "===="}) {
    EXPECT_FALSE(decode_base64(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace parallax
