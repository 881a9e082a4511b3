// Target names, and what a catalogue makes of the environments that are there.
#include "backends/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "fuzz/findings/jury.h"
#include "places.h"

namespace parallax {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

// A root with the repository's own adapters/targets.json and these complete environments.
std::filesystem::path make_root(const std::string& name, const std::vector<std::string>& environments) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / ("parallax_catalogue_" + name);
  std::filesystem::remove_all(root);
  std::filesystem::create_directories(root / "adapters");
  std::filesystem::copy(PARALLAX_SOURCE_DIR "/adapters/targets.json", root / "adapters");
  for (const std::string& environment : environments) {
    std::filesystem::create_directories(root / ".targets" / environment);
    std::ofstream(root / ".targets" / environment / "parallax-complete.json") << "{}";
  }
  return root;
}

std::string command_text(const Catalogue& catalogue, std::string_view text) {
  auto spec = parse_target_spec(text);
  if (!spec) return spec.error().reason;
  auto command = catalogue.command(*spec);
  if (!command) return command.error().reason;
  std::string joined;
  for (const std::string& word : *command) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

TEST(TargetSpec, TakesNamesApart) {
  const TargetSpec spec = *parse_target_spec("executorch-xnnpack@1.5.0?python=/a/b=c&partitioner=m:C");
  EXPECT_EQ(spec.name, "executorch-xnnpack");
  EXPECT_EQ(spec.version, "1.5.0");
  EXPECT_THAT(spec.options, ElementsAre(std::pair("python", "/a/b=c"), std::pair("partitioner", "m:C")));
  EXPECT_EQ(parse_target_spec("cmd:ssh mac a?b@c")->command, "ssh mac a?b@c");
  for (const char* bad : {"", "@1", "a@", "a@../b", "a?x", "a?=1", "a?x=", "a?x=1&&y=2"}) {
    EXPECT_FALSE(parse_target_spec(bad).has_value()) << bad;
  }
}

TEST(TargetSpec, SplitsCommandLinesAsAShellWould) {
  EXPECT_THAT(*split_command("  ssh  mac 'a b'\"c d\" \\'e '' "), ElementsAre("ssh", "mac", "a bc d", "'e", ""));
  for (const char* bad : {"", "   ", "a 'b", "a \"b", "a \\"}) EXPECT_FALSE(split_command(bad).has_value()) << bad;
}

TEST(Catalogue, NothingInstalledSaysHowToInstall) {
  const Catalogue catalogue = *Catalogue::read(make_root("empty", {}));
  EXPECT_EQ(command_text(catalogue, "executorch-xnnpack"),
            "target executorch-xnnpack is not installed; run: parallax targets install executorch-xnnpack");
  EXPECT_EQ(command_text(catalogue, "executorch-xnnpack@1.5.0"),
            "target executorch-xnnpack@1.5.0 is not installed; run: parallax targets install executorch-xnnpack@1.5.0");
  EXPECT_THAT(command_text(catalogue, "executorch"), HasSubstr("no target is called 'executorch'"));
  for (const TargetEntry& entry : catalogue.list()) {
    EXPECT_FALSE(entry.installed);
    EXPECT_THAT(entry.why_not, HasSubstr("parallax targets install " + entry.name));
  }
  EXPECT_TRUE(catalogue.has("pytorch-eager"));
  EXPECT_FALSE(catalogue.open("pytorch-eager").has_value());
}

// What --target all drives, in the order in which it starts them.
TEST(Catalogue, OneTargetOfEachFamilyComesFirst) {
  const Catalogue catalogue = *Catalogue::read(make_root("all", {"iree-3.12.0", "iree-3.13.0", "tract-0.1.0"}));
  EXPECT_THAT(catalogue.installed_targets(), ElementsAre("iree-cpu", "tract@0.1.0", "iree-vulkan"));
  EXPECT_THAT(Catalogue::read(make_root("none", {}))->installed_targets(), testing::IsEmpty());
}

TEST(Catalogue, VersionsStandSideBySide) {
  const auto root = make_root("two", {"executorch-1.4.1", "executorch-1.5.0"});
  std::filesystem::create_directories(root / ".targets/executorch-1.6.0");  // unfinished: not marked as complete
  const Catalogue catalogue = *Catalogue::read(root);
  const std::string adapter = " " + (root / "adapters").string() + " executorch.portable";
  EXPECT_EQ(command_text(catalogue, "executorch-portable"),
            (root / ".targets/executorch-1.4.1/bin/python").string() + adapter);
  EXPECT_EQ(command_text(catalogue, "executorch-portable@1.5.0?partitioner=m:C"),
            (root / ".targets/executorch-1.5.0/bin/python").string() + adapter + " --partitioner=m:C");
  EXPECT_EQ(command_text(catalogue, "executorch-portable?python=py"), "py" + adapter);
  EXPECT_THAT(command_text(catalogue, "executorch-portable@1.6.0"), HasSubstr("not installed"));
  std::vector<std::string> listed;
  for (const TargetEntry& entry : catalogue.list()) {
    if (entry.name == "executorch-portable") listed.push_back(entry.version);
  }
  EXPECT_THAT(listed, ElementsAre("1.4.1", "1.5.0"));
}

TEST(Catalogue, AFamilyIsNoVersionOfAnotherWhoseNameItBeginsWith) {
  const Catalogue catalogue = *Catalogue::read(make_root("prefix", {"torch-onnx-2.13.0", "executorch-tosa-1.4.1"}));
  const std::set<std::string> installed = {"torch-onnx", "executorch-tosa", "executorch-cortex-m"};
  for (const TargetEntry& entry : catalogue.list()) {
    EXPECT_EQ(entry.installed, installed.contains(entry.name)) << entry.name;
  }
}

TEST(Catalogue, NamesWhatToCompareWith) {
  const Catalogue catalogue =
      *Catalogue::read(make_root("controls", {"onnxruntime-1.20.1", "onnxruntime-1.31.1", "executorch-1.4.1"}));
  EXPECT_EQ(catalogue.control_of("executorch-xnnpack"), "executorch-portable");
  EXPECT_EQ(catalogue.control_of("onnxruntime@1.20.1"), "onnxruntime@1.20.1?optimization=none");
  EXPECT_EQ(catalogue.control_of("onnxruntime?optimization=basic"), "");
  EXPECT_EQ(catalogue.control_of("pytorch-eager"), "");
  EXPECT_EQ(catalogue.newest_of("onnxruntime@1.20.1?optimization=none"), "onnxruntime?optimization=none");
  EXPECT_EQ(catalogue.newest_of("onnxruntime@1.31.1"), "");
  EXPECT_EQ(catalogue.newest_of("onnxruntime"), "");
}

// glibc has written a byte of its own behind the block.
TEST(Catalogue, WhatWritesPastItsMemoryIsEndedWhereTheHeapIsChecked) {
  const std::string past_the_end = R"(
import ctypes
make = ctypes.pythonapi.PyMem_RawMalloc
make.restype = ctypes.c_void_p
block = ctypes.c_void_p(make(ctypes.c_size_t(24)))
ctypes.memset(block, 1, 25)
ctypes.pythonapi.PyMem_RawFree(block)
)";
  const auto exit_of = [&](std::string_view target) {
    std::vector<std::string> words = heap_checks(*parse_target_spec(target));
    words.push_back("python3");
    return run_python(words, past_the_end);
  };
  EXPECT_EQ(exit_of("onnxruntime")->exit_code, 0);
  EXPECT_EQ(exit_of("onnxruntime?heap=checked")->said, "SIGABRT");
  const Catalogue catalogue = *Catalogue::read(make_root("heap", {"onnxruntime-1.31.1"}));
  EXPECT_THAT(command_text(catalogue, "onnxruntime?heap=checked"), EndsWith("onnx.runtimes.onnxruntime"));
  EXPECT_EQ(command_text(catalogue, "onnxruntime?heap=on"), "target onnxruntime: heap is checked or left out");
}

TEST(Catalogue, EagerRunsInAnyEnvironmentThatHasPyTorch) {
  const auto root = make_root("eager", {"executorch-1.4.1"});
  const Catalogue catalogue = *Catalogue::read(root);
  EXPECT_THAT(command_text(catalogue, "pytorch-eager"), HasSubstr("executorch-1.4.1/bin/python"));
}

TEST(Catalogue, EveryAdapterOfTheRepositoryIsThere) {
  const std::filesystem::path root = PARALLAX_SOURCE_DIR;
  const Catalogue catalogue = *Catalogue::read(root);
  for (const TargetEntry& entry : catalogue.list()) {
    const auto command = catalogue.command(*parse_target_spec(entry.name + "?python=python3"));
    std::string file = command->at(2);
    std::ranges::replace(file, '.', '/');
    EXPECT_TRUE(std::filesystem::exists(root / "adapters" / (file + ".py"))) << file;
  }
}

TEST(Catalogue, ABrokenListIsRefusedWithItsPlace) {
  const auto root = make_root("broken", {});
  std::ofstream(root / "adapters/targets.json")
      << R"({"families": {"a": {"version": "1"}}, "targets": {"t": {"adapter": "t", "what": "w", "families": ["b"]}}})";
  const Error error = Catalogue::read(root).error();
  EXPECT_THAT(error.text(), HasSubstr("targets.json: /targets/t/families: 'b' is no family"));
}

}  // namespace
}  // namespace parallax
