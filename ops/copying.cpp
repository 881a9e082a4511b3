#include "ops/copying.h"

#include <algorithm>
#include <cmath>

#include "ops/cast.h"
#include "ops/fresh_layout.h"

namespace parallax {

void copy_elements(const BallView& from, const BallView& to, const CallProfile& profile) {
  const std::vector<int64_t> sources = elements_of(from.layout);
  const std::vector<int64_t> targets = elements_of(to.layout);
  PARALLAX_CHECK(sources.size() == targets.size());
  if (overlaps_itself(to.layout)) {
    UnorderedWriter writer(to, profile);
    for (std::size_t i = 0; i < sources.size(); ++i) writer.write(targets[i], from, sources[i]);
  } else {
    for (std::size_t i = 0; i < sources.size(); ++i) convert_element(from, sources[i], to, targets[i], profile);
  }
}

Layout storage_clone_layout(const Layout& layout) {
  return is_expanded(layout) ? *fresh_layout(layout, MemoryFormat::Preserve) : layout;
}

void clone_storage(const BallView& from, const BallView& to, const CallProfile& profile) {
  if (from.layout != to.layout) return copy_elements(from, to, profile);
  const auto copy_all = [](const auto& source, auto& target) {
    std::copy_n(source.begin(), std::min(source.size(), target.size()), target.begin());
  };
  copy_all(from.storage->balls, to.storage->balls);
  copy_all(from.storage->integers, to.storage->integers);
}

namespace {

bool same_number(const Ball& a, const Ball& b) {
  return a.is_exact() && b.is_exact() && (a.mid == b.mid || (std::isnan(a.mid) && std::isnan(b.mid)));
}

bool same_number(const IntegerBall& a, const IntegerBall& b) {
  return a.undecided == Undecided::No && b.undecided == Undecided::No && a.value == b.value;
}

}  // namespace

UnorderedWriter::UnorderedWriter(const BallView& target, const CallProfile& profile)
    : target_(&target),
      profile_(profile),
      written_(std::max(target.storage->balls.size(), target.storage->integers.size())) {}

void UnorderedWriter::write(int64_t element, const BallView& from, int64_t from_element) {
  const auto i = static_cast<std::size_t>(element);
  if (target_->floating()) {
    const Ball before = target_->ball(element);
    convert_element(from, from_element, *target_, element, profile_);
    if (written_[i] && !same_number(before, target_->ball(element))) {
      target_->ball(element) = Ball::unknown(Undecided::DuplicateIndex);
    }
  } else {
    const IntegerBall before = target_->integer(element);
    convert_element(from, from_element, *target_, element, profile_);
    if (written_[i] && !same_number(before, target_->integer(element))) {
      target_->integer(element) = {0, Undecided::DuplicateIndex};
    }
  }
  written_[i] = true;
}

}  // namespace parallax
