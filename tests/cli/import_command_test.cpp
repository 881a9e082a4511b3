// parallax import: what it refuses before a tool is asked.
#include "tests/cli/command_line.h"

namespace parallax {
namespace {

TEST_F(CommandLine, ImportRefusesWhatAFormatDoesNotHave) {
  const struct {
    const char* arguments;
    const char* reason;
  } rows[] = {
      {"import model.txt", "neither a .pt2 nor an .onnx file, nor FILE.py:NAME"},
      {"import model.onnx --library ops", "--library: it is for PyTorch's ops"},
  };
  write("model.txt", "");
  write("model.onnx", "");
  for (const auto& row : rows) {
    const Ran ran = run(row.arguments);
    EXPECT_EQ(ran.code, 2) << row.arguments;
    EXPECT_EQ(ran.out, "") << row.arguments;
    EXPECT_NE(ran.err.find(row.reason), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace parallax
