#include "reports/graph_picture.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

TEST(GraphPictureTest, OnlyTheDrawingIsLeft) {
  const auto svg = inline_svg(R"(<?xml version="1.0"?><!DOCTYPE svg><!-- Generated -->
<svg width="8pt" xmlns="http://www.w3.org/2000/svg"><g id="node1" class="node call"><title>node0</title><text>a</text></g><!-- n --></svg>
)",
                              "two \"nodes\"");
  EXPECT_EQ(svg,
            "<svg class=\"graph\" role=\"img\" aria-label=\"two &quot;nodes&quot;\" width=\"8pt\" "
            "xmlns=\"http://www.w3.org/2000/svg\"><g class=\"node call\"><text>a</text></g></svg>");
}

TEST(GraphPictureTest, HalfADrawingIsNone) {
  EXPECT_FALSE(inline_svg("<svg width=\"8pt\"><g>", ""));
  EXPECT_FALSE(inline_svg("Error: syntax error", ""));
}

}  // namespace
}  // namespace parallax
