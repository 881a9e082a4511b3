// Domains: a function whose operand is led into its domain is a number there.
#include "fuzz/generate/domains.h"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>

#include "graph/builder.h"
#include "ops/profiles.h"
#include "ops/registry.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

const std::vector<double> operands = {-3, -1, -0.5, 0.25, 0.5, 1, 2, 3};

// How many results of the function are NaN, of operands that the guard was called on first; nothing where the function
// takes more than the tensor.
std::optional<int> count_nan(const Op& function, const Op* guard) {
  GraphBuilder builder;
  const Dims sizes = {static_cast<int64_t>(operands.size())};
  ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout(sizes));
  for (const Op* op : {guard, &function}) {
    if (!op) continue;
    auto arguments = bind_arguments(*op, {x});
    if (!arguments || !builder.append_node(*op, *std::move(arguments))) return std::nullopt;
    x = builder.graph().nodes.back().results.front();
  }
  builder.add_output(x);
  const Graph graph = builder.take();
  Tensor feed(DType::F32, sizes);
  for (std::size_t i = 0; i < operands.size(); ++i) feed.set_double(static_cast<int64_t>(i), operands[i]);
  const auto run = Interpreter(graph, *find_profile("eager")).run(std::span(&feed, 1));
  if (!run) return std::nullopt;
  int count = 0;
  for (const Ball& ball : run->outputs[0].balls) count += is_definite_nan(ball);
  return count;
}

TEST(Domains, AGuardedFunctionOfATensorIsANumber) {
  int functions = 0;
  int not_everywhere = 0;
  for (const Op& op : all_ops()) {
    std::set<const Op*> guards;
    Choices choices(3, 0);
    for (int draw = 0; draw < 40; ++draw) {
      if (const auto guard = draw_domain_guard(choices, op, 100)) guards.insert(guard->op);
    }
    const std::optional<int> bare = count_nan(op, nullptr);
    if (guards.empty() || !bare) continue;
    ++functions;
    not_everywhere += *bare > 0;
    for (const Op* guard : guards) {
      EXPECT_EQ(guard->writes(), op.writes()) << op.name << " behind " << guard->name;
      EXPECT_EQ(count_nan(op, guard), 0) << op.name << " behind " << guard->name;
    }
  }
  EXPECT_GE(functions, 28);
  EXPECT_GE(not_everywhere, 20) << "what needs no guard has one";
}

TEST(Domains, AreDrawnAsOftenAsAskedAndOfWhatHasOneAlone) {
  const Op& log = op_named("aten.log.default");
  const Op& add = op_named("aten.add.Tensor");
  int drawn = 0;
  Choices choices(5, 0);
  for (int draw = 0; draw < 1000; ++draw) {
    drawn += draw_domain_guard(choices, log, 30).has_value();
    EXPECT_FALSE(draw_domain_guard(choices, add, 100));
  }
  EXPECT_NEAR(drawn, 300, 60);
}

// A power of a negative number is NaN for certain where NaN is kept, and the floor of x / x is 1 where quotients are
// the nearest number: there nothing is drawn, so that cases stay the same.
TEST(Domains, OfPowersAndQuotientsMatterWhereSomethingIsLeftOpen) {
  struct Row {
    std::string_view op;
    LeftOpen open;
    std::optional<std::size_t> operand;
  };
  const LeftOpen nan{.nan = true, .quotients = false};
  const LeftOpen quotients{.nan = false, .quotients = true};
  for (const Row& row : {Row{"aten.pow.Tensor_Scalar", nan, 0}, Row{"aten.pow.Tensor_Tensor", nan, 0},
                         Row{"aten.pow.Tensor_Tensor", quotients, std::nullopt},
                         Row{"aten.pow.Scalar", nan, std::nullopt}, Row{"aten.floor_divide.default", quotients, 1},
                         Row{"aten.div.Tensor_mode", quotients, 1}, Row{"aten.div.Tensor_mode", nan, std::nullopt},
                         Row{"aten.div_.Tensor_mode", quotients, 1}, Row{"aten.div.Tensor", quotients, std::nullopt}}) {
    const Op& op = op_named(row.op);
    Choices choices(7, 0);
    EXPECT_FALSE(draw_domain_guard(choices, op, 100)) << row.op;
    const auto guard = draw_domain_guard(choices, op, 100, row.open);
    EXPECT_EQ(guard ? std::optional(guard->operand) : std::nullopt, row.operand) << row.op;
  }
}

}  // namespace
}  // namespace parallax
