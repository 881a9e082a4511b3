// Mutants: small slips in the planner and the compiler, each a switch at one place of the code, to measure what the
// fuzzer and the other detectors notice.
//
// A planted fault (compiler/faults.h) is a bug that somebody made; a mutant is one that anybody could make: a
// comparison flipped, a condition or an edge left out, a bound off by one, operands swapped. The places are in
// mutants_list.h. At each the right code stands as an operand of one of the functions below, so that what a mutant does
// can be read there.
//
// A mutant is named in the options of a compilation, as a fault is. While it compiles, and in its thread only, an
// ActiveMutant of compile() makes it known to the places, which are too many and too deep to hand it to each; it is
// gone when the compilation ends, however it ends.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace parallax {

enum class MutantKind : uint8_t { FlippedComparison, DroppedEdge, OffByOne, SwappedOperand };

constexpr std::string_view name(MutantKind kind) {
  switch (kind) {
    case MutantKind::FlippedComparison:
      return "flipped comparison";
    case MutantKind::DroppedEdge:
      return "dropped edge";
    case MutantKind::OffByOne:
      return "off by one";
    case MutantKind::SwappedOperand:
      return "swapped operand";
  }
  return {};
}

struct Mutant {
  std::string_view id;    // "M01"
  std::string_view name;  // of the constant, which its place in `file` names
  std::string_view file;
  std::string_view part;  // what a finding under it should blame: a pass, "partition", "fusion" or "planner"
  MutantKind kind;
  std::string_view what;           // what the code does then
  std::string_view harmless = {};  // why nothing that is computed shows it; empty where something might
};

namespace detail {
inline thread_local constinit const Mutant* active_mutant = nullptr;
}  // namespace detail

// Makes a mutant known to the places in its lifetime; null for none.
class ActiveMutant {
 public:
  explicit ActiveMutant(const Mutant* mutant) : before_(std::exchange(detail::active_mutant, mutant)) {}
  ~ActiveMutant() { detail::active_mutant = before_; }
  ActiveMutant(const ActiveMutant&) = delete;
  ActiveMutant& operator=(const ActiveMutant&) = delete;

 private:
  const Mutant* before_;
};

inline bool is_active(const Mutant& mutant) { return detail::active_mutant == &mutant; }

// FlippedComparison: what is equal counts on the other side.
template <class T>
bool less(const Mutant& mutant, const T& a, const T& b) {
  return is_active(mutant) ? a <= b : a < b;
}
template <class T>
bool at_most(const Mutant& mutant, const T& a, const T& b) {
  return is_active(mutant) ? a < b : a <= b;
}
template <class T>
bool equal(const Mutant& mutant, const T& a, const T& b) {
  return is_active(mutant) ? a != b : a == b;
}

// DroppedEdge: a condition that is not asked for, or a step that is not taken.
inline bool asked(const Mutant& mutant, bool condition) { return condition || is_active(mutant); }
inline bool kept(const Mutant& mutant) { return !is_active(mutant); }

// OffByOne.
template <class T>
T one_less(const Mutant& mutant, T value) {
  return is_active(mutant) ? static_cast<T>(value - 1) : value;
}
template <class T>
T one_more(const Mutant& mutant, T value) {
  return is_active(mutant) ? static_cast<T>(value + 1) : value;
}

// SwappedOperand: the one that belongs there, or its counterpart.
template <class T>
const T& first_of(const Mutant& mutant, const T& first, const T& second) {
  return is_active(mutant) ? second : first;
}

}  // namespace parallax
