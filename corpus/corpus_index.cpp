#include "corpus/corpus_index.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "graph/case.h"
#include "graph/case_json.h"
#include "graph/origin.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr int format = 1;
constexpr std::string_view schema = R"sql(
CREATE TABLE cases (
  path TEXT PRIMARY KEY,
  modified INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  name TEXT NOT NULL,
  nodes INTEGER NOT NULL,
  ops TEXT NOT NULL,
  target TEXT NOT NULL,
  issue TEXT NOT NULL,
  error TEXT NOT NULL
);
)sql";

const std::string& text(const Database::Row& row, std::size_t i) { return std::get<std::string>(row.at(i)); }
int64_t integer(const Database::Row& row, std::size_t i) { return std::get<int64_t>(row.at(i)); }

std::string ops_of(const Graph& graph) {
  std::set<std::string_view> ops;
  for (const Node& node : graph.nodes) ops.insert(node.op->name);
  return fmt::format("{}", fmt::join(ops, " "));
}

// One that cannot be read holds nothing that is not in the files; where the folder cannot be written it is kept in
// memory.
Result<Database> open_database(const fs::path& corpus) {
  const fs::path path = corpus / "index.db";
  auto database = Database::open(path, format, schema);
  if (database) return database;
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path.string() + suffix, ignored);
  database = Database::open(path, format, schema);
  return database ? std::move(database) : Database::open(":memory:", format, schema);
}

}  // namespace

Result<CorpusIndex> CorpusIndex::open(const fs::path& corpus) {
  const fs::path cases = corpus / "cases";
  std::error_code code;
  if (!fs::is_directory(cases, code)) {
    return std::unexpected(Error{ErrorKind::Invalid, cases.string(), "", "no such folder: a corpus has one"});
  }
  TRY(Database database, open_database(corpus));
  CorpusIndex index(std::move(database));
  TRY_VOID(index.refresh(cases));
  return index;
}

Result<void> CorpusIndex::refresh(const fs::path& cases) {
  std::map<std::string, std::pair<int64_t, int64_t>> known;  // modified and bytes, by path
  TRY(const auto rows, database_.run("SELECT path, modified, bytes FROM cases"));
  for (const Database::Row& row : rows) known[text(row, 0)] = {integer(row, 1), integer(row, 2)};
  const auto update = [&]() -> Result<void> {
    std::error_code code;
    for (auto entry = fs::recursive_directory_iterator(cases, code);
         !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
      std::error_code ignored;
      if (!entry->is_regular_file(ignored) || entry->path().extension() != ".json") continue;
      const std::string path = entry->path().lexically_relative(cases).string();
      const int64_t modified = entry->last_write_time(ignored).time_since_epoch().count();
      const auto bytes = static_cast<int64_t>(entry->file_size(ignored));
      const auto found = known.find(path);
      const bool same = found != known.end() && found->second == std::pair(modified, bytes);
      if (found != known.end()) known.erase(found);
      if (!same) TRY_VOID(add(entry->path(), path, modified, bytes));
    }
    if (code) return std::unexpected(Error{ErrorKind::Invalid, cases.string(), "", code.message()});
    for (const auto& [path, stamp] : known) TRY_VOID(database_.run("DELETE FROM cases WHERE path = ?", {path}));
    return {};
  };
  return database_.in_transaction(update);
}

Result<void> CorpusIndex::add(const fs::path& file, const std::string& path, int64_t modified, int64_t bytes) {
  IndexedCase row;
  auto content = read_text_file(file);
  auto test = content ? parse_case(*content, file.string()) : Result<Case>(std::unexpected(content.error()));
  if (test) {
    const Origin origin = origin_of(*test);
    row = {path,         test->name, static_cast<int64_t>(test->graph.nodes.size()), ops_of(test->graph), origin.target,
           origin.issue, ""};
  } else {
    row.error = test.error().text();
  }
  TRY_VOID(
      database_.run("INSERT OR REPLACE INTO cases (path, modified, bytes, name, nodes, ops, target, issue, error) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    {path, modified, bytes, row.name, row.nodes, row.ops, row.target, row.issue, row.error}));
  return {};
}

Result<std::vector<IndexedCase>> CorpusIndex::find(const std::string& wanted) {
  TRY(const auto rows,
      database_.run("SELECT path, name, nodes, ops, target, issue, error FROM cases "
                    "WHERE instr(path || ' ' || name || ' ' || ops || ' ' || target || ' ' || issue, ?) > 0 "
                    "OR ? = '' ORDER BY path",
                    {wanted, wanted}));
  std::vector<IndexedCase> found;
  for (const Database::Row& row : rows) {
    found.push_back(
        {text(row, 0), text(row, 1), integer(row, 2), text(row, 3), text(row, 4), text(row, 5), text(row, 6)});
  }
  return found;
}

}  // namespace parallax
