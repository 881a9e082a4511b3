#include "core/layout.h"

#include <gtest/gtest.h>

#include <set>

#include "core/choices.h"

namespace parallax {
namespace {

Layout random_layout(Choices& choices) {
  Layout layout;
  const int rank = static_cast<int>(choices.below(4));
  for (int i = 0; i < rank; ++i) {
    layout.sizes.push_back(static_cast<int64_t>(choices.below(4)));
    layout.strides.push_back(static_cast<int64_t>(choices.below(7)));
  }
  return layout;
}

TEST(Layout, ElementsAreVisitedInRowMajorOrder) {
  std::vector<int64_t> seen;
  for_each_element({{2, 3}, {1, 2}, 5}, [&](int64_t e) { seen.push_back(e); });
  EXPECT_EQ(seen, (std::vector<int64_t>{5, 7, 9, 6, 8, 10}));
  seen.clear();
  for_each_element({{}, {}, 4}, [&](int64_t e) { seen.push_back(e); });
  EXPECT_EQ(seen, (std::vector<int64_t>{4}));
  for_each_element({{2, 0}, {1, 1}, 0}, [&](int64_t) { FAIL() << "an empty tensor has no elements"; });
}

TEST(Layout, PlacesAreTheSameWhateverTheStridesOfDimsOfSizeOne) {
  Choices choices(7, 2);
  int same = 0;
  for (int i = 0; i < 20000; ++i) {
    const Layout a = random_layout(choices);
    Layout b = random_layout(choices);
    if (choices.below(2) == 0) b.sizes = a.sizes;
    if (b.sizes.size() != b.strides.size()) b.strides = contiguous_strides(b.sizes);
    std::vector<int64_t> of_a;
    std::vector<int64_t> of_b;
    for_each_element(a, [&](int64_t e) { of_a.push_back(e); });
    for_each_element(b, [&](int64_t e) { of_b.push_back(e); });
    EXPECT_EQ(same_places(a, b), a.sizes == b.sizes && of_a == of_b) << "seed 7, layout " << i;
    same += same_places(a, b);
  }
  EXPECT_GT(same, 100);
}

TEST(Layout, OverlapIsExact) {
  const uint64_t seed = 7;
  Choices choices(seed, 1);
  for (int i = 0; i < 20000; ++i) {
    const Layout layout = random_layout(choices);
    std::set<int64_t> distinct;
    int64_t count = 0;
    int64_t highest = -1;
    for_each_element(layout, [&](int64_t e) {
      distinct.insert(e);
      highest = std::max(highest, e);
      ++count;
    });
    EXPECT_EQ(overlaps_itself(layout), static_cast<int64_t>(distinct.size()) < count)
        << "seed " << seed << ": [" << to_string(layout.sizes) << "] strides [" << to_string(layout.strides) << "]";
    EXPECT_EQ(count, layout.numel());
    if (count > 0) {
      EXPECT_EQ(layout.extent(), highest + 1);
    }
  }
}

TEST(Layout, ContiguousIsRowMajorExceptForDimsOfOne) {
  EXPECT_TRUE(is_contiguous({{2, 3}, {3, 1}, 0}));
  EXPECT_TRUE(is_contiguous({{2, 1, 3}, {3, 77, 1}, 0}));
  EXPECT_FALSE(is_contiguous({{2, 3}, {1, 2}, 0}));
  EXPECT_TRUE(is_contiguous({{2, 0}, {5, 9}, 0}));
  EXPECT_TRUE(is_dense({{2, 3}, {1, 2}, 0}));
  EXPECT_FALSE(is_dense({{2, 3}, {4, 1}, 0}));
}

// A view is legal exactly where some strides give the same elements in the same order.
TEST(Layout, ViewStridesKeepTheOrderOfElements) {
  const uint64_t seed = 11;
  Choices choices(seed, 2);
  const Dims shapes[] = {{12}, {2, 6}, {6, 2}, {3, 4}, {2, 3, 2}, {1, 12}, {12, 1}, {2, 2, 3}, {4, 1, 3}};
  int views = 0;
  for (int i = 0; i < 5000; ++i) {
    Layout from = contiguous_layout(choices.pick(shapes));
    if (choices.chance(50) && from.rank() > 1) {
      std::swap(from.sizes[0], from.sizes[1]);
      std::swap(from.strides[0], from.strides[1]);
    }
    if (choices.chance(30)) {
      for (int64_t& stride : from.strides) stride *= 2;
    }
    const Dims& to = choices.pick(shapes);
    const auto strides = view_strides(from, to);
    if (!strides) continue;
    ++views;
    std::vector<int64_t> before, after;
    for_each_element(from, [&](int64_t e) { before.push_back(e); });
    for_each_element({to, *strides, from.offset}, [&](int64_t e) { after.push_back(e); });
    EXPECT_EQ(before, after) << "seed " << seed << " step " << i;
  }
  EXPECT_GT(views, 1000);
  EXPECT_FALSE(view_strides({{2, 3}, {1, 2}, 0}, {6}));
}

TEST(Layout, BroadcastFollowsNumPy) {
  EXPECT_EQ(broadcast_sizes({3, 1}, {4}), (Dims{3, 4}));
  EXPECT_EQ(broadcast_sizes({}, {2, 2}), (Dims{2, 2}));
  EXPECT_EQ(broadcast_sizes({0}, {1}), (Dims{0}));
  EXPECT_FALSE(broadcast_sizes({2}, {3}));
  EXPECT_EQ(broadcast_to({{3, 1}, {1, 1}, 2}, {2, 3, 4})->strides, (Dims{0, 1, 0}));
}

TEST(Layout, ElementCountsThatOverflowAreRefused) {
  EXPECT_EQ(checked_numel(Dims{3, 4}), 12);
  EXPECT_EQ(checked_numel(Dims{int64_t{1} << 40, 0}), 0);
  EXPECT_FALSE(checked_numel(Dims{int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_FALSE(checked_numel(Dims{int64_t{1} << 40, int64_t{1} << 40, 0}));
  EXPECT_FALSE(checked_numel(Dims{-1}));
}

}  // namespace
}  // namespace parallax
