#include "core/profile_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

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

Result<void> read_member(const std::string& key, const Field& value, Profile& profile) {
  const std::map<std::string_view, bool*> flags = {
      {"flush_to_zero", &profile.flush_to_zero},
      {"rounding_mode_open", &profile.rounding_mode_open},
      {"half_accumulates_half", &profile.half_accumulates_half},
      {"max_drops_nan", &profile.max_drops_nan},
      {"one_pass_variance", &profile.one_pass_variance},
      {"elides_casts", &profile.elides_casts},
      {"loses_nan", &profile.loses_nan},
      {"loses_nan_of_f64", &profile.loses_nan_of_f64},
      {"folds_factors", &profile.folds_factors},
      {"flushes_operands", &profile.flushes_operands},
      {"gate_cancels", &profile.gate_cancels},
      {"averages_products", &profile.averages_products},
      {"resamples_by_steps", &profile.resamples_by_steps},
      {"nan_unordered", &profile.nan_unordered},
      {"sign_keeps_nan", &profile.sign_keeps_nan},
      {"shifts_open", &profile.shifts_open},
      {"promises_identity", &profile.promises_identity},
  };
  if (const auto flag = flags.find(key); flag != flags.end()) return read_flag(value, *flag->second);
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
  if (key == "source" || key == "extends") return {};
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
