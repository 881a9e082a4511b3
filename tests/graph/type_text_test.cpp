#include "graph/type_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/tensor.h"

namespace parallax {
namespace {

TEST(TypeText, ReadsWhatIsWritten) {
  for (int d = 0; d < dtype_count; ++d) {
    for (const Dims& sizes : {Dims{}, Dims{3}, Dims{2, 0, 5}, Dims{1, 1, 1, 1, 1, 1, 1, 2}}) {
      const std::string text = type_text(static_cast<DType>(d), sizes);
      const auto type = parse_type(text);
      ASSERT_TRUE(type) << text;
      EXPECT_EQ(type_text(type->dtype, type->sizes), text);
      EXPECT_EQ(type->numel, checked_numel(sizes));
    }
  }
}

TEST(TypeText, SaysWhatIsWrong) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"f31[2]", "unknown dtype 'f31' in type 'f31[2]'; did you mean 'f32'?"},
      {"", "unknown dtype '' in type ''"},
      {"f32", "type 'f32' must read like 'f32[2,3]' or 'f32[]'"},
      {"f32[2", "type 'f32[2' must read like 'f32[2,3]' or 'f32[]'"},
      {"f32[2]x", "type 'f32[2]x' must read like 'f32[2,3]' or 'f32[]'"},
      {"f32[-1]", "size -1 of type 'f32[-1]' is negative"},
      {"f32[B,3]", "size 'B' of type 'f32[B,3]' is not an integer"},
      {"f32[2, 3]", "size ' 3' of type 'f32[2, 3]' is not an integer"},
      {"f32[2,]", "type 'f32[2,]' has a comma too many"},
      {"f32[,2]", "size '' of type 'f32[,2]' is not an integer"},
      {"f32[1,1,1,1,1,1,1,1,1]", "type 'f32[1,1,1,1,1,1,1,1,1]' has more than 8 dims"},
      {"f32[99999999999999999999]", "size 99999999999999999999 of type 'f32[99999999999999999999]' is too large"},
      {"f32[65536,65536]", "type 'f32[65536,65536]' has more than 268435456 elements"},
      {"f32[0,4611686018427387904]", "type 'f32[0,4611686018427387904]' has more than 268435456 elements"},
  };
  for (const auto& [text, reason] : rows) {
    const auto type = parse_type(text);
    ASSERT_FALSE(type) << text;
    EXPECT_EQ(type.error().reason, reason);
  }
}

}  // namespace
}  // namespace parallax
