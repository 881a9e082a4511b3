// What a target declines is read from a file that can be wrong, and written so that it reads back.
#include "backends/external/declined.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace parallax {
namespace {

Result<Declined> read(const std::string& text) {
  // Of this process alone: tests run side by side.
  const auto file = std::filesystem::temp_directory_path() / fmt::format("parallax_declined_{}.json", ::getpid());
  std::ofstream(file) << text;
  Result<Declined> declined = Declined::read(file);
  std::filesystem::remove(file);
  return declined;
}

TEST(Declined, SaysWhatItReadAndReadsBack) {
  const auto declined = read(R"({"aten.erfc.default": {"dtypes": "all", "why": "no kernel"},
                                 "aten.add.Tensor": {"dtypes": ["f16", "i8"], "why": "not these"}})");
  ASSERT_TRUE(declined) << declined.error().text();
  for (const Declined& one : {*declined, *read(declined->to_json())}) {
    EXPECT_EQ(one.size(), 2u);
    EXPECT_TRUE(one.wholly("aten.erfc.default"));
    EXPECT_TRUE(one.has("aten.erfc.default", DType::F64));
    EXPECT_FALSE(one.wholly("aten.add.Tensor"));
    EXPECT_TRUE(one.has("aten.add.Tensor", DType::I8));
    EXPECT_FALSE(one.has("aten.add.Tensor", DType::F32));
    EXPECT_FALSE(one.has("aten.sub.Tensor", DType::F32));
  }
}

TEST(Declined, ABadFileIsOneErrorWithItsPlace) {
  EXPECT_NE(read("[]").error().text().find("parallax_declined_"), std::string::npos);
  EXPECT_EQ(read(R"({"aten.erfc.default": {"dtypes": ["f31"], "why": "no"}})").error().pointer,
            "/aten.erfc.default/dtypes/0");
  EXPECT_EQ(read(R"({"aten.erfc.default": {"dtypes": "all"}})").error().pointer, "/aten.erfc.default");
}

}  // namespace
}  // namespace parallax
