// Signature: the text by which two divergences are the same one.
//
// It holds what a bug determines (verdict, target, and the part of it that is to blame with the kind of its slip; where
// a target does not tell, the stage, the message without its incidental parts, the ops of the reduced graph and how
// they share memory) and nothing that a seed determines (names, shapes, literals, paths, addresses).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"
#include "oracle/judge.h"

namespace parallax {

// The first line that says something, with paths, addresses, numbers, quoted names and names of values replaced; at
// most 200 characters.
std::string normalised_message(std::string_view message, std::span<const std::string> value_names = {});

// What a reducer must keep: verdict, target, and for a message its stage, kind and normalised text, for a mismatch what
// is wrong (values, shape, dtype, count, identity) and in which run. "mismatch | portable | values".
std::string failure_class(std::string_view target, const Judgement& judgement, const Outcome& outcome,
                          const Graph& graph);

// The ops of a graph and which share memory with which or write it, in canonical order:
// "clone exp neg*2 sigmoid; view~clone; add_!input". Independent of names, literals and the order of independent nodes.
std::string graph_signature(const Graph& graph);

// The same with every op that writes in place named as its functional twin, and what is written left out, where no
// memory is shared: "add_ exp; add_!input" is "add exp".
std::string without_twins(const std::string& graph_signature);

// The verdict and the target with the part that is to blame and what its slip is ("alias overwritten"), where `blame`
// is not empty: "mismatch | portable | planner | alias overwritten". Else failure_class, for mismatches, hangs and
// crashes that tell no more than their signal or a corrupted heap together with graph_signature of the reduced graph.
// Its twins are told apart where the mismatch is not one of an output of the first run.
std::string signature(std::string_view target, const Judgement& judgement, const Outcome& outcome, const Graph& reduced,
                      std::string_view blame = "", std::string_view cause = "");

// The verdict that a signature begins with: "mismatch | …", and "mismatch: …" where a person wrote it. Nothing where it
// begins with none.
std::optional<Verdict> signed_verdict(std::string_view signature);

}  // namespace parallax
