#include "corpus/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace parallax {
namespace {

// How long a statement waits for another process that writes.
constexpr int busy_milliseconds = 10'000;

class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  sqlite3_stmt** out() { return &handle_; }
  sqlite3_stmt* get() const { return handle_; }

 private:
  sqlite3_stmt* handle_ = nullptr;
};

int bind(sqlite3_stmt* statement, int place, const Database::Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return sqlite3_bind_int64(statement, place, *integer);
  if (const auto* real = std::get_if<double>(&value)) return sqlite3_bind_double(statement, place, *real);
  if (const auto* text = std::get_if<std::string>(&value)) {
    return sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  return sqlite3_bind_null(statement, place);
}

Database::Value column(sqlite3_stmt* statement, int place) {
  switch (sqlite3_column_type(statement, place)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, place);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, place);
    case SQLITE_NULL:
      return std::monostate();
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, place));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, place)));
    }
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

std::unexpected<Error> Database::error(std::string_view doing) const {
  return std::unexpected(
      Error{ErrorKind::Invalid, path_.string(), "", fmt::format("{}: {}", doing, sqlite3_errmsg(handle_.get()))});
}

Result<Database> Database::open(const std::filesystem::path& path, int format, std::string_view schema) {
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(path, std::unique_ptr<sqlite3, Close>(handle));
  if (opened != SQLITE_OK) return database.error("cannot be opened");
  sqlite3_busy_timeout(handle, busy_milliseconds);
  TRY_VOID(database.run("PRAGMA journal_mode = WAL"));
  TRY_VOID(database.run("PRAGMA synchronous = NORMAL"));
  const auto make_tables = [&]() -> Result<void> {
    TRY(const std::vector<Row> rows, database.run("PRAGMA user_version"));
    const int64_t found = std::get<int64_t>(rows.at(0).at(0));
    if (found == format) return {};
    if (found != 0) {
      return std::unexpected(Error{ErrorKind::Invalid, path.string(), "",
                                   fmt::format("is of format {}, this program reads and writes format {}; another "
                                               "version of parallax made it, and it is left as it is",
                                               found, format)});
    }
    if (sqlite3_exec(handle, std::string(schema).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      return database.error("the tables cannot be made");
    }
    TRY_VOID(database.run(fmt::format("PRAGMA user_version = {}", format)));
    return {};
  };
  TRY_VOID(database.in_transaction(make_tables));
  return database;
}

Result<std::vector<Database::Row>> Database::run(std::string_view text, const std::vector<Value>& values) {
  Statement statement;
  if (sqlite3_prepare_v2(handle_.get(), text.data(), static_cast<int>(text.size()), statement.out(), nullptr) !=
      SQLITE_OK) {
    return error(text);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (bind(statement.get(), static_cast<int>(i) + 1, values[i]) != SQLITE_OK) return error(text);
  }
  std::vector<Row> rows;
  while (true) {
    const int stepped = sqlite3_step(statement.get());
    if (stepped == SQLITE_DONE) return rows;
    if (stepped != SQLITE_ROW) return error(text);
    Row& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) row.push_back(column(statement.get(), i));
  }
}

Result<void> Database::in_transaction(const std::function<Result<void>()>& work) {
  TRY_VOID(run("BEGIN IMMEDIATE"));
  Result<void> done = work();
  if (done) {
    if (auto committed = run("COMMIT"); !committed) done = std::unexpected(std::move(committed).error());
  }
  if (!done && sqlite3_get_autocommit(handle_.get()) == 0) static_cast<void>(run("ROLLBACK"));
  return done;
}

int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }

}  // namespace parallax
