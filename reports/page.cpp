#include "reports/page.h"

#include <charconv>
#include <cstddef>
#include <vector>

#include "graph/base64.h"
#include "reports/html.h"
#include "reports/page_data.h"

namespace parallax {
namespace {

std::string policy() {
  const std::string_view digits = page_script_sha256();
  std::vector<std::byte> digest;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    digest.push_back(static_cast<std::byte>(value));
  }
  return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + encode_base64(digest) + "'";
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body) {
  Html page;
  page.markup("<!DOCTYPE html>\n");
  {
    const auto html = page.in("html", {{"lang", "en"}});
    {
      const auto head = page.in("head");
      page.empty("meta", {{"charset", "utf-8"}});
      page.empty("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy()}});
      page.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
      page.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
      page.element("title", title);
      const auto style = page.in("style");
      page.markup(page_style());
    }
    const auto content = page.in("body");
    page.markup(body);
    const auto script = page.in("script");
    page.markup(page_script());
  }
  page.markup("\n");
  return page.take();
}

}  // namespace parallax
