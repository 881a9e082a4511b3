// Declined: the calls that a target was measured to decline, by op and dtype of the first tensor
// (adapters/declined/NAME.json, written by `parallax conformance --declined`). Graphs are not drawn of them; a case
// that somebody gives is sent all the same.
#pragma once

#include <bitset>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/dtype.h"
#include "core/result.h"

namespace parallax {

class Declined {
 public:
  using Dtypes = std::bitset<dtype_count>;

  // Reads a file; the error names it and the place in it.
  static Result<Declined> read(const std::filesystem::path& file);
  // What `read` reads back.
  std::string to_json() const;

  // An op that was declined at each of these dtypes; `wholly`: at every one that was tried. `why` is for people.
  void add(std::string op, Dtypes dtypes, bool wholly, std::string why);

  bool has(std::string_view op, DType dtype) const;
  bool wholly(std::string_view op) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Dtypes dtypes;
    bool wholly = false;
    std::string why;
  };
  const Entry* find(std::string_view op) const;

  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace parallax
