// Form twins: for each form an implementation that takes it, sharing no code with the oracle.
//
// A twin shows that a profile which allows the form holds for such an implementation, and that the oracle would catch
// it under one that does not.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/profile.h"

namespace parallax {

struct FormTwin {
  Form form;
  std::string_view what;
  // Whether implementation number `implementation` of what `target` promises returns something that `judge` excludes.
  std::function<bool(const Profile& target, const Profile& judge, uint64_t implementation)> outside;
};

const std::vector<FormTwin>& form_twins();

}  // namespace parallax
