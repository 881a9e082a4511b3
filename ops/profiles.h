// The built-in profiles, read from core/profiles, and the forms that a profile allows of an op.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace parallax {

// The built-in profile of that name ("eager", "portable", "executorch" …), or null.
const Profile* find_profile(std::string_view name);
// The names of the built-in ones, in alphabetical order.
const std::vector<std::string>& profile_names();

// Has the profile allow a form for one op, in those dtypes of the list that the form can be about.
void allow(Profile& profile, Form form, const Op& op, std::span<const DType> dtypes = all_dtypes);
// The same for every op of the form's families in every dtype.
void allow(Profile& profile, Form form);

}  // namespace parallax
