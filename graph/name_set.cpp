#include "graph/name_set.h"

#include <algorithm>
#include <bit>

namespace parallax {
namespace {

constexpr std::size_t usual_length = 8;

// FNV-1a: most names are a letter and a number, for which a call of the library's hash takes longer than its work.
std::size_t hash_of(std::string_view name) {
  std::size_t hash = 0xCBF29CE484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

}  // namespace

void NameSet::reserve(std::size_t names) {
  text_.reserve(names * usual_length);
  entries_.reserve(names);
  if (2 * names > slots_.size()) spread(std::bit_ceil(2 * names));
}

bool NameSet::insert(std::string_view name) {
  if (2 * (entries_.size() + 1) > slots_.size()) spread(std::max<std::size_t>(16, 2 * slots_.size()));
  const std::size_t hash = hash_of(name);
  uint32_t& slot = slots_[find(name, hash)];
  if (slot != 0) return false;
  entries_.push_back({hash, text_.size(), name.size()});
  text_ += name;
  slot = static_cast<uint32_t>(entries_.size());
  return true;
}

bool NameSet::contains(std::string_view name) const {
  return !slots_.empty() && slots_[find(name, hash_of(name))] != 0;
}

// Nothing was probed past the newest name, so that its slot can simply be freed.
void NameSet::drop_newest(std::size_t count) {
  for (; count > 0; --count) {
    const Entry entry = entries_.back();
    slots_[find(std::string_view(text_).substr(entry.begin, entry.size), entry.hash)] = 0;
    text_.resize(entry.begin);
    entries_.pop_back();
  }
}

std::size_t NameSet::find(std::string_view name, std::size_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && std::string_view(text_).substr(entry.begin, entry.size) == name) break;
  }
  return slot;
}

void NameSet::spread(std::size_t slots) {
  slots_.assign(slots, 0);
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    const Entry& entry = entries_[n];
    slots_[find(std::string_view(text_).substr(entry.begin, entry.size), entry.hash)] = static_cast<uint32_t>(n + 1);
  }
}

}  // namespace parallax
