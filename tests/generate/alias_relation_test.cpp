#include "fuzz/generate/alias_relation.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "graph/builder.h"
#include "ops/registry.h"

namespace parallax {
namespace {

Argument number(int64_t n) { return Scalar(n); }

// A builder with an input x: f32[2,3], an input y of the same type, a constant c and a buffer s.
struct Fixture : GraphBuilder {
  ValueId x = source(SourceKind::Input, "x");
  ValueId y = source(SourceKind::Input, "y");
  ValueId c = source(SourceKind::Constant, "c");
  ValueId s = source(SourceKind::Buffer, "s");

  ValueId source(SourceKind kind, const char* source_name) {
    const Dims sizes{2, 3};
    return *add_source(kind, source_name, DType::F32, contiguous_layout(sizes),
                       kind == SourceKind::Input ? Tensor() : Tensor(DType::F32, sizes));
  }
  ValueId neg(ValueId value) { return *call("aten.neg.default", {value}); }
  ValueId neg_(ValueId value) { return *call("aten.neg_.default", {value}); }
  ValueId clone(ValueId value) { return *call("aten.clone.default", {value}); }
  ValueId row(ValueId value) { return *call("aten.select.int", {value, number(0), number(0)}); }
  ValueId column(ValueId value) { return *call("aten.select.int", {value, number(1), number(0)}); }
  ValueId add(ValueId a, ValueId b) { return *call("aten.add.Tensor", {a, b}); }
};

using R = AliasRelation;

struct Row {
  const char* name;
  void (*build)(Fixture&);
  std::set<R> present;
  std::set<R> absent;
};

class AliasRelationTable : public ::testing::TestWithParam<Row> {};

TEST_P(AliasRelationTable, Holds) {
  Fixture builder;
  GetParam().build(builder);
  const AliasRelations found = alias_relations(builder.take());
  for (R relation : GetParam().present) EXPECT_TRUE(found.test(static_cast<std::size_t>(relation))) << name(relation);
  for (R relation : GetParam().absent) EXPECT_FALSE(found.test(static_cast<std::size_t>(relation))) << name(relation);
}

const Row rows[] = {
    {"NothingShared",
     [](Fixture& b) { b.add_output(b.neg(b.x)); },
     {R::UnusedSource},
     {R::ViewOfInput, R::WriteToInput, R::ElidableCopy, R::ReturnedInput, R::UnusedResult, R::OperandUsedTwice}},
    {"Views",
     [](Fixture& b) {
       b.add_output(b.neg(b.row(b.x)));
       b.add_output(b.column(b.neg(b.x)));
       b.neg(b.row(b.c));
       b.neg(b.row(b.s));
     },
     {R::ViewOfInput, R::ViewOfIntermediate, R::ViewOfConstant, R::ViewOfBuffer, R::ReturnedView, R::GappedView,
      R::UnusedResult},
     {R::ViewOfView, R::WriteToInput, R::ReturnedInputView, R::ExpandedView}},
    {"ViewOfCloneOfView",
     [](Fixture& b) {
       b.add_output(b.neg(b.row(b.clone(*b.call("aten.transpose.int", {b.x, number(0), number(1)})))));
     },
     {R::ViewOfCopyOfView, R::ElidableCopy, R::ViewOfInput, R::ViewOfIntermediate},
     {R::ViewOfView, R::CopyWithTwoReaders}},
    {"ViewOfView",
     [](Fixture& b) { b.add_output(b.neg(*b.call("aten.select.int", {b.row(b.x), number(0), number(1)}))); },
     {R::ViewOfView, R::ViewOfInput},
     {R::ViewOfCopyOfView}},
    {"ExpandedView",
     [](Fixture& b) { b.add_output(b.neg(*b.call("aten.expand.default", {b.x, IntList{4, 2, 3}}))); },
     {R::ExpandedView},
     {R::GappedView}},
    {"ListOfViews",
     [](Fixture& b) {
       const auto rows_of_x = *b.add_node(op_named("aten.unbind.int"), {Argument(b.x), number(0)});
       b.add_output(b.neg(rows_of_x[0]));
     },
     {R::ListOfViews, R::UnusedListResult, R::ViewOfInput},
     {R::UnusedResult}},
    {"MetadataWrite",
     [](Fixture& b) { b.add_output(*b.call("aten.t_.default", {b.neg(b.x)})); },
     {R::MetadataWrite},
     {R::WriteToIntermediate, R::ReturnedView}},
    {"Writes",
     [](Fixture& b) {
       b.neg_(b.x);
       b.neg_(b.s);
       b.add_output(b.neg_(b.neg(b.y)));
     },
     {R::WriteToInput, R::WriteToBuffer, R::WriteToIntermediate, R::UnusedWriteResult},
     {R::WriteThroughView, R::WriteThenReadAlias}},
    {"WriteThroughGappedViewReadThroughBase",
     [](Fixture& b) {
       const ValueId a = b.neg(b.x);
       b.neg_(b.column(a));
       b.add_output(b.neg(a));
     },
     {R::WriteThroughView, R::WriteThroughGappedView, R::WriteThenReadAlias, R::ReadWriteRead},
     {R::StateReadWriteRead}},
    {"StateReadWriteRead",
     [](Fixture& b) {
       b.add_output(b.neg(b.s));
       b.add_output(b.neg(b.neg_(b.s)));
     },
     {R::StateReadWriteRead, R::ReadWriteRead, R::WriteToBuffer},
     {R::WriteThenReadAlias}},
    {"CopyWithTwoReaders",
     [](Fixture& b) {
       const ValueId a = b.neg(b.x);
       const ValueId copy = b.clone(a);
       b.add_output(b.neg(a));
       b.add_output(b.neg(copy));
     },
     {R::ElidableCopy, R::CopyWithTwoReaders},
     {R::WriteAfterCopy, R::ReturnedElidableCopy}},
    {"CopyOfDeadSource",
     [](Fixture& b) {
       const ValueId a = b.neg(b.x);
       b.add_output(b.clone(a));
     },
     {R::ElidableCopy, R::ReturnedElidableCopy},
     {R::CopyWithTwoReaders, R::WriteAfterCopy}},
    {"WriteAfterCopy",
     [](Fixture& b) {
       const ValueId copy = b.clone(b.x);
       b.neg_(b.x);
       b.add_output(copy);
     },
     {R::WriteAfterCopy, R::WriteToInput},
     {R::WriteThenReadAlias}},
    {"FanOutIntoWrite",
     [](Fixture& b) {
       const ValueId a = b.neg(b.x);
       b.add_output(b.neg(a));
       b.add_output(b.neg_(a));
     },
     {R::FanOutIntoWrite, R::WriteToIntermediate},
     {R::WriteToInput}},
    {"OperandUsedTwice", [](Fixture& b) { b.add_output(b.add(b.x, b.x)); }, {R::OperandUsedTwice}, {R::OperandsAlias}},
    {"OperandsAlias",
     [](Fixture& b) { b.add_output(b.add(b.x, b.row(b.x))); },
     {R::OperandsAlias},
     {R::OperandUsedTwice}},
    {"ReturnedSources",
     [](Fixture& b) {
       b.add_output(b.x);
       b.add_output(b.row(b.y));
       b.add_output(b.c);
       b.add_output(b.s);
     },
     {R::ReturnedInput, R::ReturnedInputView, R::ReturnedConstant, R::ReturnedBuffer},
     {R::ReturnedView, R::SameOutputTwice}},
    {"SameOutputTwice",
     [](Fixture& b) {
       const ValueId a = b.neg(b.x);
       b.add_output(a);
       b.add_output(a);
     },
     {R::SameOutputTwice},
     {R::OutputsShareStorage, R::ReturnedAndConsumed}},
    {"OutputsShareStorage",
     [](Fixture& b) {
       const ValueId a = b.neg(b.x);
       b.add_output(a);
       b.add_output(b.row(a));
     },
     {R::OutputsShareStorage, R::ReturnedView, R::ReturnedAndConsumed},
     {R::SameOutputTwice}},
    {"SharedStorages",
     [](Fixture& b) {
       const StorageId inputs = *b.add_storage("m", DType::F32, Dims{4});
       const StorageId buffers = *b.add_storage("m1", DType::F32, Dims{4}, Tensor(DType::F32, Dims{4}));
       for (const char* window : {"p", "q"})
         std::ignore = b.add_window(SourceKind::Input, window, DType::F32, Layout{{2}, {2}, 0}, inputs);
       for (const char* window : {"u", "v"})
         std::ignore = b.add_window(SourceKind::Buffer, window, DType::F32, Layout{{2}, {1}, 0}, buffers);
       b.add_output(b.neg(b.x));
     },
     {R::SharedInputStorage, R::SharedBufferStorage, R::StridedSource, R::UnusedSource},
     {R::UnusedResult}},
};

INSTANTIATE_TEST_SUITE_P(Graphs, AliasRelationTable, ::testing::ValuesIn(rows),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(AliasRelation, NamesAreDistinct) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < alias_relation_count; ++i) seen.insert(name(static_cast<AliasRelation>(i)));
  EXPECT_EQ(seen.size(), alias_relation_count);
}

TEST(AliasRelation, TheTableShowsEveryRelation) {
  std::set<R> shown;
  for (const Row& row : rows) shown.insert(row.present.begin(), row.present.end());
  for (std::size_t i = 0; i < alias_relation_count; ++i) {
    EXPECT_TRUE(shown.contains(static_cast<R>(i))) << name(static_cast<R>(i));
  }
}

}  // namespace
}  // namespace parallax
