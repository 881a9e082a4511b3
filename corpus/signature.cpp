#include "corpus/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "graph/print.h"
#include "oracle/judgement_text.h"

namespace parallax {
namespace {

constexpr std::size_t longest_message = 200;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start != std::string_view::npos) return line.substr(start, line.find_last_not_of(" \t\r") - start + 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

// Replaces the incidental parts of one line, from left to right.
class Normaliser {
 public:
  Normaliser(std::string_view line, std::span<const std::string> names) : rest_(line), names_(names) {}

  std::string text() {
    while (!rest_.empty()) {
      if (!take_path() && !take_reference() && !take_operand() && !take_type() && !take_quoted() && !take_number() &&
          !take_truths() && !take_word()) {
        out_ += rest_[0];
        previous_ = rest_[0];
        rest_.remove_prefix(1);
      }
    }
    return std::move(out_);
  }

 private:
  bool replace(std::size_t length, std::string_view by) {
    out_ += by;
    previous_ = '\0';
    rest_.remove_prefix(length);
    return true;
  }
  // Of a list one counts: a tensor's sizes are one number, whatever its rank.
  bool replace_listed(std::size_t length, std::string_view by) {
    std::string_view before = out_;
    if (before.ends_with(' ')) before.remove_suffix(1);
    if (!before.ends_with(',')) return replace(length, by);
    before.remove_suffix(1);
    if (!before.ends_with(by)) return replace(length, by);
    out_.resize(before.size());
    return replace(length, "");
  }
  template <class Accept>
  std::size_t run(std::size_t from, Accept&& accept) const {
    while (from < rest_.size() && accept(rest_[from])) ++from;
    return from;
  }
  bool is_name(std::string_view word) const { return std::find(names_.begin(), names_.end(), word) != names_.end(); }

  // "/usr/lib/x.py:12", "../a/b".
  bool take_path() {
    const bool starts =
        rest_[0] == '/' || rest_.starts_with("./") || rest_.starts_with("../") || rest_.starts_with("~/");
    if (!starts || is_word(previous_)) return false;
    const std::size_t end =
        run(0, [](char c) { return is_word(c) || std::string_view("/.-+~:@").find(c) != std::string_view::npos; });
    if (end < 3) return false;
    return replace(end, "<path>");
  }
  // "%name".
  bool take_reference() {
    if (rest_[0] != '%') return false;
    const std::size_t end = run(1, is_word);
    return end > 1 && replace(end, "<name>");
  }
  // An operand of a node as ONNX Runtime writes it, "t.7": tensor(bool), of which a list has as many as the graph.
  bool take_operand() {
    const std::size_t quote = rest_[0] == '"' ? rest_.find('"', 1) : std::string_view::npos;
    if (quote == std::string_view::npos || !rest_.substr(quote + 1).starts_with(": tensor(")) return false;
    const std::size_t end = rest_.find(')', quote);
    return end != std::string_view::npos && replace_listed(end + 1, "<operand>");
  }
  // The sizes of a type as MLIR writes it: "tensor<8x3xf32>".
  bool take_type() {
    constexpr std::string_view type = "tensor<";
    if (!rest_.starts_with(type) || is_word(previous_)) return false;
    const std::size_t end = run(type.size(), [](char c) { return is_digit(c) || c == 'x' || c == '?'; });
    return end > type.size() && rest_[end - 1] == 'x' && replace(end, "tensor<<n>x");
  }
  // A quoted identifier is a name; one with dots is an op or a module, which says what is wrong.
  bool take_quoted() {
    const char quote = rest_[0];
    if ((quote != '\'' && quote != '"' && quote != '`') || is_word(previous_)) return false;
    const std::size_t end = run(1, is_word);
    if (end == 1 || end == rest_.size() || rest_[end] != quote) return false;
    return replace_listed(end + 1, "<name>");
  }
  bool take_number() {
    if (is_word(previous_) || !is_digit(rest_[0])) return false;
    if (rest_.starts_with("0x")) return replace(run(2, is_word), "<hex>");
    std::size_t end = run(0, is_digit);
    if (end + 1 < rest_.size() && rest_[end] == '.' && is_digit(rest_[end + 1])) end = run(end + 1, is_digit);
    if (end < rest_.size() && rest_[end] == 'e') {
      const std::size_t exponent =
          end + (end + 1 < rest_.size() && (rest_[end + 1] == '-' || rest_[end + 1] == '+') ? 2 : 1);
      if (exponent < rest_.size() && is_digit(rest_[exponent])) end = run(exponent, is_digit);
    }
    if (end < rest_.size() && is_word(rest_[end])) return false;
    if (rest_.substr(end).starts_with(",)")) ++end;  // Python's tuple of one
    return replace_listed(end, "<n>");
  }
  // The elements of a tensor of bool: "false, true". One alone is kept, since it may say what is wrong.
  bool take_truths() {
    if (is_word(previous_)) return false;
    constexpr std::string_view between = ", ";
    std::size_t end = 0;
    int count = 0;
    for (std::size_t at = 0;; at = end + between.size()) {
      const std::size_t word = run(at, is_word);
      const std::string_view truth = rest_.substr(at, word - at);
      if (truth != "true" && truth != "false") break;
      end = word;
      ++count;
      if (!rest_.substr(end).starts_with(between)) break;
    }
    return count > 1 && replace(end, "<bool>");
  }
  // A whole word: a value's name, an identifier numbered by its maker ("permute_3"), or kept. One-letter names are left
  // alone where nothing marks them: they are words, too.
  bool take_word() {
    if (!is_word(rest_[0])) return false;
    const std::size_t end = run(0, is_word);
    std::string_view word = rest_.substr(0, end);
    if (word.size() > 1 && is_name(word)) return replace(end, "<name>");
    // torch.export marks what it lifts: "b_" a buffer, "c_" a constant, "p_" a parameter.
    if (word.size() > 2 && word[1] == '_' && std::string_view("bcp").contains(word[0]) && is_name(word.substr(2)))
      return replace(end, "<name>");
    std::string_view stem = word;
    while (!stem.empty() && is_digit(stem.back())) stem.remove_suffix(1);
    const bool has_number = stem.size() < word.size();
    const bool numbered = has_number && stem.size() > 1 && stem.ends_with('_');
    out_ += numbered ? stem.substr(0, stem.size() - 1) : has_number && stem.ends_with("constant") ? stem : word;
    previous_ = word.back();
    rest_.remove_prefix(end);
    return true;
  }

  std::string_view rest_;
  std::span<const std::string> names_;
  std::string out_;
  char previous_ = ' ';
};

// "sum" and "add.Tensor": the overload is said where there are several.
std::string short_op(const Op& op) {
  return op.schema.overload == "default" ? op.schema.name : op.schema.name + "." + op.schema.overload;
}

// What glibc's malloc says where it meets a heap that was written over. Which of them differs from run to run.
constexpr std::array<std::string_view, 9> corrupted_heap = {"malloc(): ",
                                                            "malloc_consolidate(): ",
                                                            "malloc assertion failure",
                                                            "free(): invalid size",
                                                            "free(): invalid next size",
                                                            "free(): corrupted unsorted chunks",
                                                            "corrupted size vs. prev_size",
                                                            "corrupted double-linked list",
                                                            "realloc(): invalid next size"};

bool died_of_its_heap(const Judgement& judgement, const Outcome& outcome) {
  const auto said = [&](std::string_view words) { return outcome.message.contains(words); };
  return judgement.verdict == Verdict::Crash && outcome.kind == "SIGABRT" && std::ranges::any_of(corrupted_heap, said);
}

// Whether nothing but the signal or the silence is known of how a process ended, which every such end has in common.
bool ends_without_a_word(const Judgement& judgement, const Outcome& outcome) {
  return judgement.verdict == Verdict::Hang || died_of_its_heap(judgement, outcome) ||
         (judgement.verdict == Verdict::Crash && !outcome.kind.empty() && outcome.message.ends_with(outcome.kind));
}

}  // namespace

std::string normalised_message(std::string_view message, std::span<const std::string> value_names) {
  return Normaliser(first_line(message), value_names).text().substr(0, longest_message);
}

std::string failure_class(std::string_view target, const Judgement& judgement, const Outcome& outcome,
                          const Graph& graph) {
  std::string text = fmt::format("{} | {}", name(judgement.verdict), target);
  if (judgement.verdict == Verdict::Mismatch && judgement.divergence) {
    const Divergence& divergence = *judgement.divergence;
    // What is right at first and wrong later is another failure than what is wrong at once.
    return fmt::format("{} | {}{}", text, name(divergence.kind),
                       divergence.run == RunId{} ? "" : " | " + run_text(divergence.run));
  }
  const std::string said =
      died_of_its_heap(judgement, outcome) ? "a corrupted heap" : normalised_message(outcome.message, graph.names);
  for (const std::string& part : {outcome.stage, outcome.kind, said}) {
    if (!part.empty()) text += " | " + part;
  }
  return text;
}

std::string graph_signature(const Graph& graph) {
  std::vector<std::string> owners(graph.storages.size());  // what made each storage
  std::set<std::string> relations;
  const auto relate = [&](StorageId storage, std::string_view mark, const std::string& what) {
    std::string& owner = owners[storage.index];
    if (owner.empty()) {
      owner = what;
    } else {
      relations.insert(fmt::format("{}{}{}", what, mark, owner));
    }
  };
  for (const Source& source : graph.sources)
    relate(graph.meta(source.value).storage, "~", std::string(source_kind_name(source.kind)));
  std::map<std::string, int> ops;
  for (const Node& node : graph.nodes) {
    const std::string op = short_op(*node.op);
    ++ops[op];
    const bool writes = node.op->writes() && !node.op->writes_metadata_only();
    for (ValueId result : node.results) relate(graph.meta(result).storage, writes ? "!" : "~", op);
  }
  std::set<StorageId> returned;
  for (ValueId output : graph.outputs) {
    const StorageId storage = graph.meta(output).storage;
    if (!returned.insert(storage).second) relations.insert("returned~returned");
  }
  std::string text;
  for (const auto& [op, count] : ops) {
    text += (text.empty() ? "" : " ") + op;
    if (count > 1) text += fmt::format("*{}", count);
  }
  for (const std::string& relation : relations) text += "; " + relation;
  return text;
}

std::string without_twins(const std::string& graph_signature) {
  // What is written and shared may be seen elsewhere: then writing is what it is about.
  if (graph_signature.contains('~')) return graph_signature;
  const std::string_view ops = std::string_view(graph_signature).substr(0, graph_signature.find(';'));
  std::map<std::string, int> counts;
  for (std::size_t begin = 0; begin < ops.size();) {
    const std::size_t end = std::min(ops.find(' ', begin), ops.size());
    std::string_view op = ops.substr(begin, end - begin);
    begin = end + 1;
    int count = 1;
    if (const std::size_t star = op.find('*'); star != std::string_view::npos) {
      count = std::max(1, std::atoi(std::string(op.substr(star + 1)).c_str()));
      op = op.substr(0, star);
    }
    const std::size_t dot = std::min(op.find('.'), op.size());
    const bool in_place = dot > 1 && op[dot - 1] == '_' && op[0] != '_';
    counts[in_place ? fmt::format("{}{}", op.substr(0, dot - 1), op.substr(dot)) : std::string(op)] += count;
  }
  std::string text;
  for (const auto& [op, count] : counts) {
    text += (text.empty() ? "" : " ") + op;
    if (count > 1) text += fmt::format("*{}", count);
  }
  return text;
}

std::string signature(std::string_view target, const Judgement& judgement, const Outcome& outcome, const Graph& reduced,
                      std::string_view blame, std::string_view cause) {
  if (!blame.empty()) {
    // Wrong numbers are one finding with those that differ by run, and with what they bring about, such as an index out
    // of range.
    const bool while_running = judgement.verdict == Verdict::InternalError && outcome.stage == "run";
    const bool by_run = judgement.verdict == Verdict::Nondeterministic;
    const Verdict verdict = while_running || by_run ? Verdict::Mismatch : judgement.verdict;
    return fmt::format("{} | {} | {}{}{}", name(verdict), target, blame, cause.empty() ? "" : " | ", cause);
  }
  std::string text = failure_class(target, judgement, outcome, reduced);
  const bool by_values = judgement.verdict == Verdict::Mismatch || judgement.verdict == Verdict::Suspect ||
                         judgement.verdict == Verdict::Nondeterministic;
  const bool without_a_word = ends_without_a_word(judgement, outcome);
  if (!by_values && !without_a_word) return text;
  // A write that is lost shows in what was written; a wrong result is the same in place and out of place.
  const bool of_output = judgement.divergence && judgement.divergence->place.kind == PlaceKind::Output &&
                         judgement.divergence->run == RunId{};
  const std::string of_graph = graph_signature(reduced);
  return text + " | " + (of_output || without_a_word ? without_twins(of_graph) : of_graph);
}

std::optional<Verdict> signed_verdict(std::string_view signature) {
  return parse_verdict(signature.substr(0, signature.find_first_of(": |")));
}

}  // namespace parallax
