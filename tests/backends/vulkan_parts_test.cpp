// The parts of the Vulkan backend that need no device: barriers, the cache of shaders, and dims that are merged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "backends/vulkan/barriers.h"
#include "backends/vulkan/functions.h"
#include "backends/vulkan/shader_compiler.h"
#include "backends/vulkan/strides.h"

namespace parallax::vulkan {
namespace {

VkBuffer buffer(uintptr_t number) { return reinterpret_cast<VkBuffer>(number); }
BufferRange bytes(uint64_t first, uint64_t end, uintptr_t of = 1) { return {buffer(of), first, end - first}; }

struct Access {
  std::vector<BufferRange> reads, writes;
  bool barrier;
};

void expect_barriers(BarrierTracker tracker, const std::vector<Access>& accesses) {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    EXPECT_EQ(tracker.before(accesses[i].reads, accesses[i].writes), accesses[i].barrier) << "dispatch " << i;
  }
}

TEST(Barriers, StandBeforeReadsOfWhatWasWritten) {
  expect_barriers(BarrierTracker(BarrierMode::Minimal), {{{bytes(0, 8)}, {bytes(8, 16)}, false},
                                                         {{bytes(15, 17)}, {bytes(32, 40)}, true},
                                                         {{bytes(15, 17)}, {bytes(48, 56)}, false}});
}

TEST(Barriers, StandBeforeWritesOfWhatWasReadOrWritten) {
  expect_barriers(BarrierTracker(BarrierMode::Minimal), {{{bytes(0, 8)}, {bytes(8, 16)}, false},
                                                         {{bytes(64, 72)}, {bytes(7, 8)}, true},
                                                         {{bytes(64, 72)}, {bytes(0, 8)}, true}});
}

TEST(Barriers, AreNotNeededBetweenNeighboursOrBuffers) {
  expect_barriers(BarrierTracker(BarrierMode::Minimal), {{{bytes(0, 8)}, {bytes(8, 16)}, false},
                                                         {{bytes(0, 8)}, {bytes(16, 24)}, false},
                                                         {{bytes(8, 16, 2)}, {bytes(0, 8, 2)}, false}});
}

TEST(Barriers, AreForgottenBehindOne) {
  expect_barriers(
      BarrierTracker(BarrierMode::Minimal),
      {{{}, {bytes(0, 8)}, false}, {{bytes(0, 8)}, {bytes(8, 16)}, true}, {{bytes(0, 8)}, {bytes(16, 24)}, false}});
}

TEST(Barriers, StandEverywhereWhereTheyAreFull) {
  expect_barriers(BarrierTracker(BarrierMode::Full),
                  {{{}, {bytes(0, 8)}, false}, {{}, {bytes(8, 16)}, true}, {{}, {bytes(16, 24)}, true}});
}

TEST(Barriers, LeaveOutWhatARuleSays) {
  const BarrierRule no_read_after_write = [](Hazard hazard, int) { return hazard != Hazard::ReadAfterWrite; };
  expect_barriers(BarrierTracker(BarrierMode::Minimal, no_read_after_write),
                  {{{}, {bytes(0, 8)}, false}, {{bytes(0, 8)}, {bytes(8, 16)}, false}, {{}, {bytes(0, 8)}, true}});
}

constexpr const char* shader = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";

class ShaderFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("parallax-shaders-") + test->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path only_file() const { return *std::filesystem::directory_iterator(folder_); }

  std::filesystem::path folder_;
};

TEST_F(ShaderFiles, AreCompiledOnce) {
  ShaderCache first(folder_);
  const auto code = first.get("empty", shader);
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(first.compiled(), 1);
  ShaderCache second(folder_);
  EXPECT_EQ(second.get("empty", shader).value(), *code);
  EXPECT_EQ(second.compiled(), 0);
  EXPECT_EQ(second.read_from_disk(), 1);
}

TEST_F(ShaderFiles, ThatAreNotWhatWasWrittenAreCompiledAnew) {
  const auto code = ShaderCache(folder_).get("empty", shader).value();
  const std::string good = read_file(only_file());
  std::string altered = good;
  altered[altered.size() / 2] = static_cast<char>(altered[altered.size() / 2] ^ 1);
  for (const std::string& bad : {std::string(), good.substr(0, 3), good.substr(0, good.size() - 4), good + "more",
                                 altered, std::string(good.size(), '\xff')}) {
    std::ofstream(only_file(), std::ios::binary) << bad;
    ShaderCache cache(folder_);
    EXPECT_EQ(cache.get("empty", shader).value(), code);
    EXPECT_EQ(cache.compiled(), 1);
    EXPECT_EQ(read_file(only_file()), good);
  }
}

TEST_F(ShaderFiles, AreNotNeeded) {
  ShaderCache cache("/proc/no-folder-can-be-made-here");
  EXPECT_TRUE(cache.get("empty", shader).has_value());
}

TEST(Shaders, ThatAreWrongGiveOneError) {
  const auto code = compile_glsl("broken", "#version 450\nvoid main() { nonsense; }\n");
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().kind, ErrorKind::NoTarget);
  EXPECT_THAT(code.error().text(), ::testing::HasSubstr("shader broken: "));
}

TEST(Functions, ComeWithTheirFamilyWhereThereAreSeveral) {
  Opcodes one;
  one.set(*opcode_of(find_function("exp"), NumberClass::Float));
  EXPECT_EQ(with_families(one), one);
  Opcodes two = one;
  two.set(*opcode_of(find_function("add"), NumberClass::Float));
  const Opcodes all = with_families(two);
  EXPECT_TRUE(all[*opcode_of(find_function("sin"), NumberClass::Float)]);
  EXPECT_TRUE(all[*opcode_of(find_function("mul"), NumberClass::Float)]);
  EXPECT_FALSE(all[*opcode_of(find_function("mul"), NumberClass::Double)]);
  EXPECT_FALSE(all[*opcode_of(find_function("pow"), NumberClass::Float)]);
}

TEST(MergedDims, KeepTheOrderOfElements) {
  Dims sizes = {2, 1, 3, 4};
  Dims row_major = {12, 12, 4, 1};
  Dims repeated = {0, 5, 4, 1};
  merge_dims(sizes, std::array{&row_major, &repeated});
  EXPECT_EQ(sizes, (Dims{2, 12}));
  EXPECT_EQ(row_major, (Dims{12, 1}));
  EXPECT_EQ(repeated, (Dims{0, 1}));
}

}  // namespace
}  // namespace parallax::vulkan
