#include "fuzz/generate/attention_operations.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "graph/graph_writer.h"
#include "tests/support/golden.h"

namespace parallax {
namespace {

// What draws and keeps an operation, in a program of its own.
struct Program {
  GraphBuilder builder;
  Pool pool;
  std::optional<AttentionOperation> drawn;

  Program(uint64_t seed, bool takes_sources) {
    Choices choices(seed, 0);
    const StructureSite::AddSource source = [&](SourceKind kind, DType dtype, const Dims& sizes) {
      if (!takes_sources) return ValueId();
      return *builder.add_source(kind, builder.fresh_name("x"), dtype, contiguous_layout(sizes),
                                 kind == SourceKind::Input ? Tensor() : Tensor(dtype, sizes));
    };
    ControlSite site{choices, builder, pool, {}, {}, source, true, {}};
    drawn = draw_attention_operation(site);
  }
};

// The Python adapter that tells these references from others is tested on the same file
// (adapters/tests/test_llm_operations.py).
TEST(AttentionOperations, ReferencesAreWrittenInOneFormEach) {
  std::map<std::string, Json> references;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Program program(seed, true);
    ASSERT_TRUE(program.drawn) << seed;
    const Subgraph& reference = program.drawn->reference;
    ASSERT_EQ(reference.graph->sources.size(), program.drawn->operands.size());
    std::set<std::string_view> ops;
    for (const Node& node : reference.graph->nodes) ops.insert(node.op->name);
    std::string form = reference.name.substr(0, reference.name.rfind('_'));
    if (ops.contains("aten.tril.default")) form += ", no later place";
    if (ops.contains("aten.repeat_interleave.self_int")) form += ", grouped heads";
    references.try_emplace(std::move(form), graph_json(*reference.graph));
  }
  EXPECT_EQ(references.size(), 9U);
  expect_golden(Json(references).dump(1) + "\n", "attention_operations.json");
}

TEST(AttentionOperations, AreNotDrawnWhereTheProgramGetsNoSources) {
  for (uint64_t seed = 0; seed < 20; ++seed) EXPECT_FALSE(Program(seed, false).drawn) << seed;
}

}  // namespace
}  // namespace parallax
