#include "reports/html.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

TEST(HtmlTest, ATextIsNothingButText) {
  EXPECT_EQ(escaped_markup(R"("><script>alert('&')</script>)"),
            "&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;");
  EXPECT_EQ(escaped_markup("a\tb\nc ± π ✗"), "a\tb\nc ± π ✗");
}

TEST(HtmlTest, WhatNoDocumentMayHoldIsReplaced) {
  EXPECT_EQ(escaped_markup(std::string_view("a\0b\x1b[31m\x7f", 9)), "a\uFFFDb\uFFFD[31m\uFFFD");
  EXPECT_EQ(escaped_markup("\xFF\xC0\xAF\xE2\x82 \xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD \uFFFD");
  EXPECT_EQ(escaped_markup("\xEF\xBF\xBE"), "\uFFFD");                      // U+FFFE
  EXPECT_EQ(escaped_markup("match\u202Ehctamsim"), "match\uFFFDhctamsim");  // would be shown turned round
}

TEST(HtmlTest, ElementsCloseInOrder) {
  Html html;
  {
    const auto list = html.in("ul", {{"class", "a\"b"}, {"open", std::string_view()}});
    html.element("li", "<x>");
    html.empty("br");
  }
  EXPECT_EQ(html.take(), "<ul class=\"a&quot;b\"><li>&lt;x&gt;</li><br/></ul>");
}

}  // namespace
}  // namespace parallax
