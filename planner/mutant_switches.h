// Mutant switches: the right code as an operand, and in the function's name how it goes wrong while the mutant is on.
//
// The mutant is given by its name in mutants_list.h. A name that is not there, or a mutant of another kind than the
// function makes, does not compile.
#pragma once

#include <algorithm>

#include "planner/mutants_list.h"

namespace parallax {

// A string literal as a template's argument.
template <std::size_t size>
struct MutantName {
  char text[size];
  consteval MutantName(const char (&literal)[size]) { std::ranges::copy(literal, text); }
};

namespace detail {

consteval std::size_t mutant_place(std::string_view name, MutantKind kind) {
  std::size_t place = 0;
  while (place < all_mutants.size() && all_mutants[place].name != name) ++place;
  if (place == all_mutants.size()) throw "no mutant is called so";
  if (all_mutants[place].kind != kind) throw "the mutant is of another kind";
  return place;
}

template <MutantName name, MutantKind kind>
bool is_on() {
  return is_active(all_mutants[mutant_place(name.text, kind)]);
}

}  // namespace detail

// What is equal counts on the other side.
template <MutantName name, class T>
bool less_unless_flipped(const T& a, const T& b) {
  return detail::is_on<name, MutantKind::FlippedComparison>() ? a <= b : a < b;
}
template <MutantName name, class T>
bool at_most_unless_flipped(const T& a, const T& b) {
  return detail::is_on<name, MutantKind::FlippedComparison>() ? a < b : a <= b;
}

// A condition that is not asked for, or a step that is not taken.
template <MutantName name>
bool holds_unless_dropped(bool condition) {
  return condition || detail::is_on<name, MutantKind::DroppedEdge>();
}
template <MutantName name>
bool taken_unless_dropped() {
  return !detail::is_on<name, MutantKind::DroppedEdge>();
}

// A number that is off by one.
template <MutantName name, class T>
T exact_or_one_less(T value) {
  return detail::is_on<name, MutantKind::OffByOne>() ? static_cast<T>(value - 1) : value;
}
template <MutantName name, class T>
T exact_or_one_more(T value) {
  return detail::is_on<name, MutantKind::OffByOne>() ? static_cast<T>(value + 1) : value;
}

// The operand that belongs there, or its counterpart.
template <MutantName name, class T>
const T& first_unless_swapped(const T& first, const T& second) {
  return detail::is_on<name, MutantKind::SwappedOperand>() ? second : first;
}

}  // namespace parallax
