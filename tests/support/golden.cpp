#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "graph/text_file.h"
#include "places.h"

namespace parallax {

void expect_golden(std::string_view text, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(PARALLAX_SOURCE_DIR) / "tests/golden" / name;
  const char* update = std::getenv("PARALLAX_UPDATE_GOLDEN");
  if (update && std::string_view(update) == "1") {
    const auto written = write_text_file(path, text);
    ASSERT_TRUE(written) << written.error().text();
    return;
  }
  const auto golden = read_text_file(path);
  ASSERT_TRUE(golden) << golden.error().text() << " (PARALLAX_UPDATE_GOLDEN=1 writes it)";
  EXPECT_EQ(*golden, text) << "PARALLAX_UPDATE_GOLDEN=1 updates " << path;
}

}  // namespace parallax
