// Weights: what a profile draws how often. Data only; the engine (fuzz/generate/generate.cpp) is the same for every
// profile.
#pragma once

#include <array>

#include "core/dtype.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/structures.h"
#include "ops/op_group.h"

namespace parallax {

struct GenerateWeights {
  GenerateProfile profile;
  std::string_view name;
  // By OpGroup: view, copy, write, pointwise, comparison, reduction, join, scatter, fill.
  std::array<uint32_t, op_group_count> groups;
  // By DType: bool u8 i8 i16 i32 i64 f16 bf16 f32 f64, of a source that does not have the case's main dtype.
  std::array<uint32_t, dtype_count> dtypes;
  // How a tensor is filled: grid (multiples of 1/8), general numbers, grid with specials.
  std::array<uint32_t, 3> fills;
  // A node: drawn on its own, an earlier call once more, an earlier op on its own result, the way back from an earlier
  // result to its operand, and such a result beside its operand (fuzz/generate/motifs.h).
  std::array<uint32_t, 5> motifs;
  // Percentages.
  int other_main_dtype;  // the main dtype is not f32
  int other_dtype;       // a source has not the main dtype
  int second_class;      // the case has a second class of element count
  int other_class;       // a source is of the second class, where there is one
  int reshaped;          // a source has another shape of its class
  int empty;             // a source has a dim of size 0
  int odd_strides;       // a source is not row-major
  int shared_storage;    // the case declares a storage with windows
  int buffers;           // the case has buffers
  int constants;         // the case has constants
  int drop_unread;       // a result that nobody reads is not returned
  int op_first;          // the first node is a call of any op at any dtype, on inputs of its own
  int symbols;           // dims of inputs change from run to run
  int far_integers = 4;  // a tensor of integers that are no indices holds some as large as its dtype does
  int guarded = 30;      // an operand is led into the domain of its function (fuzz/generate/domains.h)
  int structures = 0;    // a node is the first of a structure (fuzz/generate/structures.h)
  StructureKind structure_kind = StructureKind::Shipped;  // what it is drawn of
  int control = 0;     // a node is a branch or a loop (fuzz/generate/control_structures.h)
  int more_calls = 0;  // the program is called more often, with feeds of their own …
  int methods = 0;     // … and some of these calls are of another method, over the same buffers
};

// The alias profile is tuned so that most graphs write, alias and free a slot that something else then takes; the
// others start from it.
inline constexpr GenerateWeights alias_weights = {
    .profile = GenerateProfile::Alias,
    .name = "alias",
    .groups = {22, 14, 20, 24, 6, 4, 4, 4, 2},
    .dtypes = {14, 4, 4, 3, 6, 8, 8, 6, 12, 6},
    .fills = {70, 26, 4},
    .motifs = {81, 4, 9, 6, 3},
    .other_main_dtype = 18,
    .other_dtype = 18,
    .second_class = 40,
    .other_class = 35,
    .reshaped = 25,
    .empty = 1,
    .odd_strides = 15,
    .shared_storage = 22,
    .buffers = 40,
    .constants = 30,
    .drop_unread = 15,
    .op_first = 0,
    .symbols = 0,
};

constexpr GenerateWeights state_weights() {
  GenerateWeights weights = alias_weights;
  weights.profile = GenerateProfile::State;
  weights.name = "state";
  weights.groups = {18, 8, 34, 24, 4, 4, 3, 3, 2};
  weights.buffers = 95;
  weights.shared_storage = 45;
  return weights;
}

constexpr GenerateWeights topology_weights() {
  GenerateWeights weights = alias_weights;
  weights.profile = GenerateProfile::Topology;
  weights.name = "topology";
  weights.groups = {14, 10, 8, 40, 6, 6, 10, 4, 2};
  return weights;
}

constexpr GenerateWeights numeric_weights() {
  GenerateWeights weights = alias_weights;
  weights.profile = GenerateProfile::Numeric;
  weights.name = "numeric";
  weights.far_integers = 25;
  weights.groups = {8, 6, 6, 46, 10, 16, 4, 2, 2};
  weights.fills = {30, 40, 30};
  weights.structures = 6;
  weights.structure_kind = StructureKind::Numeric;
  weights.other_main_dtype = 50;
  weights.other_dtype = 30;
  return weights;
}

constexpr GenerateWeights shape_weights() {
  GenerateWeights weights = alias_weights;
  weights.profile = GenerateProfile::Shape;
  weights.name = "shape";
  weights.groups = {34, 8, 8, 20, 4, 10, 12, 4, 0};
  weights.reshaped = 60;
  weights.empty = 8;
  weights.odd_strides = 35;
  weights.symbols = 30;
  return weights;
}

// Tuned on the faults with odd ids (`score --tune`, docs/concepts.md): half way from weights set by hand to the mean of
// what two tunings came to, since each alone found the faults that were held out later.
constexpr GenerateWeights all_weights() {
  GenerateWeights weights = alias_weights;
  weights.profile = GenerateProfile::All;
  weights.name = "all";
  weights.far_integers = 12;
  weights.groups = {20, 13, 17, 31, 4, 6, 4, 3, 2};
  weights.motifs = {80, 4, 10, 6, 3};
  weights.other_main_dtype = 30;
  weights.reshaped = 22;
  weights.empty = 3;
  weights.odd_strides = 14;
  weights.shared_storage = 26;
  weights.buffers = 49;
  weights.drop_unread = 13;
  weights.op_first = 8;
  weights.symbols = 4;
  weights.structures = 2;
  weights.structure_kind = StructureKind::Numeric;
  return weights;
}

// Structures among the calls of the others.
constexpr GenerateWeights shipped_weights() {
  GenerateWeights weights = all_weights();
  weights.profile = GenerateProfile::Shipped;
  weights.name = "shipped";
  weights.fills = {40, 58, 2};
  weights.other_main_dtype = 15;
  weights.empty = 0;
  weights.op_first = 0;
  weights.symbols = 0;
  weights.structures = 25;
  weights.structure_kind = StructureKind::Shipped;
  weights.more_calls = 30;
  weights.methods = 25;
  return weights;
}

// Sizes that change from run to run, in graphs that look like those of others: every graph whose inputs have a dim for
// it has symbols, and few have what is of one size (windows, strides, a first call on inputs of its own).
constexpr GenerateWeights dynamic_weights() {
  GenerateWeights weights = all_weights();
  weights.profile = GenerateProfile::Dynamic;
  weights.name = "dynamic";
  weights.groups = {30, 9, 10, 28, 5, 8, 8, 4, 0};
  weights.odd_strides = 6;
  weights.shared_storage = 8;
  weights.other_class = 20;
  weights.empty = 0;
  weights.op_first = 0;
  weights.symbols = 100;
  weights.structures = 14;
  weights.structure_kind = StructureKind::Dynamic;
  return weights;
}

// Branches and loops among the calls of the others, with writes and state.
constexpr GenerateWeights control_weights() {
  GenerateWeights weights = all_weights();
  weights.profile = GenerateProfile::Control;
  weights.name = "control";
  weights.fills = {70, 28, 2};
  weights.empty = 0;
  weights.op_first = 0;
  weights.symbols = 0;
  weights.control = 25;
  weights.structures = 0;
  weights.more_calls = 30;
  return weights;
}

// Quantized layers, and few calls between them.
constexpr GenerateWeights quantized_weights() {
  GenerateWeights weights = shipped_weights();
  weights.methods = 0;
  weights.profile = GenerateProfile::Quantized;
  weights.name = "quantized";
  weights.far_integers = 15;
  weights.fills = {50, 46, 4};
  weights.other_main_dtype = 0;
  weights.structures = 70;
  weights.structure_kind = StructureKind::Quantized;
  return weights;
}

// By GenerateProfile.
inline constexpr std::array generate_weights = {
    alias_weights, state_weights(),   topology_weights(), numeric_weights(), shape_weights(),
    all_weights(), shipped_weights(), dynamic_weights(),  control_weights(), quantized_weights()};

inline const GenerateWeights& weights_of(GenerateProfile profile) {
  return generate_weights[static_cast<std::size_t>(profile)];
}

}  // namespace parallax
