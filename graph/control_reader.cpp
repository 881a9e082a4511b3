#include "graph/control_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "graph/custom_op.h"

namespace parallax {
namespace {

// Ten levels are more than anybody writes; without an end a file could fill the stack.
constexpr std::size_t most_levels = 10;

// One entry of "args": what it stands for, in the order of the call.
enum class Part { Predicate, Graph, Carries, Scanned, Closures };

std::vector<Part> parts_of(ControlKind kind) {
  switch (kind) {
    case ControlKind::Cond:
      return {Part::Predicate, Part::Graph, Part::Graph, Part::Closures};
    case ControlKind::WhileLoop:
      return {Part::Graph, Part::Graph, Part::Carries, Part::Closures};
    case ControlKind::Scan:
      return {Part::Graph, Part::Carries, Part::Scanned, Part::Closures};
    case ControlKind::Map:
      return {Part::Graph, Part::Scanned, Part::Closures};
    case ControlKind::Custom:
      return {Part::Graph, Part::Closures};
  }
  return {};
}

constexpr std::string_view what(Part part) {
  switch (part) {
    case Part::Predicate:
      return "a predicate, written \"%name\"";
    case Part::Graph:
      return "a subgraph, written {\"graph\": \"name\"}";
    default:
      return "a list of operands";
  }
}

Result<ValueId> read_operand(const Field& field, const ResolveReference& resolve) {
  TRY(const Reference reference, resolve(field));
  const auto* value = std::get_if<ValueId>(&reference);
  if (!value) return field.fail("{} is a list; take an element with getitem", field.json().get<std::string>());
  return *value;
}

class CallReader {
 public:
  CallReader(ControlKind kind, SubgraphLibrary& library, const ResolveReference& resolve)
      : library_(library), resolve_(resolve) {
    parts_.kind = kind;
  }

  Result<ControlCall> read(const Field& node) {
    TRY(const Field args, node.need("args"));
    TRY_VOID(args.expect_array());
    const std::vector<Part> wanted = parts_of(parts_.kind);
    for (std::size_t i = 0; i < args.json().size(); ++i) {
      if (i == wanted.size())
        return args.element(i).fail("{} takes at most {} arguments", name(parts_.kind), wanted.size());
      TRY_VOID(read_part(args.element(i), wanted[i]));
    }
    // Closures may be left out where others are operands, too; everything else is an operand that is missing.
    const bool needs_closures = parts_.kind == ControlKind::Cond || parts_.kind == ControlKind::Custom;
    if (args.json().size() + 1 < wanted.size() || (args.json().size() < wanted.size() && needs_closures)) {
      return args.fail("{} needs {}", name(parts_.kind), what(wanted[args.json().size()]));
    }
    TRY_VOID(read_options(node));
    Result<std::shared_ptr<const ControlOp>> op = make_control_op(std::move(parts_));
    if (!op) return at(node.pointer(), std::move(op).error());
    if ((*op)->kind() == ControlKind::Custom) TRY_VOID(check_schema(node, (*op)->parts.subgraphs.front()));
    return ControlCall{*std::move(op), std::move(arguments_)};
  }

 private:
  // "schema" says what the subgraph shows, for who registers the operation; it may be left out.
  static Result<void> check_schema(const Field& node, const Subgraph& reference) {
    const auto field = node.find("schema");
    if (!field) return {};
    TRY(const std::string given, field->text());
    if (const std::string schema = library_schema(reference); given != schema)
      return field->fail("'{}' is {}", reference.name, schema);
    return {};
  }

  Result<void> read_part(const Field& field, Part part) {
    if (part == Part::Predicate) {
      TRY(const ValueId value, read_operand(field, resolve_));
      arguments_.emplace_back(value);
      return {};
    }
    if (part == Part::Graph) {
      TRY(Subgraph subgraph, library_.find(field));
      parts_.subgraphs.push_back(std::move(subgraph));
      return {};
    }
    if (!field.json().is_array()) return field.fail("must be {}", what(part));
    for (std::size_t i = 0; i < field.json().size(); ++i) {
      TRY(const ValueId value, read_operand(field.element(i), resolve_));
      arguments_.emplace_back(value);
    }
    (part == Part::Carries   ? parts_.carries
     : part == Part::Scanned ? parts_.scanned
                             : parts_.closures) = field.json().size();
    return {};
  }

  Result<void> read_options(const Field& node) {
    const auto kwargs = node.find("kwargs");
    if (!kwargs) return {};
    TRY_VOID(kwargs->expect_object());
    return for_each_member(*kwargs, [&](const std::string& option, const Field& field) -> Result<void> {
      if (option != "max_steps" || parts_.kind != ControlKind::WhileLoop)
        return field.fail("{} has no argument '{}'", name(parts_.kind), option);
      TRY(parts_.max_steps, field.integer());
      return {};
    });
  }

  SubgraphLibrary& library_;
  const ResolveReference& resolve_;
  ControlParts parts_;
  std::vector<Argument> arguments_;
};

}  // namespace

Result<Subgraph> SubgraphLibrary::find(const Field& reference) {
  const auto field = reference.json().is_object() ? reference.find("graph") : std::nullopt;
  if (!field || reference.json().size() != 1) return reference.fail("must be {}", what(Part::Graph));
  TRY(const std::string name, field->text());
  return read(name, *field);
}

Result<Subgraph> SubgraphLibrary::read(const std::string& name, const Field& named_at) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  const auto again = std::ranges::find(open_, name);
  if (again != open_.end()) {
    return named_at.fail("a cycle of subgraphs: {} > {}", fmt::join(again, open_.end(), " > "), name);
  }
  const auto field = section_ && section_->json().is_object() ? section_->find(name) : std::nullopt;
  if (!field) return named_at.fail("no subgraph is named '{}'", name);
  TRY_VOID(field->expect_object());
  for (const std::string_view section : {"constants", "buffers", "storages", "subgraphs"}) {
    if (const auto extra = field->find(section))
      return extra->fail("a subgraph has inputs only; what else it needs are operands");
  }
  if (open_.size() == most_levels) return named_at.fail("subgraphs are nested deeper than {} levels", most_levels);
  open_.push_back(name);
  TRY(Subgraph subgraph, read_(*field, *this));
  open_.pop_back();
  subgraph.name = name;
  return known_.emplace(name, std::move(subgraph)).first->second;
}

Result<void> SubgraphLibrary::read_all() {
  if (!section_) return {};
  TRY_VOID(section_->expect_object());
  return for_each_member(*section_, [&](const std::string& name, const Field& member) -> Result<void> {
    TRY([[maybe_unused]] const Subgraph subgraph, read(name, member));
    return {};
  });
}

std::optional<ControlKind> parse_control_kind(std::string_view op) {
  for (std::size_t place = 0; place < control_kind_count; ++place) {
    const auto kind = static_cast<ControlKind>(place);
    if (name(kind) == op) return kind;
  }
  return std::nullopt;
}

Result<ControlCall> read_control_call(const Field& node, ControlKind kind, SubgraphLibrary& library,
                                      const ResolveReference& resolve) {
  return CallReader(kind, library, resolve).read(node);
}

}  // namespace parallax
