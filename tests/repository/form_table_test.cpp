// The table of forms in docs/profiles.md is the table of core/form.h; PARALLAX_UPDATE_GOLDEN=1 writes it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/form.h"
#include "graph/text_file.h"
#include "places.h"

namespace parallax {
namespace {

constexpr std::string_view header = "| form | what it lets an implementation do | families of ops | dtypes |\n";

std::string table() {
  std::string text(header);
  text += "|---|---|---|---|\n";
  for (const FormInfo& row : forms) {
    const std::string_view dtypes = row.dtypes == FormDTypes::Halves     ? "f16, bf16"
                                    : row.dtypes == FormDTypes::Floating ? "floating"
                                                                         : "integers, bool";
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.meaning, row.families, dtypes);
  }
  return text;
}

TEST(FormTable, IsDocumented) {
  const std::filesystem::path page = std::filesystem::path(PARALLAX_SOURCE_DIR) / "docs/profiles.md";
  const auto text = read_text_file(page);
  ASSERT_TRUE(text) << text.error().text();
  const std::size_t start = text->find(header);
  ASSERT_NE(start, std::string::npos) << "docs/profiles.md has no table of forms";
  const std::size_t end = text->find("\n\n", start) + 1;
  if (const char* update = std::getenv("PARALLAX_UPDATE_GOLDEN"); update && std::string_view(update) == "1") {
    std::string updated = *text;
    updated.replace(start, end - start, table());
    const auto written = write_text_file(page, updated);
    ASSERT_TRUE(written) << written.error().text();
    return;
  }
  EXPECT_EQ(text->substr(start, end - start), table()) << "PARALLAX_UPDATE_GOLDEN=1 updates docs/profiles.md";
}

}  // namespace
}  // namespace parallax
