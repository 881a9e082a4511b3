// Mutants: small slips in the planner and the compiler, each a switch at one place of the code, to measure what the
// fuzzer and the other detectors notice.
//
// A planted fault (compiler/faults.h) is a bug that somebody made; a mutant is one that anybody could make: a
// comparison flipped, a condition or an edge left out, a bound off by one, operands swapped. The list is
// mutants_list.h. At its place in the code each stands as one of the functions of mutant_switches.h, with the right
// code as operand.
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

struct MutatedFile {
  std::string_view path;
  std::string_view part;  // what a finding under its mutants should blame: a pass, "partition", "fusion" or "planner"
};

struct Mutant {
  std::string_view id;    // "M01"
  std::string_view name;  // which its place in the file gives
  MutatedFile file;
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

}  // namespace parallax
