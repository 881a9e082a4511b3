// Audit: what can be said against a compiled program without running it. Plans go through the one plan checker; what
// scripts in adapters/ read out of a .pte or an .mlpackage is judged here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_field.h"

namespace parallax {

// Which of the known causes it is.
enum class AuditKind : uint8_t { Plan, Delegate, State };
// "plan", "delegate" or "state".
std::string_view name(AuditKind kind);

struct AuditFinding {
  std::string where;  // "forward, delegate 0 (VulkanBackend)"
  AuditKind kind;
  std::string what;  // one line for a person, with the way around it where one is known
};

// Judges a plan.json: each read that meets other bytes than were written for it, by the plan checker.
Result<std::vector<AuditFinding>> audit_plan(const std::string& where, const Field& plan);

// Judges what an audit script answered (docs/audits.md): the plans, the delegate calls against what the delegates
// declare, and the functions whose state is written from what they return. An error carries the JSON pointer.
Result<std::vector<AuditFinding>> audit_answer(const Field& answer);

}  // namespace parallax
