#include "backends/external/external_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/external/artifact_folder.h"
#include "backends/external/fork_server.h"
#include "backends/external/last_line.h"
#include "backends/given_up.h"
#include "graph/control_op.h"
#include "graph/counts.h"
#include "graph/runs.h"
#include "ops/counted_size.h"

namespace parallax {
namespace {

// Of a case that nobody waits for any more.
Outcome given_up() {
  Outcome outcome;
  outcome.status = Status::Unsupported;
  outcome.kind = given_up_kind;
  outcome.message = "it was not waited for: the run ended";
  return outcome;
}

// Bytes that nobody can print, or that are no UTF-8 of ours to vouch for, as '?'.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte >= 0x7f) c = '?';
  }
  return text;
}

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

class ExternalTarget final : public Target {
 public:
  ExternalTarget(std::string name, std::vector<std::string> command, const ExternalOptions& options)
      : name_(std::move(name)), command_(std::move(command)), options_(options) {}

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return hello_.profile; }
  bool promises_identity() const override { return hello_.promises_identity; }
  std::vector<std::pair<std::string, std::string>> versions() const override { return hello_.versions; }
  bool takes(const Op& op) const override {
    // A size that hangs on data, whatever the operands are: that of nonzero, not that of an index.
    if (!hello_.counts && has_counted_size(op) && !op.sample) return false;
    return (!hello_.ops || std::ranges::find(*hello_.ops, op.name) != hello_.ops->end()) &&
           !options_.declined.wholly(op.name);
  }
  bool takes_dtype(DType dtype) const override {
    return !hello_.dtypes || std::ranges::find(*hello_.dtypes, dtype) != hello_.dtypes->end();
  }
  bool takes_call(const Op& op, DType dtype) const override {
    return takes(op) && takes_dtype(dtype) && !options_.declined.has(op.name, dtype);
  }
  bool takes_gradients() const override { return hello_.gradients; }
  bool takes_several_runs() const override { return hello_.several_runs; }
  bool takes_instances() const override { return hello_.several_runs && hello_.instances; }
  bool takes_methods() const override { return hello_.several_runs && hello_.methods; }
  ControlKinds control_kinds() const override { return hello_.control_kinds; }
  bool takes_writing_subgraphs() const override { return hello_.writing_subgraphs; }
  int cases_a_program() const override { return hello_.cases_a_program; }
  std::vector<TargetSwitch> switches() const override { return hello_.switches; }
  bool takes_strided_sources() const override { return hello_.strided_sources; }
  bool takes_written_inputs() const override { return hello_.written_inputs; }
  bool delegates(const Op& op, DType dtype) const override {
    return std::ranges::count(hello_.delegated_dtypes, dtype) > 0 &&
           std::ranges::count(hello_.delegated_ops, op.name) > 0 && takes_call(op, dtype);
  }
  std::vector<std::pair<std::string, std::string>> artifacts(const Case& test) override;
  std::vector<StageOutcome> stages(const Case& test) override;
  Outcome run(const Case& test, const std::vector<Tensor>* second) override;
  void forget_program() override { anew_ = true; }
  double processor_seconds() override {
    if (worker_) last_seconds_ = std::max(last_seconds_, worker_->processor_seconds());
    return ended_seconds_ + last_seconds_;
  }

  // Starts a worker and greets it.
  Result<void> start();

 private:
  std::optional<std::string> declined(const Graph& graph) const;
  std::optional<std::string> declined(const Case& test) const;
  Outcome attempt(const Case& test, const std::vector<Tensor>* second);
  Outcome failed(const LineOrFailure& answer, std::chrono::milliseconds limit);

  std::string name_;
  std::vector<std::string> command_;
  ExternalOptions options_;
  std::optional<Process> worker_;
  Hello hello_;
  int64_t next_id_ = 1;
  int served_ = 0;            // cases that this worker was given
  bool anew_ = false;         // whether the next run builds its program anew
  double ended_seconds_ = 0;  // processor time of earlier workers, as far as it was looked at
  double last_seconds_ = 0;   // of this one, when it was looked at last
};

Result<void> ExternalTarget::start() {
  worker_.reset();
  ended_seconds_ += std::exchange(last_seconds_, 0);
  served_ = 0;
  TRY(worker_, options_.forks ? start_worker(command_, options_.limits, options_.first_limit)
                              : Process::start(command_, options_.limits));
  const int64_t id = next_id_++;
  const LineOrFailure answer = worker_->exchange(encode_hello(id), options_.first_limit);
  const auto* line = std::get_if<std::string>(&answer);
  if (line == nullptr) {
    const Outcome outcome = failed(answer, options_.first_limit);
    const std::string said = last_line(outcome.detail);
    return fail("{}: the worker does not start: {}{}{}", name_, outcome.message, said.empty() ? "" : ": ", said);
  }
  auto hello = decode_hello(*line, id);
  if (!hello) {
    worker_.reset();
    if (is_of_profile(hello.error())) {
      hello.error().file = "the greeting of " + name_;
      return std::unexpected(std::move(hello).error());
    }
    return fail("{}: the worker does not speak the adapter protocol: {}", name_, hello.error().text());
  }
  hello_ = *std::move(hello);
  return {};
}

// What the worker said beforehand that it does not take.
std::optional<std::string> ExternalTarget::declined(const Graph& graph) const {
  for (const TensorMeta& meta : graph.metas) {
    if (!takes_dtype(meta.dtype)) {
      return fmt::format("{} does not take {}", hello_.name, parallax::name(meta.dtype));
    }
  }
  for (const Node& node : graph.nodes) {
    if (const ControlOp* control = as_control(*node.op)) {
      if (control->kind() == ControlKind::Custom) continue;  // the system calls what is registered, and no more
      for (const Subgraph& one : control->parts.subgraphs) {
        if (auto why = declined(*one.graph)) return why;
      }
      continue;
    }
    const std::string op = node.op->schema.qualified_name();
    if (hello_.ops && std::ranges::find(*hello_.ops, op) == hello_.ops->end())
      return fmt::format("{} has no {}", hello_.name, op);
  }
  return std::nullopt;
}

std::optional<std::string> ExternalTarget::declined(const Case& test) const {
  auto why = declined(test.graph);
  for (std::size_t i = 0; !why && i < test.methods.size(); ++i) why = declined(test.methods[i].graph);
  return why;
}

// The outcome where no line came back; the worker is gone.
Outcome ExternalTarget::failed(const LineOrFailure& answer, std::chrono::milliseconds limit) {
  Outcome outcome = std::visit(
      Overloaded{
          [](const std::string&) -> Outcome { PARALLAX_CHECK(false); },
          [&](ProcessTimeout) {
            Outcome hang;
            hang.status = Status::Hang;
            hang.kind = "silence";
            hang.message = fmt::format("no answer within {:.1f} s", static_cast<double>(limit.count()) / 1000);
            return hang;
          },
          [&](ProcessOverflow) {
            return protocol_failure(fmt::format("a reply is longer than {} bytes", options_.limits.reply_bytes));
          },
          [](ProcessGivenUp) { return given_up(); },
          [](const ProcessEnd& end) {
            Outcome crash;
            crash.status = Status::Crash;
            crash.kind = end.text();
            crash.message = fmt::format("the worker died: {}", crash.kind);
            return crash;
          },
      },
      answer);
  outcome.detail = printable(worker_->error_tail());
  // Who aborts says why last; whose process is shot down says nothing.
  const std::string said = abort_reason(outcome.detail);
  if (outcome.kind == "SIGABRT" && !said.empty()) outcome.message += ": " + said;
  worker_.reset();
  return outcome;
}

Outcome ExternalTarget::attempt(const Case& test, const std::vector<Tensor>* second) {
  if (!worker_ || worker_->is_stale()) {
    if (auto started = start(); !started) {
      // A worker that was just started may not be waited for either.
      const bool is_over = options_.limits.given_up && options_.limits.given_up();
      return is_over ? given_up() : protocol_failure(started.error().text());
    }
  }
  const int64_t id = next_id_++;
  const auto limit = served_ == 0 ? options_.first_limit : options_.later_limit;
  ++served_;
  const LineOrFailure answer =
      worker_->exchange(encode_run(id, test, second, std::exchange(anew_, false), options_.threads), limit);
  const auto* line = std::get_if<std::string>(&answer);
  if (line == nullptr) return failed(answer, limit);
  Outcome outcome = decode_run(*line, id, test);
  // Replies and requests may be out of step from here on.
  if (is_protocol_failure(outcome)) worker_.reset();
  return outcome;
}

// Each stage compiles and runs anew, so it may take as long as a first case. What cannot be had is not told: a finding
// stands without it.
std::vector<StageOutcome> ExternalTarget::stages(const Case& test) {
  if (declined(test) || !worker_ || worker_->is_stale()) return {};
  const int64_t id = next_id_++;
  const LineOrFailure answer = worker_->exchange(encode_stages(id, test), options_.first_limit);
  const auto* line = std::get_if<std::string>(&answer);
  if (line == nullptr) {
    worker_.reset();
    return {};
  }
  return decode_stages(*line, id, test.graph).value_or(std::vector<StageOutcome>{});
}

// What was written before the case brought the worker down is what shows how it did.
std::vector<std::pair<std::string, std::string>> ExternalTarget::artifacts(const Case& test) {
  if (!hello_.artifacts || declined(test)) return {};
  if ((!worker_ || worker_->is_stale()) && !start()) return {};
  const Result<ArtifactFolder> folder = ArtifactFolder::make();
  if (!folder) return {};
  const LineOrFailure answer =
      worker_->exchange(encode_artifact(next_id_++, test, folder->path()), options_.first_limit);
  if (std::get_if<std::string>(&answer) == nullptr) worker_.reset();
  return folder->files();
}

Outcome ExternalTarget::run(const Case& test, const std::vector<Tensor>* second) {
  if (test.gradient && !hello_.gradients) {
    Outcome outcome;
    outcome.status = Status::Unsupported;
    outcome.message = hello_.name + " gives no gradients";
    return outcome;
  }
  if (has_several_runs(test) && !hello_.several_runs) {
    Outcome outcome;
    outcome.status = Status::Unsupported;
    outcome.message = hello_.name + " takes no case with several runs";
    return outcome;
  }
  if (has_several_instances(test) && !hello_.instances) {
    Outcome outcome;
    outcome.status = Status::Unsupported;
    outcome.message = hello_.name + " takes no case with runs on several instances";
    return outcome;
  }
  if (!test.methods.empty() && !hello_.methods) {
    Outcome outcome;
    outcome.status = Status::Unsupported;
    outcome.message = hello_.name + " takes no case with several methods";
    return outcome;
  }
  if (const ControlKinds left = parallax::control_kinds(test.graph) & ~hello_.control_kinds; left.any()) {
    Outcome outcome;
    outcome.status = Status::Unsupported;
    outcome.message = fmt::format("{} takes no case with {}", hello_.name, fmt::join(names_of(left), " or "));
    return outcome;
  }
  if (!hello_.counts && holds_counts(test.graph)) {
    Outcome outcome;
    outcome.status = Status::Unsupported;
    outcome.message = hello_.name + " takes no case with sizes that hang on data";
    return outcome;
  }
  if (const auto why = declined(test)) {
    Outcome outcome;
    outcome.status = Status::Unsupported;
    outcome.message = *why;
    return outcome;
  }
  const int earlier = worker_ && !worker_->is_stale() ? served_ : 0;
  Outcome outcome = attempt(test, second);
  if ((outcome.status != Status::Crash && !is_protocol_failure(outcome)) || earlier == 0) return outcome;
  // Memory that an earlier case damaged, or a line it left behind, may be the reason: only what happens to the case
  // alone is the case's.
  Outcome alone = attempt(test, second);
  alone.detail =
      fmt::format("A worker that had run {} earlier cases failed on this one ({}); this is what a fresh one did.\n{}",
                  earlier, outcome.kind, alone.detail);
  return alone;
}

}  // namespace

Result<std::unique_ptr<Target>> make_external_target(std::string name, std::vector<std::string> command,
                                                     const ExternalOptions& options) {
  auto target = std::make_unique<ExternalTarget>(std::move(name), std::move(command), options);
  TRY_VOID(target->start());
  return std::unique_ptr<Target>(std::move(target));
}

}  // namespace parallax
