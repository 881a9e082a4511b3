// Schema: one ATen overload's signature, parsed from the text that PyTorch itself prints.
//
// Views, writes and results are read off its alias annotations, once: `Tensor(a)` is a view of the argument
// that carries the same letter, `Tensor(a!)` is written, `Tensor(a -> *)` is viewed by the elements of a list.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "ops/argument.h"
#include "ops/argument_name.h"

namespace parallax {

enum class ArgKind {
  Tensor,
  TensorList,
  Int,
  IntList,
  Float,
  FloatList,
  Bool,
  BoolList,
  Scalar,
  ScalarList,
  DType,
  MemoryFormat,
  String,
  Opaque
};

struct Parameter {
  std::string name;
  ArgKind kind = ArgKind::Tensor;
  bool optional = false;           // `T?`: None is allowed
  bool optional_elements = false;  // `Tensor?[]`
  int fixed_length = 0;            // `int[2]`: a single int stands for that many copies
  bool keyword_only = false;
  char alias = 0;             // the letter of an alias set, 0 where there is none
  bool written = false;       // `(a!)`
  bool takes_number = false;  // a Python number may stand for the tensor: said by the op, not by its schema
  std::optional<Argument> default_value;
};

struct ReturnSpec {
  bool list = false;  // `Tensor[]`
  char alias = 0;
  bool written = false;
};

struct Schema {
  std::string library = "aten";
  std::string name;      // "add"
  std::string overload;  // "Tensor"; "default" where the text has none
  std::vector<Parameter> parameters;
  std::vector<ReturnSpec> returns;
  bool writes = false;  // whether some parameter is written
  // Where each listed name stands among the parameters; -1 for a name that this overload does not have.
  std::array<int8_t, argument_names> positions{};

  // "aten.add.Tensor".
  std::string qualified_name() const { return library + "." + name + "." + overload; }
  // The position of a parameter, or -1 where this overload does not have it.
  int index_of(ParameterRef parameter) const {
    return parameter.by_name() ? positions[static_cast<std::size_t>(parameter.name())] : parameter.position();
  }
  int index_of(std::string_view parameter) const;  // for names from outside: those of a case file
  // Whether a case reads its results through getitem: several returns, or one that is a list.
  bool has_list_result() const { return returns.size() != 1 || returns[0].list; }
};

// Parses "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"; ops of another library than ATen are
// written "library::name".
Result<Schema> parse_schema(std::string_view text);

// Checks that `argument` is one that `parameter` accepts and brings it into the parameter's form
// (an int for a float, one int for a fixed-length list).
Result<Argument> conform(const Parameter& parameter, Argument argument);

}  // namespace parallax
