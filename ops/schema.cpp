#include "ops/schema.h"

#include <array>
#include <charconv>
#include <utility>

namespace parallax {
namespace {

constexpr std::array<std::pair<std::string_view, ArgKind>, 17> scalar_types = {{
    {"Tensor", ArgKind::Tensor},
    {"SymInt", ArgKind::Int},
    {"int", ArgKind::Int},
    {"float", ArgKind::Float},
    {"bool", ArgKind::Bool},
    {"Scalar", ArgKind::Scalar},
    {"ScalarType", ArgKind::DType},
    {"MemoryFormat", ArgKind::MemoryFormat},
    {"str", ArgKind::String},
    {"Layout", ArgKind::Opaque},
    {"Device", ArgKind::Opaque},
    {"Generator", ArgKind::Opaque},
    {"Dimname", ArgKind::Opaque},
    {"Storage", ArgKind::Opaque},
    {"Dict", ArgKind::Opaque},
    {"QScheme", ArgKind::Opaque},
    {"SymBool", ArgKind::Bool},
}};

ArgKind list_of(ArgKind element) {
  switch (element) {
    case ArgKind::Tensor:
      return ArgKind::TensorList;
    case ArgKind::Int:
      return ArgKind::IntList;
    case ArgKind::Float:
      return ArgKind::FloatList;
    case ArgKind::Bool:
      return ArgKind::BoolList;
    case ArgKind::Scalar:
      return ArgKind::ScalarList;
    default:
      return ArgKind::Opaque;
  }
}

// A cursor over the schema's text.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Schema> schema() {
    Schema result;
    result.name = take_while([](char c) { return c != '.' && c != '(' && c != ':'; });
    if (take("::")) {
      result.library = result.name;
      result.name = take_while([](char c) { return c != '.' && c != '('; });
    }
    result.overload = take(".") ? take_while([](char c) { return c != '('; }) : "default";
    TRY_VOID(expect("("));
    bool keyword_only = false;
    while (!take(")")) {
      if (take("*, ")) {
        keyword_only = true;
        continue;
      }
      TRY(Parameter parameter, this->parameter());
      parameter.keyword_only = keyword_only;
      result.writes = result.writes || parameter.written;
      result.parameters.push_back(std::move(parameter));
      if (!take(", ") && peek() != ')') return fail("expected ',' or ')' in schema '{}' at {}", text_, at_);
    }
    TRY_VOID(expect(" -> "));
    const bool tuple = take("(");
    while (at_ < text_.size() && peek() != ')') {
      Parameter type;
      TRY_VOID(this->type(type));
      result.returns.push_back({type.kind == ArgKind::TensorList, type.alias, type.written});
      if (take(" ")) take_while([](char c) { return c != ',' && c != ')'; });  // a named result
      take(", ");
    }
    if (tuple) TRY_VOID(expect(")"));
    if (at_ != text_.size()) return fail("unexpected text after schema '{}'", text_);
    return result;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  Result<void> expect(std::string_view token) {
    if (!take(token)) return fail("expected '{}' in schema '{}' at {}", token, text_, at_);
    return {};
  }
  template <class Predicate>
  std::string take_while(Predicate&& predicate) {
    const std::size_t start = at_;
    while (at_ < text_.size() && predicate(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  Result<void> type(Parameter& parameter) {
    const std::string word = take_while(is_word);
    bool known = false;
    for (auto [name, kind] : scalar_types) {
      if (name == word) {
        parameter.kind = kind;
        known = true;
      }
    }
    if (!known) return fail("unknown type '{}' in schema '{}'", word, text_);
    if (take("(")) {
      parameter.alias = peek();
      const std::string set = take_while([](char c) { return c != ')'; });
      parameter.written = set.find('!') != std::string::npos;
      TRY_VOID(expect(")"));
    }
    if (take("?")) parameter.optional = true;
    if (take("[")) {
      const std::string length = take_while([](char c) { return c != ']'; });
      TRY_VOID(expect("]"));
      std::from_chars(length.data(), length.data() + length.size(), parameter.fixed_length);
      parameter.optional_elements = std::exchange(parameter.optional, take("?"));
      parameter.kind = list_of(parameter.kind);
    }
    return {};
  }

  Result<Parameter> parameter() {
    Parameter result;
    TRY_VOID(type(result));
    TRY_VOID(expect(" "));
    result.name = take_while(is_word);
    if (take("=")) {
      TRY(result.default_value, default_value(result));
    }
    return result;
  }

  Result<Argument> default_value(const Parameter& parameter) {
    if (take("[")) {
      IntList list;
      while (!take("]")) {
        TRY(Argument element, literal(parameter));
        const auto* scalar = std::get_if<Scalar>(&element);
        if (!scalar) return fail("unreadable default list in schema '{}'", text_);
        list.push_back(as_integer(*scalar));
        if (!take(", ")) take(",");
      }
      return Argument(std::move(list));
    }
    TRY(Argument value, literal(parameter));
    if (is_none(value)) return value;
    return conform(parameter, std::move(value));
  }

  // c10::ScalarType's numbers, for the dtypes that a case can name.
  Result<Argument> scalar_type(int64_t number) {
    constexpr std::array<std::pair<int, DType>, 10> numbers = {{{0, DType::U8},
                                                                {1, DType::I8},
                                                                {2, DType::I16},
                                                                {3, DType::I32},
                                                                {4, DType::I64},
                                                                {5, DType::F16},
                                                                {6, DType::F32},
                                                                {7, DType::F64},
                                                                {11, DType::Bool},
                                                                {15, DType::BF16}}};
    for (auto [scalar_type_number, dtype] : numbers) {
      if (scalar_type_number == number) return Argument(dtype);
    }
    return fail("unknown ScalarType {} in schema '{}'", number, text_);
  }

  Result<Argument> literal(const Parameter& parameter) {
    if (take("None")) return Argument();
    if (take("True")) return Argument(Scalar(true));
    if (take("False")) return Argument(Scalar(false));
    if (take("Mean")) return Argument(Scalar(int64_t{1}));  // at::Reduction::Mean
    if (take("Sum")) return Argument(Scalar(int64_t{2}));
    if (take("\"") || take("'")) {
      std::string text = take_while([](char c) { return c != '"' && c != '\''; });
      ++at_;
      return Argument(std::move(text));
    }
    const std::string word = take_while([](char c) { return is_word(c) || c == '.' || c == '-' || c == '+'; });
    if (auto format = parse_memory_format(word)) return Argument(*format);
    int64_t integer = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), integer);
    if (error == std::errc() && end == word.data() + word.size()) {
      if (parameter.kind == ArgKind::MemoryFormat) return Argument(static_cast<MemoryFormat>(integer));
      if (parameter.kind == ArgKind::DType) return scalar_type(integer);
      return Argument(Scalar(integer));
    }
    double real = 0;
    auto [real_end, real_error] = std::from_chars(word.data(), word.data() + word.size(), real);
    if (real_error == std::errc() && real_end == word.data() + word.size()) return Argument(Scalar(real));
    if (parameter.kind == ArgKind::Opaque || parameter.kind == ArgKind::DType) return Argument();  // e.g. dtype=long
    return fail("unreadable default '{}' in schema '{}'", word, text_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::unexpected<Error> wrong_kind(const Parameter& parameter, std::string_view wanted) {
  return fail("argument '{}' must be {}{}", parameter.name, wanted, parameter.optional ? " or null" : "");
}

Result<IntList> integer_list(const Parameter& parameter, const Argument& argument) {
  if (const auto* list = std::get_if<IntList>(&argument)) {
    return *list;
  }
  if (const auto* scalar = std::get_if<Scalar>(&argument);
      scalar && parameter.fixed_length > 0 && std::holds_alternative<int64_t>(*scalar)) {
    return IntList(static_cast<std::size_t>(parameter.fixed_length), std::get<int64_t>(*scalar));
  }
  if (const auto* list = std::get_if<ScalarList>(&argument); list && list->empty()) return IntList();
  if (const auto* list = std::get_if<ValueList>(&argument); list && list->empty()) return IntList();
  return wrong_kind(parameter, "a list of integers");
}

}  // namespace

int Schema::index_of(std::string_view parameter) const {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == parameter) return static_cast<int>(i);
  }
  return -1;
}

Result<Schema> parse_schema(std::string_view text) {
  TRY(Schema schema, Parser(text).schema());
  schema.positions.fill(-1);
  for (std::size_t i = 0; i < schema.parameters.size(); ++i) {
    const std::optional<arg> listed = parse_argument_name(schema.parameters[i].name);
    if (listed) schema.positions[static_cast<std::size_t>(*listed)] = static_cast<int8_t>(i);
  }
  return schema;
}

Result<Argument> conform(const Parameter& parameter, Argument argument) {
  if (is_none(argument)) {
    if (parameter.optional || parameter.kind == ArgKind::Opaque) return argument;
    return wrong_kind(parameter, "given");
  }
  const auto* scalar = std::get_if<Scalar>(&argument);
  switch (parameter.kind) {
    case ArgKind::Tensor:
      if (!std::holds_alternative<ValueId>(argument) && !(scalar && parameter.takes_number))
        return wrong_kind(parameter, "a value");
      return argument;
    case ArgKind::TensorList: {
      if (const auto* list = std::get_if<IntList>(&argument); list && list->empty()) return Argument(ValueList());
      const auto* values = std::get_if<ValueList>(&argument);
      if (!values) return wrong_kind(parameter, "a list of values");
      for (ValueId value : *values) {
        if (!value.valid() && !parameter.optional_elements)
          return wrong_kind(parameter, "a list of values without null");
      }
      return argument;
    }
    case ArgKind::Int:
      if (!scalar || !std::holds_alternative<int64_t>(*scalar)) return wrong_kind(parameter, "an integer");
      return argument;
    case ArgKind::IntList: {
      TRY(IntList list, integer_list(parameter, argument));
      return Argument(std::move(list));
    }
    case ArgKind::Float:
      if (!scalar || std::holds_alternative<bool>(*scalar)) return wrong_kind(parameter, "a number");
      return Argument(Scalar(as_double(*scalar)));
    case ArgKind::Bool:
      if (!scalar || !std::holds_alternative<bool>(*scalar)) return wrong_kind(parameter, "true or false");
      return argument;
    case ArgKind::Scalar:
      if (!scalar) return wrong_kind(parameter, "a number");
      return argument;
    case ArgKind::FloatList:
    case ArgKind::BoolList:
    case ArgKind::ScalarList: {
      if (const auto* integers = std::get_if<IntList>(&argument)) {
        return Argument(ScalarList(integers->begin(), integers->end()));
      }
      if (!std::holds_alternative<ScalarList>(argument)) return wrong_kind(parameter, "a list of numbers");
      return argument;
    }
    case ArgKind::DType:
      if (!std::holds_alternative<DType>(argument)) return wrong_kind(parameter, "a dtype");
      return argument;
    case ArgKind::MemoryFormat:
      if (!std::holds_alternative<MemoryFormat>(argument)) return wrong_kind(parameter, "a memory format");
      return argument;
    case ArgKind::String:
      if (!std::holds_alternative<std::string>(argument)) return wrong_kind(parameter, "a string");
      return argument;
    case ArgKind::Opaque:
      return wrong_kind(parameter, "left out");
  }
  return argument;
}

}  // namespace parallax
