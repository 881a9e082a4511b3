// Errors that come from outside: what was wrong, where, and why, carried as a value.
//
// Rule of the project (docs/concepts.md, "Errors"): input from outside gives a Result<T>; a broken
// invariant of our own stops at PARALLAX_CHECK (core/check.h); what a target does is an outcome.
#pragma once

#include <fmt/core.h>

#include <expected>
#include <string>
#include <utility>

namespace parallax {

enum class ErrorKind {
  Invalid,       // the input breaks the format or a schema
  EagerRefuses,  // well formed, but PyTorch eager itself raises on it
  Unsupported,   // well formed, but a part of the format that this version does not run
  NoTarget,      // a target that cannot be run here
};

// One clear line for a person: file, JSON pointer of the offending field, reason. The first two may be empty.
struct Error {
  ErrorKind kind = ErrorKind::Invalid;
  std::string file;
  std::string pointer;
  std::string reason;

  // "file: /graph/nodes/3: reason", leaving out what is empty.
  std::string text() const;
};

template <class T>
using Result = std::expected<T, Error>;

// An error whose reason is formatted in place: `return fail("rank {} is over {}", rank, limit);`
template <class... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{ErrorKind::Invalid, "", "", fmt::format(format, std::forward<Args>(args)...)});
}

// Like fail(), for what eager raises on.
template <class... Args>
std::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{ErrorKind::EagerRefuses, "", "", fmt::format(format, std::forward<Args>(args)...)});
}

// The same error, said of a place: the pointer is put in front of the one it has.
std::unexpected<Error> at(std::string pointer, Error error);

}  // namespace parallax

#define PARALLAX_CONCAT_INNER(a, b) a##b
#define PARALLAX_CONCAT(a, b) PARALLAX_CONCAT_INNER(a, b)
#define PARALLAX_TRY_NAMED(name, declaration, ...)            \
  auto name = (__VA_ARGS__);                                  \
  if (!name) return std::unexpected(std::move(name).error()); \
  declaration = *std::move(name)

// `TRY(auto x, f());` declares x from a Result, or returns its error from the enclosing function.
#define TRY(declaration, ...) PARALLAX_TRY_NAMED(PARALLAX_CONCAT(try_result_, __LINE__), declaration, __VA_ARGS__)

// `TRY_VOID(f());` returns the error of a Result<void>, if it has one.
#define TRY_VOID(...) \
  if (auto try_void_result = (__VA_ARGS__); !try_void_result) return std::unexpected(std::move(try_void_result).error())
