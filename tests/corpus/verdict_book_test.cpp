// Expected verdicts, and the index over a corpus's files.
#include "corpus/verdict_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "corpus/corpus_index.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CorpusFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / fmt::format("parallax_corpus_{}", ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "cases/found");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& path, const std::string& text) { ASSERT_TRUE(write_text_file(folder_ / path, text)); }
  std::vector<std::string> found(const std::string& text) {
    auto index = CorpusIndex::open(folder_);
    EXPECT_TRUE(index) << index.error().text();
    std::vector<std::string> paths;
    const auto cases = index->find(text);
    for (const IndexedCase& one : *cases) paths.push_back(one.path + (one.error.empty() ? "" : " broken"));
    return paths;
  }

  fs::path folder_;
};

constexpr std::string_view negation =
    R"({"parallax": 1, "name": "negation", "graph": {"inputs": {"x": {"type": "f32[]"}}, "nodes": [
        {"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1]},
        "origin": {"issue": "thunder#1"}})";

TEST_F(CorpusFolder, BookKeepsOneEntryForEachCaseTargetAndVersion) {
  VerdictBook book;
  book.set({"b.json", "thunder", {{"thunder", "0.2.6"}}, Verdict::Mismatch, "one", ""});
  book.set({"a.json", "portable", {}, Verdict::Match, "", ""});
  book.set({"b.json", "thunder", {{"thunder", "0.2.7"}}, Verdict::Match, "", ""});
  book.set({"b.json", "thunder", {{"thunder", "0.2.6"}}, Verdict::Crash, "two", ""});
  ASSERT_TRUE(book.write(folder_ / "verdicts.jsonl"));
  EXPECT_EQ(*read_text_file(folder_ / "verdicts.jsonl"),
            R"({"case":"a.json","target":"portable","verdict":"match"})"
            "\n"
            R"({"case":"b.json","target":"thunder","versions":{"thunder":"0.2.6"},"verdict":"crash","reason":"two"})"
            "\n"
            R"({"case":"b.json","target":"thunder","versions":{"thunder":"0.2.7"},"verdict":"match"})"
            "\n");
  const auto back = VerdictBook::read(folder_ / "verdicts.jsonl");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->of("b.json").size(), 2U);
  EXPECT_EQ(back->of("b.json")[0]->verdict, Verdict::Crash);
  EXPECT_TRUE(VerdictBook::read(folder_ / "none.jsonl")->entries().empty());
}

TEST_F(CorpusFolder, AnEntryOfAProcessorHoldsThereAlone) {
  VerdictBook book;
  book.set({"a.json", "litert", {{"litert", "2"}}, Verdict::Mismatch, "", "x86-64-v4"});
  book.set({"a.json", "litert", {{"litert", "2"}}, Verdict::Match, "", "x86-64-v3"});
  book.set({"b.json", "litert", {{"litert", "1"}}, Verdict::Match, "", ""});
  ASSERT_TRUE(book.write(folder_ / "verdicts.jsonl"));
  const auto back = VerdictBook::read(folder_ / "verdicts.jsonl");
  ASSERT_TRUE(back) << back.error().text();
  ASSERT_EQ(back->of("a.json").size(), 2U);
  EXPECT_EQ(back->of("a.json")[0]->processor, "x86-64-v3");

  const auto expected = [&](std::string path, std::string version, std::string processor) {
    return back->expected({std::move(path), "litert", {{"litert", std::move(version)}}, {}, "", std::move(processor)});
  };
  EXPECT_EQ(expected("a.json", "2", "x86-64-v4")->verdict, Verdict::Mismatch);
  EXPECT_EQ(expected("a.json", "2", "x86-64-v3")->verdict, Verdict::Match);
  EXPECT_EQ(expected("a.json", "3", "x86-64-v4")->verdict, Verdict::Mismatch)
      << "of another version, and this processor";
  EXPECT_EQ(expected("a.json", "2", "aarch64"), nullptr);
  EXPECT_EQ(expected("b.json", "1", "aarch64")->verdict, Verdict::Match) << "does not depend on the processor";
  EXPECT_EQ(expected("c.json", "1", "aarch64"), nullptr);
  EXPECT_TRUE(back->depends_on_processor(*back->of("a.json")[0]));
  EXPECT_FALSE(back->depends_on_processor(*back->of("b.json")[0]));
}

TEST_F(CorpusFolder, OwnVersionsAndThenTheOwnProcessorDecide) {
  VerdictBook book;
  book.set({"a.json", "litert", {{"litert", "1"}}, Verdict::Match, "", "x86-64-v3"});
  book.set({"a.json", "litert", {{"litert", "2"}}, Verdict::Mismatch, "", ""});
  book.set({"a.json", "litert", {{"litert", "2"}}, Verdict::Crash, "", "x86-64-v3"});
  book.set({"a.json", "litert", {{"litert", "3"}}, Verdict::Match, "", ""});
  const auto verdict = [&](std::string version, std::string processor) {
    return book.expected({"a.json", "litert", {{"litert", std::move(version)}}, {}, "", std::move(processor)})->verdict;
  };
  EXPECT_EQ(verdict("2", "x86-64-v3"), Verdict::Crash);
  EXPECT_EQ(verdict("2", "x86-64-v4"), Verdict::Mismatch);
  EXPECT_EQ(verdict("4", "x86-64-v3"), Verdict::Crash) << "the last of other versions, and of this processor";
}

TEST_F(CorpusFolder, ABrokenLineIsNamedAndTheOthersCount) {
  write("verdicts.jsonl",
        "{\"case\": \"a\", \"target\": \"t\", \"verdict\": \"match\"}\n{\"case\": \"b\", \"target\": 7}\n");
  const auto book = VerdictBook::read(folder_ / "verdicts.jsonl");
  ASSERT_TRUE(book) << book.error().text();
  EXPECT_EQ(book->entries().size(), 1U);
  ASSERT_EQ(book->broken().size(), 1U);
  EXPECT_THAT(book->broken()[0].text(), HasSubstr("verdicts.jsonl:2: /target"));
  // A line that nobody understands is somebody's all the same.
  ASSERT_TRUE(book->write(folder_ / "verdicts.jsonl"));
  EXPECT_EQ(VerdictBook::read(folder_ / "verdicts.jsonl")->broken().size(), 1U);
}

TEST(VerdictChange, SetsFixedAndNewApart) {
  EXPECT_EQ(change_of(Verdict::Match, Verdict::Match), VerdictChange::Same);
  EXPECT_EQ(change_of(Verdict::Mismatch, Verdict::Mismatch), VerdictChange::StillThere);
  EXPECT_EQ(change_of(Verdict::Mismatch, Verdict::Match), VerdictChange::Fixed);
  EXPECT_EQ(change_of(Verdict::Match, Verdict::Crash), VerdictChange::New);
  EXPECT_EQ(change_of(Verdict::Mismatch, Verdict::Crash), VerdictChange::Other);
  EXPECT_EQ(change_of(Verdict::Rejected, Verdict::Match), VerdictChange::Other);
}

TEST_F(CorpusFolder, AnEntryMayHaveSeveralVerdicts) {
  const std::string line =
      R"({"case":"a.json","target":"iree-cpu","verdict":"mismatch","reason":"-1","also":["crash"]})"
      "\n";
  write("verdicts.jsonl", line);
  auto book = VerdictBook::read(folder_ / "verdicts.jsonl");
  ASSERT_TRUE(book) << book.error().text();
  ASSERT_EQ(book->entries().size(), 1U);
  EXPECT_EQ(change_of(book->entries()[0], Verdict::Mismatch), VerdictChange::StillThere);
  EXPECT_EQ(change_of(book->entries()[0], Verdict::Crash), VerdictChange::StillThere);
  EXPECT_EQ(change_of(book->entries()[0], Verdict::Hang), VerdictChange::Other);
  EXPECT_EQ(change_of(book->entries()[0], Verdict::Match), VerdictChange::Fixed);
  // Recording one of them changes nothing, and another one takes their place.
  book->set({"a.json", "iree-cpu", {}, Verdict::Crash, "", ""});
  ASSERT_TRUE(book->write(folder_ / "verdicts.jsonl"));
  EXPECT_EQ(*read_text_file(folder_ / "verdicts.jsonl"), line);
  book->set({"a.json", "iree-cpu", {}, Verdict::Match, "", ""});
  EXPECT_TRUE(book->entries()[0].also.empty());
  write("verdicts.jsonl", R"({"case":"a.json","target":"iree-cpu","verdict":"mismatch","also":["often"]})");
  book = VerdictBook::read(folder_ / "verdicts.jsonl");
  ASSERT_EQ(book->broken().size(), 1U);
  EXPECT_THAT(book->broken()[0].text(), HasSubstr("/also/0: unknown verdict 'often'"));
}

TEST_F(CorpusFolder, IndexFollowsTheFiles) {
  write("cases/found/a.json", std::string(negation));
  write("cases/b.json", "{");
  EXPECT_EQ(found(""), (std::vector<std::string>{"b.json broken", "found/a.json"}));
  EXPECT_EQ(found("aten.neg"), (std::vector<std::string>{"found/a.json"}));
  EXPECT_EQ(found("thunder#1"), (std::vector<std::string>{"found/a.json"}));
  EXPECT_TRUE(found("aten.exp").empty());
  fs::remove(folder_ / "cases/b.json");
  EXPECT_EQ(found(""), (std::vector<std::string>{"found/a.json"}));
  for (const char* part : {"index.db", "index.db-wal", "index.db-shm"}) fs::remove(folder_ / part);
  write("index.db", std::string(3000, 'x'));  // it holds nothing that the files do not say
  EXPECT_EQ(found("neg"), (std::vector<std::string>{"found/a.json"}));
  EXPECT_FALSE(CorpusIndex::open(folder_ / "cases"));
}

}  // namespace
}  // namespace parallax
