// F22: after a resize offsets are worked out anew only if the rank or the total size of the inputs has changed
// (llama.cpp #16396, ONNX Runtime #28359, TensorFlow #26549, MNN #2040).
#include "compiler/faults.h"

namespace parallax {
namespace {

bool same_ranks_and_total(const Program& planned, const Program& resized) {
  int64_t difference = 0;
  bool same_ranks = true;
  for (const Source& source : planned.graph.sources) {
    if (source.kind != SourceKind::Input) continue;
    const Layout& before = planned.graph.meta(source.value).layout;
    const Layout& now = resized.graph.meta(source.value).layout;
    same_ranks = same_ranks && before.rank() == now.rank();
    difference += now.numel() - before.numel();
  }
  return same_ranks && difference == 0;
}

}  // namespace

const Fault stale_plan_on_resize = {
    "F22",
    "stale plan on resize",
    "planner",
    "a plan is kept at other sizes of the inputs if their ranks and their total size are the same",
    "llama.cpp#16396, onnxruntime#28359, tensorflow#26549, MNN#2040",
    [](CompilerParts& parts) { parts.resize.keeps_plan = same_ranks_and_total; },
};

}  // namespace parallax
