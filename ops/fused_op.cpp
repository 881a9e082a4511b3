#include "ops/fused_op.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>

namespace parallax {
namespace {

// Which parts there are and what each reads, as text: "aten.relu.default(0)".
std::string structure_of(const std::vector<FusedPart>& parts) {
  std::string text;
  for (const FusedPart& part : parts) {
    text += (text.empty() ? "" : " ") + part.op->name + "(";
    for (std::size_t p = 0; p < part.reads.size(); ++p) {
      for (const int made_by : part.reads[p]) text += fmt::format("{}:{} ", p, made_by);
    }
    text += ")";
  }
  return text;
}

// "quantize_per_tensor+linear": what people call it by.
std::string short_name(const std::vector<FusedPart>& parts) {
  std::string text;
  for (const FusedPart& part : parts) text += (text.empty() ? "" : "+") + part.op->schema.name;
  return text;
}

Result<std::vector<ResultMeta>> infer_fused(const Call& call) {
  TRY(const FusedSteps steps, FusedSteps::of(call));
  const TensorMeta& last = steps.metas().back();
  return std::vector<ResultMeta>{{last.dtype, last.layout, ValueId()}};
}

// The interpreter runs the parts: each goes by the forms of its own op.
Result<void> run_nowhere(const ReferenceCall& call) { return fail("{} is run part by part", call.op().name); }

std::unique_ptr<const FusedOp> made(const std::vector<FusedPart>& parts) {
  auto op = std::make_unique<FusedOp>();
  op->parts = parts;
  op->schema.library = "parallax";
  op->schema.name = "fused";
  op->schema.overload = short_name(parts);
  op->schema.positions.fill(-1);
  op->schema.returns = {ReturnSpec()};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    op->first.push_back(op->schema.parameters.size());
    const std::vector<Parameter>& own = parts[k].op->schema.parameters;
    for (std::size_t p = 0; p < own.size(); ++p) {
      Parameter parameter = own[p];
      parameter.name = fmt::format("{}_{}", own[p].name, k);
      parameter.keyword_only = false;
      parameter.default_value.reset();
      parameter.optional = parameter.optional || !parts[k].reads[p].empty();
      parameter.optional_elements = parameter.optional_elements || !parts[k].reads[p].empty();
      op->schema.parameters.push_back(std::move(parameter));
    }
  }
  op->name = op->schema.qualified_name();
  op->schema_text = structure_of(parts);
  op->infer = infer_fused;
  op->reference = run_nowhere;
  op->group = OpGroup::Scatter;
  op->family = "fused";
  op->index = -1;
  return op;
}

// Memory for what a part hands on, and the view of it.
BallView fresh_view(const TensorMeta& meta, std::vector<std::unique_ptr<BallStorage>>& memory) {
  memory.push_back(std::make_unique<BallStorage>(meta.dtype, meta.layout.extent()));
  return {memory.back().get(), meta.dtype, meta.layout};
}

}  // namespace

const FusedOp& fused_op(const std::vector<FusedPart>& parts) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const FusedOp>> records;
  const std::scoped_lock lock(mutex);
  std::unique_ptr<const FusedOp>& record = records[structure_of(parts)];
  if (!record) record = made(parts);
  return *record;
}

const FusedOp* as_fused(const Op& op) { return op.infer == infer_fused ? static_cast<const FusedOp*>(&op) : nullptr; }

Result<FusedSteps> FusedSteps::of(const Call& call) {
  FusedSteps steps;
  steps.op_ = as_fused(call.op());
  PARALLAX_CHECK(steps.op_ != nullptr);
  steps.outside_ = call.metas().size();
  steps.metas_.assign(call.metas().begin(), call.metas().end());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const FusedPart& part = steps.op_->parts[k];
    const auto own = call.arguments().subspan(steps.op_->first[k], part.reads.size());
    std::vector<Argument>& arguments = steps.arguments_.emplace_back(own.begin(), own.end());
    for (std::size_t p = 0; p < arguments.size(); ++p) {
      const std::vector<int>& reads = part.reads[p];
      if (reads.empty()) continue;
      if (auto* list = std::get_if<ValueList>(&arguments[p])) {
        for (std::size_t i = 0; i < reads.size(); ++i) {
          if (reads[i] != FusedPart::outside) (*list)[i] = steps.result(static_cast<std::size_t>(reads[i]));
        }
      } else {
        arguments[p] = steps.result(static_cast<std::size_t>(reads.front()));
      }
    }
    TRY(const std::vector<ResultMeta> results, part.op->infer(steps.part(k)));
    const std::size_t storage = steps.metas_.size();  // as good as any: nothing is laid out by it
    steps.metas_.push_back({results.front().dtype, results.front().layout, StorageId(storage)});
  }
  return steps;
}

int FusedSteps::maker(ValueId value) const {
  return value.index < outside_ ? FusedPart::outside : static_cast<int>(value.index - outside_);
}

Result<void> run_fused(const Call& call, std::span<const BallView> views, const BallView& output,
                       const Profile& profile, bool* may_raise) {
  TRY(const FusedSteps steps, FusedSteps::of(call));
  std::vector<BallView> all(views.begin(), views.end());
  std::vector<std::unique_ptr<BallStorage>> memory;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const bool last = k + 1 == steps.size();
    all.push_back(last ? output : fresh_view(steps.metas()[steps.result(k).index], memory));
    const Call part = steps.part(k);
    TRY_VOID(part.op().reference(ReferenceCall(part, all, std::span(&all.back(), 1), profile, may_raise)));
  }
  return {};
}

}  // namespace parallax
