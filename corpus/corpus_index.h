// CorpusIndex: what the files of a corpus hold, in CORPUS/index.db, so that thousands are listed at once.
//
// It holds nothing that the files do not say: it is brought up to date when it is opened, and made anew where it cannot
// be read. A folder that cannot be written is indexed in memory.
#pragma once

#include <string>
#include <vector>

#include "corpus/database.h"

namespace parallax {

struct IndexedCase {
  std::string path;  // below the corpus's cases/
  std::string name;
  int64_t nodes = 0;
  std::string ops;     // "aten.clone.default aten.neg.default": each once, in order of the names
  std::string target;  // of its origin
  std::string issue;   // of its origin
  std::string error;   // why it cannot be read; the rest is empty then
};

class CorpusIndex {
 public:
  // Opens the index of a corpus folder, which holds cases/, and reads what has changed.
  static Result<CorpusIndex> open(const std::filesystem::path& corpus);

  // The cases whose path, name, ops, target or issue holds the text, by path; all for an empty one.
  Result<std::vector<IndexedCase>> find(const std::string& text);

 private:
  explicit CorpusIndex(Database database) : database_(std::move(database)) {}
  Result<void> refresh(const std::filesystem::path& cases);
  Result<void> add(const std::filesystem::path& file, const std::string& path, int64_t modified, int64_t bytes);

  Database database_;
};

}  // namespace parallax
