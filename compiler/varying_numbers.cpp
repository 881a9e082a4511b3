#include "compiler/varying_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/rewriter.h"

namespace parallax {
namespace {

template <class... Args>
std::unexpected<Error> refuse_node(const Node& node, fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{
      ErrorKind::Unsupported, "", "",
      fmt::format("node '{}' ({}) {}", node.name, node.op->name, fmt::format(format, std::forward<Args>(args)...))});
}

// A number as a double; nothing for a bool.
std::optional<double> number(const Scalar& scalar) {
  if (std::holds_alternative<bool>(scalar)) return std::nullopt;
  return as_double(scalar);
}

// The numbers of an argument; nothing where it is none.
std::optional<std::vector<double>> numbers(const Argument& argument) {
  std::vector<double> found;
  const auto add = [&](const Scalar& scalar) {
    const std::optional<double> x = number(scalar);
    if (x) found.push_back(*x);
    return x.has_value();
  };
  if (const auto* list = std::get_if<IntList>(&argument)) {
    found.assign(list->begin(), list->end());
  } else if (const auto* scalar = std::get_if<Scalar>(&argument)) {
    if (!add(*scalar)) return std::nullopt;
  } else if (const auto* scalars = std::get_if<ScalarList>(&argument)) {
    if (!std::ranges::all_of(*scalars, add)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return found;
}

void set_scalar(Scalar& scalar, double x) {
  if (std::holds_alternative<double>(scalar)) {
    scalar = x;
  } else {
    scalar = static_cast<int64_t>(x);
  }
}

void set_number(Argument& argument, std::size_t place, double x) {
  if (auto* list = std::get_if<IntList>(&argument)) {
    (*list)[place] = static_cast<int64_t>(x);
  } else if (auto* scalar = std::get_if<Scalar>(&argument)) {
    set_scalar(*scalar, x);
  } else {
    set_scalar(std::get<ScalarList>(argument)[place], x);
  }
}

// The nodes that a graph has, each by its first result.
std::vector<std::size_t> nodes_by_result(const Graph& graph) {
  std::vector<std::size_t> nodes(graph.metas.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) nodes[graph.nodes[n].results.front().index] = n;
  return nodes;
}

class Comparison {
 public:
  Comparison(const Graph& made, const Symbols& symbols, std::span<const SymbolSizes> sizes,
             std::span<const Graph> others)
      : made_(made), symbols_(symbols), bound_(symbols.bound()), sizes_(sizes), others_(others) {}

  Result<std::vector<VaryingNumber>> run() {
    for (std::size_t n = 0; n < made_.nodes.size(); ++n) {
      TRY_VOID(check_calls(n));
      for (std::size_t a = 0; a < made_.nodes[n].arguments.size(); ++a) TRY_VOID(compare_argument(n, a));
    }
    TRY_VOID(check_whole());
    return std::move(varying_);
  }

 private:
  Result<void> check_calls(std::size_t n) const {
    const Node& node = made_.nodes[n];
    for (std::size_t i = 0; i < others_.size(); ++i) {
      const bool alike = n < others_[i].nodes.size() && others_[i].nodes[n].op == node.op &&
                         others_[i].nodes[n].results == node.results;
      if (!alike) return refuse_node(node, "is another one at {}", text(symbols_, sizes_[i]));
    }
    return {};
  }

  // Adds the numbers of one argument that are not the same in all graphs.
  Result<void> compare_argument(std::size_t n, std::size_t a) {
    const Node& node = made_.nodes[n];
    const auto same = [&](const Graph& other) {
      return same_arguments(std::span(&node.arguments[a], 1), std::span(&other.nodes[n].arguments[a], 1));
    };
    if (std::ranges::all_of(others_, same)) return {};
    const auto refused = [&] {
      return refuse_node(node, "has an argument '{}' that does not grow in step with the sizes",
                         node.op->schema.parameters[a].name);
    };
    const auto at_bound = numbers(node.arguments[a]);
    if (!at_bound) return refused();
    std::vector<std::vector<double>> elsewhere;
    for (const Graph& other : others_) {
      auto found = numbers(other.nodes[n].arguments[a]);
      if (!found || found->size() != at_bound->size()) return refused();
      elsewhere.push_back(*std::move(found));
    }
    for (std::size_t place = 0; place < at_bound->size(); ++place) {
      const auto value = [&](std::size_t i) { return elsewhere[i][place]; };
      VaryingNumber fitted = fit((*at_bound)[place], value);
      if (std::ranges::all_of(fitted.slopes, [](double slope) { return slope == 0; }) && agrees(fitted, value))
        continue;
      if (!agrees(fitted, value)) return refused();
      fitted.result = node.results.front();
      fitted.argument = a;
      fitted.place = place;
      varying_.push_back(std::move(fitted));
    }
    return {};
  }

  // The slopes from graphs that differ from the bound in one symbol; 0 where there is none.
  template <class Value>
  VaryingNumber fit(double at_bound, const Value& value) const {
    VaryingNumber fitted;
    fitted.constant = at_bound;
    for (std::size_t s = 0; s < bound_.size(); ++s) {
      double& slope = fitted.slopes.emplace_back(0);
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        SymbolSizes others_bound = sizes_[i];
        others_bound[s] = bound_[s];
        if (others_bound != bound_) continue;
        slope = (at_bound - value(i)) / static_cast<double>(bound_[s] - sizes_[i][s]);
        break;
      }
      fitted.constant -= slope * static_cast<double>(bound_[s]);
    }
    return fitted;
  }

  // Whether it gives every number exactly, and whole ones in between.
  template <class Value>
  bool agrees(const VaryingNumber& fitted, const Value& value) const {
    if (!std::ranges::all_of(fitted.slopes, [](double slope) { return slope == std::floor(slope); })) return false;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (fitted.at(sizes_[i]) != value(i)) return false;
    }
    return true;
  }

  // The graph at the bound, brought to the other sizes, against what was compiled there.
  Result<void> check_whole() const {
    for (std::size_t i = 0; i < others_.size(); ++i) {
      const auto refused = [&](const std::string& why) {
        return std::unexpected(
            Error{ErrorKind::Unsupported, "", "",
                  fmt::format("the compiled graph is another one at {}{}", text(symbols_, sizes_[i]), why)});
      };
      const Result<Graph> resized =
          with_numbers_at(made_, symbols_, varying_, sizes_[i], [](const Argument&) { return true; });
      if (!resized) return refused(": " + resized.error().reason);
      if (!same_graph(*resized, others_[i])) return refused("");
    }
    return {};
  }

  const Graph& made_;
  const Symbols& symbols_;
  SymbolSizes bound_;
  std::span<const SymbolSizes> sizes_;
  std::span<const Graph> others_;
  std::vector<VaryingNumber> varying_;
};

}  // namespace

Result<std::vector<VaryingNumber>> varying_numbers(const Graph& made, const Symbols& symbols,
                                                   std::span<const SymbolSizes> sizes, std::span<const Graph> others) {
  return Comparison(made, symbols, sizes, others).run();
}

double number_at(const VaryingNumber& number, const Symbols&, const SymbolSizes& sizes, bool) {
  return number.at(sizes);
}

Result<Graph> with_numbers_at(const Graph& graph, const Symbols& symbols, std::span<const VaryingNumber> varying,
                              const SymbolSizes& sizes, RefreshRule refreshes, NumberRule at) {
  Graph refreshed = graph;
  const std::vector<std::size_t> nodes = nodes_by_result(graph);
  for (const VaryingNumber& number : varying) {
    Argument& argument = refreshed.nodes[nodes[number.result.index]].arguments[number.argument];
    const auto* scalar = std::get_if<Scalar>(&argument);
    const bool real = scalar && is_floating(*scalar);
    if (refreshes(argument)) set_number(argument, number.place, at(number, symbols, sizes, real));
  }
  return at_sizes(refreshed, symbols, sizes);
}

}  // namespace parallax
