// AllowedForms: which forms a profile allows, by op and dtype. Ops are numbers here: their places in the op registry.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/dtype.h"
#include "core/form.h"

namespace parallax {

class AllowedForms {
 public:
  void allow(Form form, int op, DType dtype) {
    const auto row = static_cast<std::size_t>(op);
    if (by_op_.size() <= row) by_op_.resize(row + 1);
    by_op_[row][static_cast<std::size_t>(dtype)].add(form);
    anywhere_.add(form);
  }
  // Allows it nowhere.
  void revoke(Form form) {
    for (auto& by_dtype : by_op_) {
      for (FormSet& allowed : by_dtype) allowed.remove(form);
    }
    anywhere_.remove(form);
  }

  // Those of an op in a dtype.
  FormSet of(int op, DType dtype) const {
    const auto row = static_cast<std::size_t>(op);
    return row < by_op_.size() ? by_op_[row][static_cast<std::size_t>(dtype)] : FormSet();
  }
  // Those of any op in any dtype.
  FormSet anywhere() const { return anywhere_; }

 private:
  std::vector<std::array<FormSet, dtype_count>> by_op_;
  FormSet anywhere_;
};

}  // namespace parallax
