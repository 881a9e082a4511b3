// NameSet: which names are taken. All of them lie in one block of memory, because graphs are built by the hundred
// thousand a second and a set of strings allocates for each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

class NameSet {
 public:
  // Makes room for that many names.
  void reserve(std::size_t names);

  // False where the name is there already.
  bool insert(std::string_view name);
  bool contains(std::string_view name) const;
  // Takes back the names that were inserted last.
  void drop_newest(std::size_t count);
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    std::size_t hash = 0;
    std::size_t begin = 0;  // in text_
    std::size_t size = 0;
  };

  // The slot that holds the name, or the free one where it would go.
  std::size_t find(std::string_view name, std::size_t hash) const;
  void spread(std::size_t slots);

  std::string text_;
  std::vector<Entry> entries_;  // in order of insertion
  std::vector<uint32_t>
      slots_;  // one past an entry's number, 0 for a free one; a power of two, at most half of it full
};

}  // namespace parallax
