#include "ops/profile_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "ops/profiles.h"
#include "ops/registry.h"

namespace parallax {
namespace {

constexpr std::array float_dtypes = {DType::F16, DType::BF16, DType::F32, DType::F64};

Result<double> read_number(const Field& field) {
  if (!field.json().is_number()) return field.fail("a number is wanted");
  const double number = field.json().get<double>();
  if (!(number >= 0 && number <= 1e30)) return field.fail("{} is no error", number);
  return number;
}

Result<void> read_flag(const Field& field, bool& flag) {
  if (!field.json().is_boolean()) return field.fail("true or false is wanted");
  flag = field.json().get<bool>();
  return {};
}

Result<void> read_error(const Field& object, FunctionError& error) {
  TRY_VOID(object.expect_object());
  return for_each_member(object, [&](const std::string& key, const Field& value) -> Result<void> {
    if (key == "source") return {};
    if (key == "keeps_zeros") return read_flag(value, error.keeps_zeros);
    if (key == "keeps_range") return read_flag(value, error.keeps_range);
    if (key == "exact_by_powers") return read_flag(value, error.exact_by_powers);
    float* wanted = key == "ulp"               ? &error.ulp
                    : key == "ulp_per_operand" ? &error.ulp_per_operand
                    : key == "absolute"        ? &error.absolute
                    : key == "nan_beyond"      ? &error.nan_beyond
                                               : nullptr;
    if (wanted == nullptr) return value.fail("'{}' is no part of a function's error", key);
    TRY(const double number, read_number(value));
    *wanted = static_cast<float>(number);
    return {};
  });
}

// {"exp": {"ulp": 3}} holds for every dtype; {"exp": {"f16": {"ulp": 1}}} for one.
Result<void> read_function(const Field& object, std::array<FunctionError, dtype_count>& errors) {
  TRY_VOID(object.expect_object());
  const auto is_dtype = [](const auto& member) { return parse_dtype(member.key()).has_value(); };
  const auto members = object.json().items();
  if (std::none_of(members.begin(), members.end(), is_dtype)) {
    FunctionError error{.ulp = 0};
    TRY_VOID(read_error(object, error));
    for (const DType dtype : float_dtypes) errors[static_cast<std::size_t>(dtype)] = error;
    return {};
  }
  return for_each_member(object, [&](const std::string& key, const Field& value) -> Result<void> {
    if (key == "source") return {};
    const auto dtype = parse_dtype(key);
    if (!dtype || !is_floating(*dtype)) return value.fail("'{}' is no floating dtype", key);
    FunctionError error{.ulp = 0};
    TRY_VOID(read_error(value, error));
    errors[static_cast<std::size_t>(*dtype)] = error;
    return {};
  });
}

// "other" is read first, so that the order of the members does not matter: it stands for all that are not named.
Result<void> read_functions(const Field& object, Profile& profile) {
  TRY_VOID(object.expect_object());
  if (const auto other = object.find("other")) {
    for (int kind = 0; kind < function_kinds; ++kind) {
      const auto which = static_cast<FunctionKind>(kind);
      if (which == FunctionKind::Division || which == FunctionKind::Sqrt) continue;
      TRY_VOID(read_function(*other, profile.functions[static_cast<std::size_t>(kind)]));
    }
  }
  return for_each_member(object, [&](const std::string& key, const Field& value) -> Result<void> {
    for (int kind = 0; kind < function_kinds; ++kind) {
      if (key != name(static_cast<FunctionKind>(kind))) continue;
      if (key == "other") return {};
      return read_function(value, profile.functions[static_cast<std::size_t>(kind)]);
    }
    return value.fail("'{}' is no function that a profile names", key);
  });
}

// Ops are meant by ATen's base name: every overload, and the in-place twin.
const std::string& base_name(const Op& op) { return op.functional ? op.functional->schema.name : op.schema.name; }

// The ops of a list of base names that have the form.
Result<std::vector<const Op*>> read_ops(const Field& list, Form form) {
  TRY_VOID(list.expect_array());
  std::vector<const Op*> ops;
  for (std::size_t i = 0; i < list.json().size(); ++i) {
    const Field entry = list.element(i);
    TRY(const std::string wanted, entry.text());
    bool exists = false;
    const std::size_t before = ops.size();
    for (const Op& op : all_ops()) {
      if (base_name(op) != wanted) continue;
      exists = true;
      if (applies(form, op.family)) ops.push_back(&op);
    }
    if (!exists) return entry.fail("'{}' is no op that is known here", wanted);
    if (ops.size() == before) return entry.fail("{} has no form '{}'", wanted, name(form));
  }
  return ops;
}

Result<std::vector<DType>> read_dtypes(const Field& list, Form form) {
  TRY_VOID(list.expect_array());
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < list.json().size(); ++i) {
    const Field entry = list.element(i);
    TRY(const std::string wanted, entry.text());
    const auto dtype = parse_dtype(wanted);
    if (!dtype) return entry.fail("'{}' is no dtype", wanted);
    if (!applies(form, *dtype)) return entry.fail("the form '{}' is not about {}", name(form), wanted);
    dtypes.push_back(*dtype);
  }
  return dtypes;
}

Result<Form> read_form(const Field& field) {
  TRY(const std::string wanted, field.text());
  if (const auto form = parse_form(wanted)) return *form;
  return field.fail("'{}' is no form that is known here", wanted);
}

bool contains(const std::vector<const Op*>& ops, const Op& op) { return std::ranges::find(ops, &op) != ops.end(); }

// {"form": "accumulate_in_half", "ops": ["cumsum"], "dtypes": ["f16"]}, or "except" in place of "ops".
Result<void> read_allowance(const Field& object, Profile& profile) {
  TRY_VOID(object.expect_object());
  TRY(const Field named, object.need("form"));
  TRY(const Form form, read_form(named));
  std::optional<std::vector<const Op*>> ops;
  std::vector<const Op*> except;
  std::vector<DType> dtypes(all_dtypes.begin(), all_dtypes.end());
  TRY_VOID(for_each_member(object, [&](const std::string& key, const Field& value) -> Result<void> {
    if (key == "form" || key == "source") return {};
    if (key == "ops") {
      TRY(ops, read_ops(value, form));
    } else if (key == "except") {
      TRY(except, read_ops(value, form));
    } else if (key == "dtypes") {
      TRY(dtypes, read_dtypes(value, form));
    } else {
      return value.fail("'{}' is no part of what a profile allows", key);
    }
    return {};
  }));
  for (const Op& op : all_ops()) {
    const bool meant = ops ? contains(*ops, op) : applies(form, op.family);
    if (meant && !contains(except, op)) allow(profile, form, op, dtypes);
  }
  return {};
}

template <class Read>
Result<void> read_each(const Field& list, Read&& read) {
  TRY_VOID(list.expect_array());
  for (std::size_t i = 0; i < list.json().size(); ++i) TRY_VOID(read(list.element(i)));
  return {};
}

// What the base allows is revoked before anything is allowed, so that the order of the members does not matter.
Result<void> read_forms(const Field& object, Profile& profile) {
  if (const auto revoked = object.find("revokes")) {
    TRY_VOID(read_each(*revoked, [&](const Field& entry) -> Result<void> {
      TRY(const Form form, read_form(entry));
      profile.allowed.revoke(form);
      return {};
    }));
  }
  const auto allowed = object.find("allows");
  if (!allowed) return {};
  return read_each(*allowed, [&](const Field& entry) { return read_allowance(entry, profile); });
}

Result<void> read_member(const std::string& key, const Field& value, Profile& profile) {
  if (key == "flush_to_zero") return read_flag(value, profile.flush_to_zero);
  if (key == "flushes_operands") return read_flag(value, profile.flushes_operands);
  if (key == "rounding_mode_open") return read_flag(value, profile.rounding_mode_open);
  if (key == "functions") return read_functions(value, profile);
  if (key == "product_precision") {
    TRY(const int64_t bits, value.integer());
    if (bits != 24 && bits != 11 && bits != 8) return value.fail("{} bits: 24, 11 (TF32) and 8 (bf16) are known", bits);
    profile.product_precision = static_cast<int>(bits);
    return {};
  }
  if (key == "name") {
    TRY(profile.name, value.text());
    return {};
  }
  // What read_forms() and the callers read.
  if (key == "source" || key == "extends" || key == "allows" || key == "revokes") return {};
  return value.fail("'{}' is no member of a profile", key);
}

}  // namespace

Profile plain_profile() {
  Profile profile;
  for (const FunctionKind kind : {FunctionKind::Division, FunctionKind::Sqrt}) {
    profile.functions[static_cast<std::size_t>(kind)].fill({.ulp = 0.5});
  }
  return profile;
}

Result<Profile> read_profile(const Field& object, Profile base) {
  TRY_VOID(object.expect_object());
  TRY_VOID(for_each_member(object,
                           [&](const std::string& key, const Field& value) { return read_member(key, value, base); }));
  TRY_VOID(read_forms(object, base));
  return base;
}

Result<Profile> read_profile(const Field& object) {
  TRY(const Field named, object.need("name"));
  TRY_VOID(named.text());
  const auto base = object.find("extends");
  if (!base) return read_profile(object, plain_profile());
  TRY(const std::string extended, base->text());
  const Profile* known = find_profile(extended);
  if (known == nullptr) return base->fail("'{}' is no profile that is known here", extended);
  return read_profile(object, *known);
}

}  // namespace parallax
