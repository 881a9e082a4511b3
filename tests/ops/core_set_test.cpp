// The overloads that PyTorch tags as Core ATen: all have a meaning here but those of this list, which says why.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "graph/text_file.h"
#include "ops/registry.h"
#include "places.h"

namespace parallax {
namespace {

struct Missing {
  std::string_view op;
  std::string_view why;
};

constexpr std::array missing = {
    Missing{"aten._fft_r2c.default", "complex numbers"},
    Missing{"aten._fft_c2r.default", "complex numbers"},
    Missing{"aten.rand.default", "random numbers"},
    Missing{"aten.randn.default", "random numbers"},
    Missing{"aten.randperm.default", "random numbers"},
    Missing{"aten._local_scalar_dense.default", "its result is a number and no tensor"},
    Missing{"aten.sym_is_contiguous.default", "its result is a number and no tensor"},
    Missing{"aten.sym_numel.default", "its result is a number and no tensor"},
    Missing{"aten.sym_size.int", "its result is a number and no tensor"},
    Missing{"aten.sym_storage_offset.default", "its result is a number and no tensor"},
    Missing{"aten.sym_stride.int", "its result is a number and no tensor"},
};

std::set<std::string> core_set() {
  const auto text = read_text_file(PARALLAX_DATA_DIR "/aten/schemas.json.gz");
  EXPECT_TRUE(text) << text.error().text();
  std::set<std::string> core;
  const nlohmann::json schemas = nlohmann::json::parse(text.value_or("{}"));
  for (const auto& [name, entry] : schemas.items()) {
    for (const auto& tag : entry["tags"]) {
      if (tag == "core") core.insert(name);
    }
  }
  return core;
}

TEST(CoreSet, AllButTheListedOverloadsAreInTheRegistry) {
  const std::set<std::string> core = core_set();
  ASSERT_GT(core.size(), 150U);
  std::set<std::string> listed;
  for (const Missing& row : missing) {
    EXPECT_TRUE(core.contains(std::string(row.op))) << row.op << " is not of the core set";
    EXPECT_EQ(find_op(row.op), nullptr) << row.op << " is in the registry, and listed as missing: " << row.why;
    listed.emplace(row.op);
  }
  for (const std::string& name : core) {
    EXPECT_TRUE(listed.contains(name) || find_op(name) != nullptr) << name << " is neither known nor listed";
  }
}

}  // namespace
}  // namespace parallax
