// Gzip files: what is read of a good one, and what is said of a bad one.
#include "graph/gzip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "graph/case_files.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

class GzipFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / fmt::format("parallax_gzip_{}", ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A file that holds `text`, compressed.
  fs::path packed(const std::string& name, std::string_view text) const {
    const fs::path path = folder_ / name;
    const gzFile file = gzopen(path.c_str(), "wb");
    EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path;
  }
  // The reason for which a file is refused; the error names the file.
  std::string refusal(const fs::path& path) const {
    const auto text = read_gzip_file(path, 1'000'000);
    EXPECT_FALSE(text);
    if (text) return "";
    EXPECT_EQ(text.error().file, path.string());
    return text.error().reason;
  }
  fs::path folder_;
};

TEST_F(GzipFile, IsUnpackedWhole) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
  EXPECT_EQ(read_gzip_file(packed("a.gz", text), text.size()), text);
  EXPECT_EQ(*read_text_file(packed("a.gz", text)), text);
  EXPECT_EQ(read_gzip_file(packed("a.gz", ""), 0), "");
}

TEST_F(GzipFile, IsUnpackedNoFurtherThanTheBound) {
  const fs::path path = packed("a.gz", std::string(200'000, 'x'));
  EXPECT_EQ(read_gzip_file(path, 199'999).error().reason, "cannot be read: File too large");
}

TEST_F(GzipFile, SaysWhyItCannotBeRead) {
  EXPECT_EQ(refusal(folder_ / "none.gz"), "cannot be read: No such file or directory");
  fs::create_directory(folder_ / "folder.gz");
  EXPECT_EQ(refusal(folder_ / "folder.gz"), "cannot be read: Is a directory");
  EXPECT_TRUE(write_text_file(folder_ / "plain.gz", "a case"));
  EXPECT_EQ(refusal(folder_ / "plain.gz"), "is not gzip data");
  EXPECT_TRUE(write_text_file(folder_ / "empty.gz", ""));
  EXPECT_EQ(refusal(folder_ / "empty.gz"), "is not gzip data");
}

TEST_F(GzipFile, DamageIsFound) {
  const fs::path path = packed("a.gz", "a case, and some more text");
  fs::rename(path, folder_ / "a");  // as bytes
  const std::string bytes = *read_text_file(folder_ / "a");
  EXPECT_TRUE(write_text_file(path, bytes.substr(0, bytes.size() - 9)));
  EXPECT_EQ(refusal(path), "is damaged gzip data: unexpected end of file");
  std::string changed = bytes;
  changed[changed.size() - 6] ^= 1;  // of the checksum
  EXPECT_TRUE(write_text_file(path, changed));
  EXPECT_EQ(refusal(path), "is damaged gzip data: incorrect data check");
}

TEST_F(GzipFile, HoldsCases) {
  const std::string one =
      R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[]"}}, "nodes": [], "outputs": ["%x"]}, "feed": {"x": [1]}})";
  packed("a.jsonl.gz", one + "\n{\n" + one + "\n");
  packed("b.json.gz", one);
  packed("c.txt.gz", "no case");
  EXPECT_TRUE(write_text_file(folder_ / "d.json.gz", one));
  CaseFiles files;
  ASSERT_TRUE(files.add(folder_.string()));
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files.read(1)->file, (folder_ / "a.jsonl.gz").string() + ":3");
  EXPECT_EQ(files.read(2)->file, (folder_ / "b.json.gz").string());
  ASSERT_EQ(files.broken().size(), 2U);
  EXPECT_THAT(files.broken()[0].text(), testing::HasSubstr("a.jsonl.gz:2"));
  EXPECT_EQ(files.broken()[1].text(), (folder_ / "d.json.gz").string() + ": is not gzip data");
}

}  // namespace
}  // namespace parallax
