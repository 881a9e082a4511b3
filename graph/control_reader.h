// Reads the "subgraphs" of a case file, and the calls that run them.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "graph/argument_json.h"
#include "graph/control_op.h"

namespace parallax {

// The subgraphs of one case, each read when it is first named, so that they may name each other in any order.
class SubgraphLibrary {
 public:
  // The graph of a subgraph and the places of None among its outputs; its name is left to the library.
  using ReadGraph = std::function<Result<Subgraph>(const Field& graph, SubgraphLibrary& library)>;

  // `section` is the member "subgraphs" where there is one.
  SubgraphLibrary(std::optional<Field> section, ReadGraph read)
      : section_(std::move(section)), read_(std::move(read)) {}

  // What {"graph": "then"} names. A subgraph that runs itself is an error, whatever lies between.
  Result<Subgraph> find(const Field& reference);
  // Reads those that nobody named, too.
  Result<void> read_all();

 private:
  Result<Subgraph> read(const std::string& name, const Field& named_at);

  std::optional<Field> section_;
  ReadGraph read_;
  std::unordered_map<std::string, Subgraph> known_;
  std::vector<std::string> open_;  // that are being read, the outermost first
};

// The kind of an op that runs subgraphs, by its name in the case file.
std::optional<ControlKind> parse_control_kind(std::string_view op);

struct ControlCall {
  std::shared_ptr<const ControlOp> op;
  std::vector<Argument> arguments;  // one for each parameter
};

// The call of a node of that kind, except for its results.
Result<ControlCall> read_control_call(const Field& node, ControlKind kind, SubgraphLibrary& library,
                                      const ResolveReference& resolve);

}  // namespace parallax
