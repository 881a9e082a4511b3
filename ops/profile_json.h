// Profiles as data (docs/profiles.md).
#pragma once

#include "core/json_field.h"
#include "core/profile.h"

namespace parallax {

// The profile that an object describes, over the one that it `extends`: whatever is not named is the base's. An unknown
// member, function, form, op or dtype, an op without the form and a negative number are errors.
Result<Profile> read_profile(const Field& object, Profile base);

// The same, where `extends` names a built-in profile; without it, IEEE 754 arithmetic with functions within 4 ulp.
Result<Profile> read_profile(const Field& object);

// That: what profiles start from.
Profile plain_profile();

}  // namespace parallax
