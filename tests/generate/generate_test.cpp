#include "fuzz/generate/generate.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "core/choices.h"
#include "fuzz/generate/alias_relation.h"
#include "fuzz/generate/op_coverage.h"
#include "fuzz/generate/single_op.h"
#include "fuzz/generate/vocabulary.h"
#include "fuzz/generate/weights.h"
#include "graph/case_json.h"
#include "graph/runs.h"
#include "ops/profiles.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// What must hold of a case whatever tape it came from; checked without reading JSON so that many tapes can be tried.
void expect_valid(const Case& test) {
  const Graph& graph = test.graph;
  ASSERT_FALSE(graph.sources.empty());
  ASSERT_FALSE(graph.outputs.empty());
  const std::vector<FeedSlot> slots = feed_slots(graph);
  ASSERT_EQ(slots.size(), test.feed.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    ASSERT_EQ(test.feed[i].dtype, slots[i].dtype);
    ASSERT_EQ(test.feed[i].sizes, slots[i].layout.sizes);
  }
}

std::vector<uint8_t> random_tape(Choices& choices, std::size_t length) {
  std::vector<uint8_t> tape(length);
  for (uint8_t& byte : tape) byte = static_cast<uint8_t>(choices.below(256));
  return tape;
}

TEST(Generate, IsTotalOverRandomTapes) {
  const char* all = std::getenv("PARALLAX_TEST_ALL");  // as ./parallax test --all sets it
  const int tapes = all && std::string_view(all) == "1" ? 10'000'000 : 200'000;
  Choices lengths(41, 0);
  for (int i = 0; i < tapes; ++i) {
    Choices bytes(42, static_cast<uint64_t>(i));
    // Most tapes are shorter than what a case reads; some are longer.
    const std::size_t length = lengths.chance(2) ? lengths.below(2000) : lengths.below(60);
    const std::vector<uint8_t> tape = random_tape(bytes, length);
    Choices choices(tape);
    expect_valid(generate(choices, {.max_nodes = 8}));
    ASSERT_FALSE(::testing::Test::HasFailure()) << "tape " << i;
  }
}

// Sizes that change are drawn where every target takes several runs, and hold at each of them.
TEST(Generate, DrawsSizesThatChange) {
  GenerateOptions options;
  options.profile = GenerateProfile::Shape;
  int symbolic = 0;
  int of_two = 0;
  std::set<std::size_t> runs;
  for (uint64_t k = 0; k < 400; ++k) {
    Choices choices(9, k);
    const Case test = generate(choices, options);
    const Result<void> valid = check_runs(test);
    ASSERT_TRUE(valid) << k << ": " << valid.error().text();
    if (test.symbols.empty()) continue;
    ++symbolic;
    of_two += test.symbols.list.size() == 2;
    runs.insert(1 + test.later.size());
    Choices again(9, k);
    EXPECT_EQ(to_json(generate(again, options)), to_json(test));
    const Result<Case> read = parse_case(to_json(test));
    ASSERT_TRUE(read) << k << ": " << read.error().text();
    EXPECT_EQ(to_json(*read), to_json(test)) << k;
  }
  EXPECT_GT(symbolic, 60);
  EXPECT_GT(of_two, 10);
  EXPECT_EQ(runs, (std::set<std::size_t>{2, 3, 4, 5, 6, 7, 8}));
}

// Sizes in a relation, and calls whose numbers follow the sizes.
TEST(Generate, DrawsDynamicGraphs) {
  int symbolic = 0;
  int related = 0;
  int numbers = 0;
  int opened = 0;
  int empty = 0;
  for (uint64_t k = 0; k < 400; ++k) {
    Choices choices(4, k);
    const Case test = generate(choices, {.profile = GenerateProfile::Dynamic});
    const Result<void> valid = check_runs(test);
    ASSERT_TRUE(valid) << k << ": " << valid.error().text();
    symbolic += !test.symbols.empty();
    related += std::ranges::any_of(test.symbols.dims,
                                   [](const SymbolicDim& dim) { return dim.of != Relation{dim.of.symbol}; });
    numbers += !test.symbols.numbers.empty();
    empty += std::ranges::any_of(test.symbols.list, [](const Symbol& symbol) { return symbol.low == 0; });
    for (const Node& node : test.graph.nodes) {
      if (node.op->name != "aten.view.default" || test.symbols.empty()) continue;
      opened += std::ranges::count(std::get<IntList>(node.arguments[1]), -1) > 0;
    }
    EXPECT_EQ(to_json(parse_case(to_json(test)).value()), to_json(test)) << k;
  }
  EXPECT_GT(symbolic, 240);
  EXPECT_GT(related, 8);
  EXPECT_GT(numbers, 60);
  EXPECT_GT(opened, 10);
  EXPECT_GT(empty, 10);
}

TEST(Generate, IsTotalOverUniformTapes) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t length : {0U, 1U, 7U, 100U, 5000U}) {
      const std::vector<uint8_t> tape(length, static_cast<uint8_t>(byte));
      Choices choices(tape);
      expect_valid(generate(choices, {}));
      ASSERT_FALSE(::testing::Test::HasFailure()) << length << " times " << byte;
    }
  }
}

TEST(Generate, TakesEveryProfileByName) {
  for (const GenerateWeights& weights : generate_weights) {
    const auto profile = parse_generate_profile(weights.name);
    ASSERT_TRUE(profile.has_value());
    EXPECT_EQ(name(*profile), weights.name);
    EXPECT_EQ(generate_weights[static_cast<std::size_t>(*profile)].name, weights.name);
    for (uint64_t stream = 0; stream < 200; ++stream) {
      Choices choices(43, stream);
      expect_valid(generate(choices, {.profile = *profile}));
    }
  }
  EXPECT_FALSE(parse_generate_profile("no such profile").has_value());
}

TEST(Generate, GivesTheSameBytesForTheSameSeed) {
  for (uint64_t stream = 0; stream < 200; ++stream) {
    Choices first(44, stream);
    Choices second(44, stream);
    EXPECT_EQ(to_json(generate(first, {})), to_json(generate(second, {}))) << "stream " << stream;
  }
}

TEST(Generate, ReplaysTheTapeThatASeedWrote) {
  for (uint64_t stream = 0; stream < 200; ++stream) {
    Choices seeded(45, stream);
    const std::string json = to_json(generate(seeded, {}));
    const std::vector<uint8_t> tape = seeded.tape();
    Choices replayed(tape);
    EXPECT_EQ(to_json(generate(replayed, {})), json) << "stream " << stream;
  }
}

TEST(Generate, MakesCasesThatReadBackEqual) {
  for (uint64_t stream = 0; stream < 1000; ++stream) {
    Choices choices(46, stream);
    const std::string json = to_json(generate(choices, {}));
    const Result<Case> read = parse_case(json);
    ASSERT_TRUE(read.has_value()) << "stream " << stream << ": " << read.error().text() << "\n" << json;
    EXPECT_EQ(to_json(*read), json) << "stream " << stream;
  }
}

TEST(Generate, KeepsToTheNumberOfNodes) {
  for (uint64_t stream = 0; stream < 500; ++stream) {
    Choices choices(47, stream);
    const std::size_t nodes = generate(choices, {.min_nodes = 3, .max_nodes = 5}).graph.nodes.size();
    EXPECT_GE(nodes, 3u) << "stream " << stream;
    EXPECT_LE(nodes, 5u) << "stream " << stream;
  }
}

TEST(Generate, MarksNodesOperandsAndFeedOnTheTape) {
  Choices choices(48, 1);
  const Case test = generate(choices, {});
  std::map<std::string_view, std::size_t> labels;
  for (const Choices::Span& span : choices.spans()) {
    EXPECT_LE(span.begin, span.end);
    ++labels[span.label];
  }
  EXPECT_GE(labels["node"], test.graph.nodes.size());
  EXPECT_GE(labels["operands"], test.graph.nodes.size());
  EXPECT_GE(labels["feed"], test.feed.size());
}

TEST(Generate, ReachesEveryAliasRelationAndEveryOp) {
  constexpr int cases = 8000;
  AliasRelations seen;
  std::set<std::string_view> ops;
  int writing_and_aliasing = 0;
  for (uint64_t stream = 0; stream < cases; ++stream) {
    Choices choices(49, stream);
    const Case test = generate(choices, {});
    const AliasRelations relations = alias_relations(test.graph);
    seen |= relations;
    for (const Node& node : test.graph.nodes) ops.insert(node.op->name);
    const auto has = [&](AliasRelation relation) { return relations.test(static_cast<std::size_t>(relation)); };
    const bool writes = has(AliasRelation::WriteToInput) || has(AliasRelation::WriteToBuffer) ||
                        has(AliasRelation::WriteToIntermediate);
    const bool aliases = has(AliasRelation::ViewOfInput) || has(AliasRelation::ViewOfConstant) ||
                         has(AliasRelation::ViewOfBuffer) || has(AliasRelation::ViewOfIntermediate);
    writing_and_aliasing += writes && aliases;
  }
  for (std::size_t i = 0; i < alias_relation_count; ++i) {
    EXPECT_TRUE(seen.test(i)) << name(static_cast<AliasRelation>(i));
  }
  // A few ops need shapes that a pool of small tensors rarely holds.
  std::vector<std::string_view> unseen;
  std::size_t sampled = 0;
  for (const Op& op : all_ops()) {
    sampled += op.sample != nullptr;
    if (op.sample != nullptr && !ops.contains(op.name)) unseen.push_back(op.name);
  }
  EXPECT_LE(unseen.size(), sampled / 25) << ::testing::PrintToString(unseen);
  EXPECT_GE(writing_and_aliasing, cases / 2);
}

// What a night of one machine draws by the million is there after a hundred and fifty thousand graphs.
TEST(Generate, DrawsEveryFamilyAtEveryDtypeItSupports) {
  using Pair = std::pair<std::string_view, DType>;
  std::map<Pair, int> drawn;  // calls, by family and dtype of the first operand
  for (const OpCoverage& known : op_coverage()) {
    if (!known.generated || !known.dtypes) continue;
    for (std::size_t d = 0; d < dtype_count; ++d) {
      if ((*known.dtypes)[d]) drawn.try_emplace({known.op->family, static_cast<DType>(d)}, 0);
    }
  }
  for (uint64_t k = 0; k < 150'000; ++k) {
    Choices choices(11, k);
    const Case test = generate(choices, {.profile = GenerateProfile::All});
    for (const Node& node : test.graph.nodes) {
      if (const auto dtype = first_dtype(node.arguments, test.graph)) ++drawn[{node.op->family, *dtype}];
    }
  }
  for (const auto& [pair, calls] : drawn) EXPECT_GT(calls, 0) << pair.first << " " << name(pair.second);
}

TEST(Vocabulary, HaveEveryOpInOneGroup) {
  std::size_t sampled = 0;
  for (std::size_t i = 0; i < op_group_count; ++i) {
    for (const Op* op : Vocabulary::all().of(static_cast<OpGroup>(i))) {
      EXPECT_EQ(op->group, static_cast<OpGroup>(i)) << op->name;
      ++sampled;
    }
  }
  std::size_t expected = 0;
  for (const Op& op : all_ops()) expected += op.sample != nullptr;
  EXPECT_EQ(sampled, expected);
  EXPECT_EQ(op_named("aten.add.Tensor").group, OpGroup::Pointwise);
  EXPECT_EQ(op_named("aten.add_.Tensor").group, OpGroup::Write);
  EXPECT_EQ(op_named("aten.select.int").group, OpGroup::View);
  EXPECT_EQ(op_named("aten.clone.default").group, OpGroup::Copy);
}

// A target that takes views, add and a comparison alone, of f64 and i32.
class Narrow : public Target {
 public:
  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return *find_profile("eager"); }
  bool takes(const Op& op) const override {
    return op.is_view() || op.name == "aten.add.Tensor" || op.name == "aten.lt.Tensor";
  }
  bool takes_dtype(DType dtype) const override { return dtype == DType::F64 || dtype == DType::I32; }
  Outcome run(const Case&, const std::vector<Tensor>*) override { return {}; }

 private:
  std::string name_ = "narrow";
};

// A target of few dtypes, of fewer still for one op, and of row-major sources.
class FewDtypes : public Narrow {
 public:
  bool takes(const Op&) const override { return true; }
  bool takes_dtype(DType dtype) const override { return dtype == DType::F32 || dtype == DType::I64; }
  bool takes_call(const Op& op, DType dtype) const override {
    return takes_dtype(dtype) && (op.name != "aten.add.Tensor" || dtype == DType::F32);
  }
  bool takes_strided_sources() const override { return false; }
};

TEST(Vocabulary, HoldsTheDtypesCallsAndSourcesThatEveryTargetTakes) {
  const FewDtypes few;
  const Vocabulary words = Vocabulary::taken_by({&few});
  EXPECT_FALSE(words.whole());
  GenerateOptions options;
  options.words = &words;
  int integers = 0;
  for (uint64_t k = 0; k < 500; ++k) {
    Choices choices(5, k);
    const Graph graph = generate(choices, options).graph;
    for (const TensorMeta& meta : graph.metas) {
      EXPECT_TRUE(few.takes_dtype(meta.dtype)) << "seed 5 case " << k << ": " << name(meta.dtype);
      integers += meta.dtype == DType::I64;
    }
    for (const Source& source : graph.sources) {
      const Layout& layout = graph.meta(source.value).layout;
      EXPECT_EQ(layout.strides, contiguous_layout(layout.sizes).strides) << "seed 5 case " << k;
    }
    for (const Node& node : graph.nodes) {
      const auto dtype = first_dtype(node.arguments, graph);
      EXPECT_TRUE(!dtype || few.takes_call(*node.op, *dtype)) << "seed 5 case " << k << ": " << node.op->name;
    }
  }
  EXPECT_GT(integers, 0);
}

TEST(Vocabulary, AreThoseThatEveryTargetTakes) {
  const Narrow narrow;
  const Vocabulary words = Vocabulary::taken_by({&narrow});
  EXPECT_EQ(words.of(OpGroup::Pointwise).size(), 1U);
  EXPECT_TRUE(words.of(OpGroup::Write).empty());
  EXPECT_EQ(words.of(OpGroup::View).size(), Vocabulary::all().of(OpGroup::View).size());
  GenerateOptions options;
  options.words = &words;
  for (uint64_t k = 0; k < 200; ++k) {
    Choices choices(5, k);
    const Graph graph = generate(choices, options).graph;
    for (const Node& node : graph.nodes) EXPECT_TRUE(narrow.takes(*node.op)) << node.op->name;
    for (const TensorMeta& meta : graph.metas) EXPECT_TRUE(narrow.takes_dtype(meta.dtype)) << name(meta.dtype);
  }
}

// A target of everything, of whose profile the test says what it leaves open.
class Open : public FewDtypes {
 public:
  explicit Open(std::string_view profile) : profile_(find_profile(profile)) {}
  const Profile& profile() const override { return *profile_; }

 private:
  const Profile* profile_;
};

TEST(Vocabulary, KnowsWhatProfilesLeaveOpen) {
  const Open portable("portable");
  const Open ncnn("ncnn");
  const Open openvino("openvino");
  const Vocabulary closed = Vocabulary::taken_by({&portable});
  EXPECT_FALSE(closed.loses_nan() || closed.loses_powers() || closed.rounds_quotients() || closed.flushes());
  const Vocabulary open = Vocabulary::taken_by({&portable, &ncnn});
  EXPECT_TRUE(open.loses_nan() && open.loses_powers() && open.rounds_quotients());
  EXPECT_FALSE(open.flushes());
  const Vocabulary flushing = Vocabulary::taken_by({&openvino});
  EXPECT_TRUE(flushing.loses_nan() && flushing.flushes() && flushing.rounds_quotients());
  EXPECT_FALSE(flushing.loses_powers());
}

TEST(Vocabulary, LeavesOutWhatIsNotToBeDrawn) {
  const FewDtypes few;
  const auto wanted = [](const Op& op, DType dtype) {
    return op.group != OpGroup::Reduction && (op.group != OpGroup::Pointwise || dtype != DType::F32);
  };
  const Vocabulary words = Vocabulary::taken_by({&few}, wanted);
  EXPECT_TRUE(words.of(OpGroup::Reduction).empty());
  EXPECT_FALSE(words.of(OpGroup::Pointwise).empty());
  GenerateOptions options;
  options.words = &words;
  int pointwise = 0;
  for (uint64_t k = 0; k < 200; ++k) {
    Choices choices(5, k);
    const Graph graph = generate(choices, options).graph;
    for (const Node& node : graph.nodes) {
      const auto dtype = first_dtype(node.arguments, graph);
      EXPECT_TRUE(!dtype || wanted(*node.op, *dtype)) << "seed 5 case " << k << ": " << node.op->name;
      pointwise += node.op->group == OpGroup::Pointwise;
    }
  }
  EXPECT_GT(pointwise, 0);
}

// A target whose delegate takes two ops of halves, and whose inputs are not written.
class Delegating : public Narrow {
 public:
  bool takes(const Op& op) const override { return op.name != "aten.exp.default"; }
  bool takes_dtype(DType) const override { return true; }
  bool takes_written_inputs() const override { return false; }
  bool delegates(const Op& op, DType dtype) const override {
    return (op.name == "aten.sin.default" || op.name == "aten.exp.default" || op.name == "aten.mul.Tensor") &&
           dtype == DType::F16;
  }
};

TEST(Vocabulary, GivesDelegatesSomethingAndLeavesInputsAlone) {
  const Delegating delegating;
  const FewDtypes few;
  EXPECT_TRUE(Vocabulary::taken_by({&few}).delegated().empty());
  const Vocabulary words = Vocabulary::taken_by({&delegating});
  EXPECT_EQ(words.delegated().size(), 2U);  // nobody takes exp
  EXPECT_EQ(words.delegated_dtypes().count(), 1U);
  GenerateOptions options;
  options.words = &words;
  int with_one = 0;
  int writing = 0;
  constexpr int graphs = 200;
  for (uint64_t k = 0; k < graphs; ++k) {
    Choices choices(5, k);
    const Graph graph = generate(choices, options).graph;
    with_one += std::ranges::any_of(graph.nodes, [&](const Node& node) {
      const auto dtype = first_dtype(node.arguments, graph);
      return dtype && words.delegates(*node.op, *dtype);
    });
    const std::vector<bool> written = written_storages(graph);
    writing += std::ranges::count(written, true) > 0;
    for (const Source& source : graph.sources) {
      if (source.kind != SourceKind::Input) continue;
      EXPECT_FALSE(written[graph.meta(source.value).storage.index]) << "seed 5 case " << k;
    }
  }
  EXPECT_GT(with_one, graphs * 95 / 100);
  EXPECT_GT(writing, graphs / 2);  // to buffers and to what nodes made
}

TEST(Vocabulary, HoldsTheBranchesAndLoopsThatEveryTargetTakes) {
  class Branching : public Delegating {
   public:
    ControlKinds control_kinds() const override { return kinds; }
    ControlKinds kinds;
  };
  Branching branching;
  branching.kinds.set(place_of(ControlKind::Cond)).set(place_of(ControlKind::Scan));
  const Vocabulary words = Vocabulary::taken_by({&branching});
  GenerateOptions options;
  options.words = &words;
  options.profile = GenerateProfile::Control;
  ControlKinds drawn;
  for (uint64_t k = 0; k < 200; ++k) {
    Choices choices(6, k);
    drawn |= control_kinds(generate(choices, options).graph);
  }
  EXPECT_EQ(drawn, branching.kinds) << "seed 6";
}

TEST(Vocabulary, IsAllWhereNothingIsTaken) {
  class Nothing : public Narrow {
   public:
    bool takes(const Op&) const override { return false; }
    bool takes_dtype(DType) const override { return false; }
  };
  const Nothing nothing;
  const Vocabulary words = Vocabulary::taken_by({&nothing});
  EXPECT_EQ(words.of(OpGroup::View).size(), Vocabulary::all().of(OpGroup::View).size());
  EXPECT_TRUE(words.whole());
}

}  // namespace
}  // namespace parallax
