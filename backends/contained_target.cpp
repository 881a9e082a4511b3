#include "backends/contained_target.h"

#include "graph/second_feed.h"

namespace parallax {
namespace {

class ContainedTarget final : public Target {
 public:
  ContainedTarget(std::unique_ptr<Target> inside, std::unique_ptr<Target> worker)
      : inside_(std::move(inside)), worker_(std::move(worker)) {}

  const std::string& name() const override { return worker_->name(); }
  const Profile& profile() const override { return inside_->profile(); }
  bool promises_identity() const override { return inside_->promises_identity(); }
  std::vector<std::pair<std::string, std::string>> versions() const override { return worker_->versions(); }
  bool takes(const Op& op) const override { return inside_->takes(op); }
  bool takes_dtype(DType dtype) const override { return inside_->takes_dtype(dtype); }
  bool takes_call(const Op& op, DType dtype) const override { return inside_->takes_call(op, dtype); }
  bool takes_strided_sources() const override { return inside_->takes_strided_sources(); }
  bool takes_written_inputs() const override { return inside_->takes_written_inputs(); }
  bool delegates(const Op& op, DType dtype) const override { return inside_->delegates(op, dtype); }
  bool takes_gradients() const override { return inside_->takes_gradients(); }
  bool takes_several_runs() const override { return worker_->takes_several_runs(); }
  bool takes_instances() const override { return worker_->takes_instances(); }
  bool takes_methods() const override { return worker_->takes_methods(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override { return worker_->run(test, second); }

  void forget_program() override { worker_->forget_program(); }
  double processor_seconds() override { return worker_->processor_seconds(); }

  // Nothing of the library is called for it.
  std::vector<std::string> partitions(const Case& test) override { return inside_->partitions(test); }

  std::vector<Diagnosis> explain(const Case& test) override {
    const std::vector<Tensor> second = second_feed(test);
    const Status status = worker_->run(test, &second).status;
    if (status == Status::Crash || status == Status::Hang) return {};
    return inside_->explain(test);
  }

 private:
  std::unique_ptr<Target> inside_;
  std::unique_ptr<Target> worker_;
};

}  // namespace

Result<std::unique_ptr<Target>> make_contained_target(std::unique_ptr<Target> inside, std::vector<std::string> command,
                                                      const ExternalOptions& options) {
  const std::string name = inside->name();
  TRY(std::unique_ptr<Target> worker, make_external_target(name, std::move(command), options));
  return std::make_unique<ContainedTarget>(std::move(inside), std::move(worker));
}

}  // namespace parallax
