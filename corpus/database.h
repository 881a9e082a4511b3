// Database: one SQLite file, written ahead (WAL), so that a reader never waits for a writer and a killed writer leaves
// the last whole transaction behind.
//
// Every error names the file and what was being done. A file of a newer format is refused and left as it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"

struct sqlite3;

namespace parallax {

class Database {
 public:
  using Value = std::variant<std::monostate, int64_t, double, std::string>;
  using Row = std::vector<Value>;

  // Opens the file, or makes it with the tables of `schema`. `format` is the number of that schema, at least 1; a file
  // of another number is an error.
  static Result<Database> open(const std::filesystem::path& path, int format, std::string_view schema);

  // Runs one statement with its `?` filled in, and gives the rows that it selects.
  Result<std::vector<Row>> run(std::string_view statement, const std::vector<Value>& values = {});

  // Runs `work` as one transaction: all of what it wrote is there afterwards, or, on its error, nothing of it.
  Result<void> in_transaction(const std::function<Result<void>()>& work);

  // The number that the newest inserted row got.
  int64_t last_row() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };

  Database(std::filesystem::path path, std::unique_ptr<sqlite3, Close> handle)
      : path_(std::move(path)), handle_(std::move(handle)) {}
  std::unexpected<Error> error(std::string_view doing) const;

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace parallax
