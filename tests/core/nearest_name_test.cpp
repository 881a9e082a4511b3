#include "core/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace parallax {
namespace {

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("fuzz", "fuzz"), 0U);
  EXPECT_EQ(edit_distance("fuzz", "FUZZ"), 0U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("chekc", "check"), 1U) << "two neighbours that are swapped";
  EXPECT_EQ(edit_distance("ca", "abc"), 3U) << "a pair is swapped only where nothing comes between";
}

TEST(NearestName, OffersWhatIsNearAndNothingElse) {
  const std::vector<std::string> names = {"portable", "xnnpack", "pytorch-eager", "onnxruntime"};
  EXPECT_EQ(nearest_name("portabel", names), "portable");
  EXPECT_EQ(nearest_name("onxruntime", names), "onnxruntime");
  EXPECT_EQ(nearest_name("pytorch", names), "pytorch-eager") << "the beginning of a name";
  EXPECT_EQ(nearest_name("vulkan", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(did_you_mean("portabel", names), "; did you mean 'portable'?");
  EXPECT_EQ(did_you_mean("vulkan", names), "");
}

}  // namespace
}  // namespace parallax
