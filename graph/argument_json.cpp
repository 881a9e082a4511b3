#include "graph/argument_json.h"

#include "graph/tensor_json.h"

namespace parallax {
namespace {

bool is_reference(const Json& json) { return json.is_string() && json.get_ref<const std::string&>().starts_with('%'); }

Result<Scalar> read_scalar(const Field& field) {
  const Json& json = field.json();
  if (json.is_boolean()) return Scalar(json.get<bool>());
  if (json.is_number_float()) return Scalar(json.get<double>());
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (auto special = parse_special(text)) return Scalar(*special);
    return field.fail("'{}' is not a number", text);
  }
  if (!json.is_number_integer()) return field.fail("must be a number");
  TRY(int64_t integer, field.integer());
  return Scalar(integer);
}

// A string that is no reference, by the kind of parameter it is passed for.
Result<Argument> read_word(const Field& field, const Parameter& parameter) {
  const auto& text = field.json().get_ref<const std::string&>();
  switch (parameter.kind) {
    case ArgKind::String:
      return Argument(text);
    case ArgKind::DType: {
      const auto dtype = parse_dtype(text);
      if (!dtype) return field.fail("unknown dtype '{}'", text);
      return Argument(*dtype);
    }
    case ArgKind::MemoryFormat: {
      const auto format = parse_memory_format(text);
      if (!format) return field.fail("unknown memory format '{}'", text);
      return Argument(*format);
    }
    case ArgKind::Tensor:
    case ArgKind::TensorList:
      return field.fail("'{}' is not a value; a value is written \"%name\"", text);
    case ArgKind::Opaque:
      return field.fail("argument '{}' must be left out", parameter.name);
    default: {
      TRY(Scalar scalar, read_scalar(field));
      return Argument(scalar);
    }
  }
}

Result<Argument> read_value_list(const Field& field, const ResolveReference& resolve) {
  ValueList values;
  for (std::size_t i = 0; i < field.json().size(); ++i) {
    const Field element = field.element(i);
    if (element.json().is_null()) {
      values.emplace_back();
      continue;
    }
    if (!is_reference(element.json())) return element.fail("must be a value, written \"%name\"");
    TRY(Reference reference, resolve(element));
    const auto* value = std::get_if<ValueId>(&reference);
    if (!value)
      return element.fail("{} is a list; one list cannot stand inside another", element.json().get<std::string>());
    values.push_back(*value);
  }
  return Argument(std::move(values));
}

Result<Argument> read_int_list(const Field& field) {
  IntList integers;
  for (std::size_t i = 0; i < field.json().size(); ++i) {
    TRY(int64_t integer, field.element(i).integer());
    integers.push_back(integer);
  }
  return Argument(std::move(integers));
}

Result<Argument> read_scalar_list(const Field& field, ArgKind kind) {
  ScalarList scalars;
  for (std::size_t i = 0; i < field.json().size(); ++i) {
    const Field element = field.element(i);
    if (kind == ArgKind::BoolList && !element.json().is_boolean()) return element.fail("must be true or false");
    TRY(Scalar scalar, read_scalar(element));
    if (kind == ArgKind::FloatList) {
      if (std::holds_alternative<bool>(scalar)) return element.fail("must be a number");
      scalar = as_double(scalar);
    }
    scalars.push_back(scalar);
  }
  return Argument(std::move(scalars));
}

Result<Argument> read_list(const Field& field, const Parameter& parameter, const ResolveReference& resolve) {
  switch (parameter.kind) {
    case ArgKind::TensorList:
      return read_value_list(field, resolve);
    case ArgKind::IntList:
      return read_int_list(field);
    case ArgKind::FloatList:
    case ArgKind::BoolList:
    case ArgKind::ScalarList:
      return read_scalar_list(field, parameter.kind);
    default:
      return field.fail("argument '{}' takes no list", parameter.name);
  }
}

Result<Argument> read_reference(const Field& field, const Parameter& parameter, const ResolveReference& resolve) {
  TRY(Reference reference, resolve(field));
  if (const auto* value = std::get_if<ValueId>(&reference)) return Argument(*value);
  if (parameter.kind != ArgKind::TensorList) {
    return field.fail("{} is a list; take an element with getitem", field.json().get<std::string>());
  }
  return Argument(std::get<ValueList>(std::move(reference)));
}

Result<Argument> read_raw(const Field& field, const Parameter& parameter, const ResolveReference& resolve) {
  const Json& json = field.json();
  if (json.is_null()) return Argument();
  if (json.is_object()) return field.fail("an argument is no object");
  if (json.is_array()) return read_list(field, parameter, resolve);
  if (json.is_string()) {
    if (is_reference(json) && parameter.kind != ArgKind::String) return read_reference(field, parameter, resolve);
    return read_word(field, parameter);
  }
  if (parameter.kind == ArgKind::Tensor && !parameter.takes_number) {
    // Eager wraps it into a 0-d tensor that promotes like a number: not every op here does that.
    return field.unsupported("a number for the tensor '{}' is not run by this version", parameter.name);
  }
  TRY(Scalar scalar, read_scalar(field));
  return Argument(scalar);
}

struct ToJson {
  const Graph& graph;

  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(ValueId value) const { return value.valid() ? Json("%" + graph.name(value)) : Json(nullptr); }
  Json operator()(const Scalar& scalar) const {
    if (const auto* real = std::get_if<double>(&scalar)) return number_json(*real);
    if (const auto* flag = std::get_if<bool>(&scalar)) return *flag;
    return std::get<int64_t>(scalar);
  }
  Json operator()(DType dtype) const { return name(dtype); }
  Json operator()(MemoryFormat format) const { return name(format); }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(const IntList& list) const { return list; }
  template <class Element>
  Json operator()(const std::vector<Element>& list) const {
    Json result = Json::array();
    for (const Element& element : list) result.push_back((*this)(element));
    return result;
  }
};

}  // namespace

Result<Argument> read_argument(const Field& field, const Parameter& parameter, const ResolveReference& resolve) {
  TRY(Argument raw, read_raw(field, parameter, resolve));
  auto conformed = conform(parameter, std::move(raw));
  if (!conformed) return at(field.pointer(), conformed.error());
  return conformed;
}

Json argument_json(const Argument& argument, const Graph& graph) { return std::visit(ToJson{graph}, argument); }

}  // namespace parallax
