#include "fuzz/findings/fuzzer_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/choices.h"

namespace parallax {

std::string fuzzer_letters(std::string_view signature) {
  constexpr uint64_t letters = 26;
  constexpr int length = 14;  // as many as 64 bits fill
  uint64_t hash = signature.size();
  for (const char c : signature) hash = mix(hash, static_cast<unsigned char>(c));
  std::string text;
  for (int i = 0; i < length; ++i, hash /= letters) text += static_cast<char>('a' + hash % letters);
  return text;
}

std::string fuzzer_hash_line(std::string_view signature) {
  std::string line = fmt::format("ASSERTION FAILED: FuzzerHash={} {}", fuzzer_letters(signature), signature);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

void stop_with(std::string_view signature, std::string_view text) {
  fmt::print(stderr, "{}\n{}\n", text, fuzzer_hash_line(signature));
  std::fflush(stderr);
  std::abort();
}

}  // namespace parallax
