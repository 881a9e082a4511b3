// CallProfile: a profile as one call sees it, with the forms that it allows for the call's op in its dtype. A small
// value, which kernels hand on to the arithmetic they use.
#pragma once

#include "core/profile.h"

namespace parallax {

class CallProfile : public RoundingModel {
 public:
  // The profile must outlive it. What computes outside of any call is allowed no form.
  CallProfile(const Profile& profile, FormSet allowed = {})
      : RoundingModel(profile), profile_(&profile), allowed_(allowed) {
    flush_to_zero = flush_to_zero || allowed.has(Form::Bf16Instructions);
  }

  bool allows(Form form) const { return allowed_.has(form); }
  const FunctionError& error_of(FunctionKind kind, DType dtype) const { return profile_->error_of(kind, dtype); }
  // Whether a quotient of the dtype by this number, NaN where it is not known, rounds as IEEE 754 has it.
  bool divides_as_ieee(DType dtype, double divisor) const;
  // The same where one form more is allowed: eager itself has it there.
  CallProfile with(Form form) const {
    CallProfile more = *this;
    more.allowed_.add(form);
    return more;
  }

 private:
  const Profile* profile_;
  FormSet allowed_;
};

}  // namespace parallax
