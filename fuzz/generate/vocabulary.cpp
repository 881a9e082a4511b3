#include "fuzz/generate/vocabulary.h"

#include <algorithm>
#include <limits>

#include "core/call_profile.h"
#include "ops/counted_size.h"
#include "ops/registry.h"

namespace parallax {
namespace {

std::size_t place_of(const Op& op) { return static_cast<std::size_t>(&op - all_ops().data()); }

}  // namespace

Vocabulary::Vocabulary(const std::function<bool(const Op& op)>& accept) {
  for (const Op& op : all_ops()) {
    if (op.sample && accept(op)) by_group_[static_cast<std::size_t>(op.group)].push_back(&op);
  }
}

Vocabulary Vocabulary::taken_by(const std::vector<const Target*>& targets,
                                const std::function<bool(const Op& op, DType dtype)>& draws) {
  const auto every = [&](auto&& takes) { return std::ranges::all_of(targets, takes); };
  Calls drawn(all_ops().size(), Dtypes().set());
  for (std::size_t i = 0; draws && i < drawn.size(); ++i) {
    for (int d = 0; d < dtype_count; ++d) {
      drawn[i][static_cast<std::size_t>(d)] = draws(all_ops()[i], static_cast<DType>(d));
    }
  }
  Vocabulary words([&](const Op& op) {
    return drawn[place_of(op)].any() && every([&](const Target* target) { return target->takes(op); });
  });
  if (std::ranges::all_of(words.by_group_, [](const auto& ops) { return ops.empty(); })) return all();
  words.strided_sources_ = every([](const Target* target) { return target->takes_strided_sources(); });
  words.written_inputs_ = every([](const Target* target) { return target->takes_written_inputs(); });
  words.several_runs_ = every([](const Target* target) { return target->takes_several_runs(); });
  words.instances_ = every([](const Target* target) { return target->takes_instances(); });
  words.methods_ = every([](const Target* target) { return target->takes_methods(); });
  for (const Target* target : targets) words.control_kinds_ &= target->control_kinds();
  words.writing_subgraphs_ = every([](const Target* target) { return target->takes_writing_subgraphs(); });
  words.note_profiles(targets);
  bool whole = true;
  for (int d = 0; d < dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (every([&](const Target* target) { return target->takes_dtype(dtype); })) continue;
    words.dtypes_.reset(static_cast<std::size_t>(d));
    whole = false;
  }
  if (words.dtypes_.none()) return all();
  Calls calls;
  for (const Op& op : all_ops()) {
    Dtypes& dtypes = calls.emplace_back();
    for (int d = 0; d < dtype_count; ++d) {
      const auto dtype = static_cast<DType>(d);
      dtypes[static_cast<std::size_t>(d)] = every([&](const Target* target) { return target->takes_call(op, dtype); });
    }
    dtypes &= drawn[place_of(op)];
    // What cannot be sampled is drawn by a way of its own, which asks has().
    whole = whole && (dtypes.all() || (dtypes.none() && !(has_counted_size(op) && !op.sample)));
  }
  if (!whole) words.calls_ = std::move(calls);
  words.note_delegates(targets);
  return words;
}

void Vocabulary::note_profiles(const std::vector<const Target*>& targets) {
  const Op& power = op_named("aten.pow.Tensor_Tensor");
  for (const Target* target : targets) {
    const Profile& profile = target->profile();
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (profile.allowed.anywhere().has(Form::LostNan)) loses_nan_ = true;
    if (allows(profile, Form::LostNan, power, DType::F32)) loses_powers_ = true;
    if (!CallProfile(profile).divides_as_ieee(DType::F32, unknown)) rounds_quotients_ = true;
    if (profile.flush_to_zero) flushes_ = true;
  }
}

void Vocabulary::note_delegates(const std::vector<const Target*>& targets) {
  const auto delegated = [](const Target* target) {
    Calls calls;
    for (const Op& op : all_ops()) {
      Dtypes& dtypes = calls.emplace_back();
      for (int d = 0; op.sample && d < dtype_count; ++d) {
        dtypes[static_cast<std::size_t>(d)] = target->delegates(op, static_cast<DType>(d));
      }
    }
    return calls;
  };
  const auto any = [](const Calls& calls) {
    return std::ranges::any_of(calls, [](const Dtypes& d) { return d.any(); });
  };
  for (const Target* target : targets) {
    Calls calls = delegated(target);
    if (!any(calls)) continue;  // it has no delegate
    for (std::size_t i = 0; i < calls.size() && !delegated_calls_.empty(); ++i) calls[i] &= delegated_calls_[i];
    delegated_calls_ = std::move(calls);
  }
  for (std::size_t i = 0; i < delegated_calls_.size(); ++i) {
    const Op& op = all_ops()[i];
    if (std::ranges::count(of(op.group), &op) == 0) delegated_calls_[i].reset();  // some target does not take it
    for (int d = 0; d < dtype_count; ++d) {
      if (!has(op, static_cast<DType>(d))) delegated_calls_[i].reset(static_cast<std::size_t>(d));
    }
    if (delegated_calls_[i].any()) delegated_.push_back(&op);
    delegated_dtypes_ |= delegated_calls_[i];
  }
}

const Vocabulary& Vocabulary::all() {
  static const Vocabulary every([](const Op&) { return true; });
  return every;
}

bool Vocabulary::delegates(const Op& op, DType dtype) const {
  // A branch or a loop is of a case's own, and has no place among all ops.
  return as_control(op) == nullptr && !delegated_calls_.empty() &&
         delegated_calls_[place_of(op)][static_cast<std::size_t>(dtype)];
}

std::array<uint32_t, op_group_count> Vocabulary::usable(std::array<uint32_t, op_group_count> weights) const {
  for (std::size_t i = 0; i < op_group_count; ++i) {
    if (by_group_[i].empty()) weights[i] = 0;
  }
  return weights;
}

bool Vocabulary::has(const Op& op, DType dtype) const {
  return whole() || calls_[place_of(op)][static_cast<std::size_t>(dtype)];
}

bool leaves_open(const Op& op) {
  return op.family == "orthogonal" || op.name.starts_with("aten.special_zeta") || op.name.starts_with("aten.empty") ||
         op.name.starts_with("aten.new_empty");
}

}  // namespace parallax
