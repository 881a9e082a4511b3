// Weights beside a case: written and read back whole, and refused by name where a file is not what the case says.
#include "graph/weights_beside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "graph/case_json.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

class WeightsBeside : public ::testing::Test {
 protected:
  WeightsBeside()
      : folder_(std::filesystem::path(::testing::TempDir()) / fmt::format("parallax_weights_{}", ::getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~WeightsBeside() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  // A case of one small and one large constant, and a buffer of bools.
  static Case large_case() {
    constexpr const char* text = R"({"parallax": 1, "name": "large", "graph": {
        "inputs": {"x": {"type": "f32[2]"}},
        "constants": {"w": {"type": "f32[20000,2]", "data": {"random": {"seed": 7, "low": -2, "high": 2}}},
                      "v": {"type": "f32[2]", "data": [1, 2]}},
        "buffers": {"m": {"type": "bool[70000]", "data": {"random": {"seed": 1, "low": 0, "high": 2}}}},
        "nodes": [{"out": "a", "op": "aten.add.Tensor", "args": ["%w", "%x"]},
                  {"out": "b", "op": "aten.logical_not.default", "args": ["%m"]}],
        "outputs": ["%a", "%b"]}, "feed": {"x": [1, 2]}})";
    return parse_case(text).value();
  }

  ordered_json document(const std::string& name) const {
    return ordered_json::parse(read_text_file(file(name)).value());
  }
  void rewrite(const ordered_json& document) const {
    ASSERT_TRUE(write_text_file(file("large.json"), document.dump()));
  }
  std::string refusal() const {
    const auto text = read_text_file(file("large.json"));
    const auto read = parse_case(*text, file("large.json").string());
    return read ? "no error" : read.error().text();
  }
  // A file of that header and data in the weights' place, its sum in the case.
  void spoil(const std::string& header, const std::string& data, std::optional<uint64_t> header_bytes = {}) const {
    const uint64_t size = header_bytes.value_or(header.size());
    const auto size_text = std::bit_cast<std::array<char, 8>>(size);
    const std::string bytes = std::string(size_text.begin(), size_text.end()) + header + data;
    std::ofstream(file("large.safetensors"), std::ios::binary) << bytes;
    ordered_json changed = document("large.json");
    changed["files"]["large.safetensors"] = sha256(std::as_bytes(std::span(bytes)));
    rewrite(changed);
  }

  std::filesystem::path folder_;
};

TEST_F(WeightsBeside, AreReadBackAsTheyWere) {
  const Case test = large_case();
  ASSERT_TRUE(write_case_file(test, file("large.json")));
  const auto text = read_text_file(file("large.json"));
  EXPECT_LT(text->size(), 4000U);
  EXPECT_THAT(*text, HasSubstr(R"("v": {"type": "f32[2]", "data": [1.0, 2.0]})"));
  const auto back = parse_case(*text, file("large.json").string());
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(test));
  EXPECT_FALSE(std::filesystem::exists(file("large.json.part")));
  EXPECT_FALSE(std::filesystem::exists(file("large.safetensors.part")));
}

TEST_F(WeightsBeside, AreWrittenForLargeTensorsAlone) {
  const auto test = parse_case(R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[2]"}},
      "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1, 2]}})");
  ASSERT_TRUE(write_case_file(*test, file("small.json")));
  EXPECT_FALSE(std::filesystem::exists(file("small.safetensors")));
}

TEST_F(WeightsBeside, AreRefusedWhereTheyAreNotWhatTheCaseSays) {
  ASSERT_TRUE(write_case_file(large_case(), file("large.json")));
  const ordered_json whole = document("large.json");
  const auto with = [&](const char* pointer, const ordered_json& value) {
    ordered_json changed = whole;
    changed[ordered_json::json_pointer(pointer)] = value;
    rewrite(changed);
    return refusal();
  };
  EXPECT_THAT(with("/graph/constants/w/data/tensor", "u"),
              HasSubstr("/graph/constants/w/data: 'large.safetensors' holds no tensor 'u'"));
  EXPECT_THAT(with("/graph/constants/w/data/safetensors", "../w"), HasSubstr("'../w' does not lie beside the case"));
  EXPECT_THAT(with("/graph/constants/w/data/safetensors", "/etc/w"), HasSubstr("does not lie beside the case"));
  EXPECT_THAT(with("/graph/constants/w/data/safetensors", "other"), HasSubstr("lacks the SHA-256 of 'other'"));
  EXPECT_THAT(with("/graph/constants/w/data/safetensors", 3), HasSubstr("/graph/constants/w/data/safetensors"));
  EXPECT_THAT(with("/files/large.safetensors", "00"), HasSubstr("it is another file, or damaged"));
  EXPECT_THAT(with("/graph/constants/w/type", "f32[40000]"), HasSubstr("'w' is f32[20000,2] there and not f32[40000]"));
  EXPECT_THAT(with("/graph/constants/w/type", "i32[20000,2]"),
              HasSubstr("'w' is f32[20000,2] there and not i32[20000,2]"));
  rewrite(whole);
  EXPECT_EQ(refusal(), "no error");
  std::filesystem::resize_file(file("large.safetensors"), 1000);
  EXPECT_THAT(refusal(), HasSubstr("large.safetensors: /m/data_offsets: header: must be"));
  std::filesystem::resize_file(file("large.safetensors"), 5);
  EXPECT_THAT(refusal(), HasSubstr("cut off"));
  std::filesystem::resize_file(file("large.safetensors"), 0);
  EXPECT_THAT(refusal(), HasSubstr("is empty"));
  std::filesystem::remove(file("large.safetensors"));
  EXPECT_THAT(refusal(), HasSubstr("cannot be read: No such file"));
  std::filesystem::create_directory(file("large.safetensors"));
  EXPECT_THAT(refusal(), HasSubstr("is no ordinary file"));
}

TEST_F(WeightsBeside, AreRefusedWhereTheFileIsMalformed) {
  ASSERT_TRUE(write_case_file(large_case(), file("large.json")));
  const std::string data(16, '\1');
  struct Row {
    std::string header, reason;
  };
  const Row rows[] = {
      {R"([1])", "must be an object"},
      {R"({"w": 3})", "must be an object"},
      {R"({"w": {"dtype": "F8_E4M3", "shape": [16], "data_offsets": [0, 16]}})", "dtype F8_E4M3 is none of a case's"},
      {R"({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 16]}})", "has 16 bytes, which its shape does not"},
      {R"({"w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 17]}})", "within the 16 bytes of data"},
      {R"({"w": {"dtype": "F32", "shape": [4], "data_offsets": [16, 0]}})", "within the 16 bytes of data"},
      {R"({"w": {"dtype": "F32", "shape": [-4], "data_offsets": [0, 16]}})", "-4 is negative"},
      {R"({"w": {"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 16]}})", "its shape does not"},
      {R"({"w": {"dtype": "F32", "shape": [1,1,1,1,1,1,1,1,4], "data_offsets": [0, 16]}})", "9 dims are over 8"},
      {R"({"w": {"shape": [4], "data_offsets": [0, 16]}})", "dtype"},
      {R"({"w": )", "header: "},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.header);
    spoil(row.header, data);
    EXPECT_THAT(refusal(), HasSubstr(row.reason));
    EXPECT_THAT(refusal(), HasSubstr("large.safetensors"));
  }
  spoil("{}", data, uint64_t{1} << 62);
  EXPECT_THAT(refusal(), HasSubstr("its header does not fit"));
}

// Bytes that a text claims to be resolved are not.
TEST_F(WeightsBeside, AreNotTakenFromTextWithoutAFile) {
  const auto read = parse_case(R"({"parallax": 1, "graph": {"inputs": {}, "constants": {"w": {"type": "f32[1]",
      "data": {"safetensors": "w.safetensors", "tensor": "w", "type": "f32[1]", "bytes": "abcd"}}},
      "nodes": [], "outputs": ["%w"]}, "feed": {}})");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text(), HasSubstr("lacks the SHA-256 of 'w.safetensors'"));
}

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::string abc = "abc";
  EXPECT_EQ(sha256(std::as_bytes(std::span(abc))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace parallax
