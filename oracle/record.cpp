#include "oracle/record.h"

#include "core/check.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"
#include "oracle/legal_run.h"

namespace parallax {
namespace {

// What the sources hold before the first node: their data, or their part of the feed.
void record_sources(const Case& test, std::vector<Tensor>& values) {
  std::vector<std::vector<std::byte>> storages(test.graph.storages.size());
  auto fill = [&](StorageId id, const Layout& layout, const Tensor& data) {
    std::vector<std::byte>& bytes = storages[id.index];
    bytes.resize(static_cast<std::size_t>(test.graph.storage(id).elements * size_of(data.dtype)));
    scatter(data, layout, bytes.data());
  };
  const std::vector<FeedSlot> slots = feed_slots(test.graph);
  for (std::size_t i = 0; i < slots.size(); ++i) fill(slots[i].storage, slots[i].layout, test.feed[i]);
  for (std::size_t i = 0; i < test.graph.storages.size(); ++i) {
    const Storage& storage = test.graph.storages[i];
    if (storage.data) fill(StorageId(i), contiguous_layout(storage.sizes), *storage.data);
  }
  for (const Source& source : test.graph.sources) {
    const TensorMeta& meta = test.graph.meta(source.value);
    const bool has_data = source.kind != SourceKind::Input && !source.window;
    values[source.value.index] =
        has_data ? source.data : gather(meta.dtype, meta.layout, storages[meta.storage.index].data());
  }
}

// Runs the program in a style, and hands every result over right after its node ran; false where eager refuses it.
template <class F>
bool run_in(const LegalRun::Style& style, const Case& test, F record) {
  const Profile* eager = find_profile("eager");
  PARALLAX_CHECK(eager != nullptr);
  LegalRun run(test.graph, style);
  Interpreter interpreter(test.graph, *eager);
  const auto done = interpreter.run(
      test.feed,
      [&](NodeId node, std::span<const BallView> views) {
        run.decide(node, views);
        for (const ValueId result : test.graph.node(node).results) record(result, snapshot(views[result.index]));
      },
      [&](const Node& node, std::span<const BallView> views) { run.decide(node, views); });
  return done.has_value();
}

}  // namespace

std::optional<std::vector<Tensor>> record_values(const Case& test) {
  std::vector<Tensor> values(test.graph.metas.size());
  record_sources(test, values);
  const auto record = [&](ValueId value, const BallTensor& result) { values[value.index] = centre(result); };
  if (!run_in(LegalRun::rounded(), test, record)) return std::nullopt;
  return values;
}

std::optional<std::vector<BallTensor>> record_doubles(const Case& test) {
  std::vector<BallTensor> values(test.graph.metas.size());
  const auto record = [&](ValueId value, BallTensor result) { values[value.index] = std::move(result); };
  if (!run_in(LegalRun::in_double(), test, record)) return std::nullopt;
  return values;
}

}  // namespace parallax
