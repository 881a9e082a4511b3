#include "graph/runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {
namespace {

std::unexpected<Error> of_run(std::size_t run, Error error) {
  error.reason = fmt::format("run {}: {}", run + 1, error.reason);
  return std::unexpected(std::move(error));
}

// A buffer, whatever graph it is of.
struct SharedBuffer {
  std::string name;
  DType dtype;
  Layout layout;
  bool window;
  Tensor data;  // its own, or that of the storage that it is a window on

  friend bool operator==(const SharedBuffer&, const SharedBuffer&) = default;
};

std::vector<SharedBuffer> buffers_of(const Graph& graph) {
  std::vector<SharedBuffer> buffers;
  for (const Source& source : graph.sources) {
    if (source.kind != SourceKind::Buffer) continue;
    const TensorMeta& meta = graph.meta(source.value);
    const Tensor& data = source.window ? *graph.storage(meta.storage).data : source.data;
    buffers.push_back({graph.name(source.value), meta.dtype, meta.layout, source.window, data});
  }
  return buffers;
}

Result<void> check_methods(const Case& test) {
  for (const Method& method : test.methods) {
    if (buffers_of(method.graph) != buffers_of(test.graph))
      return fail("method '{}' has other buffers than the graph", method.name);
  }
  for (std::size_t run = 0; run < test.later.size(); ++run) {
    if (test.later[run].method > test.methods.size()) return fail("run {}: there is no such method", run + 2);
  }
  return {};
}

Result<void> check_feed(const Graph& graph, const std::vector<Tensor>& feed) {
  const std::vector<FeedSlot> slots = feed_slots(graph);
  if (slots.size() != feed.size()) return fail("{} tensors are fed to {} inputs", feed.size(), slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Dims& sizes = slots[i].layout.sizes;
    if (feed[i].dtype == slots[i].dtype && feed[i].sizes == sizes) continue;
    return fail("'{}' is {} and not {}", slots[i].name, type_text(slots[i].dtype, sizes),
                type_text(feed[i].dtype, feed[i].sizes));
  }
  return {};
}

}  // namespace

const Graph& called_graph(const Case& test, std::size_t run) {
  const std::size_t method = run == 0 ? 0 : test.later[run - 1].method;
  return method == 0 ? test.graph : test.methods[method - 1].graph;
}

Result<Graph> graph_of_run(const Case& test, std::size_t run) {
  if (run == 0 || test.symbols.empty()) return called_graph(test, run);
  return at_sizes(test.graph, test.symbols, test.later[run - 1].sizes);
}

bool has_several_instances(const Case& test) {
  return std::ranges::any_of(test.later, [](const LaterRun& run) { return run.instance != 0; });
}

SymbolSizes sizes_of_run(const Case& test, std::size_t run) {
  return run == 0 ? sizes_of(test.graph, test.symbols) : test.later[run - 1].sizes;
}

const std::vector<Tensor>& feed_of_run(const Case& test, std::size_t run) {
  return run == 0 ? test.feed : test.later[run - 1].feed;
}

Result<Case> case_of_run(const Case& test, std::size_t run) {
  Case one = test;
  auto graph = graph_of_run(test, run);
  if (!graph) return of_run(run, std::move(graph).error());
  one.graph = *std::move(graph);
  one.feed = feed_of_run(test, run);
  if (run > 0) one.expect = test.later[run - 1].expect;
  one.symbols = {};
  one.later.clear();
  one.methods.clear();
  return one;
}

Result<void> check_runs(const Case& test) {
  TRY_VOID(check_methods(test));
  if (!has_several_runs(test)) return {};
  TRY([[maybe_unused]] const Graph bound, at_sizes(test.graph, test.symbols, test.symbols.bound()));
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    const Result<Graph> graph = graph_of_run(test, run);
    if (!graph) return of_run(run, graph.error());
    const auto fits = check_feed(*graph, feed_of_run(test, run));
    if (!fits) return of_run(run, fits.error());
  }
  return {};
}

}  // namespace parallax
