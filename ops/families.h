// The one list of op families. A new family is its file in ops/families/ and two lines here: the declaration, and the
// entry with the group of its pure ops (views and in-place ops have groups of their own).
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace parallax {

std::vector<OpDef> view_family();             // the whole tensor under other dims: view, permute, squeeze …
std::vector<OpDef> window_family();           // some of its elements: select, slice, as_strided …
std::vector<OpDef> split_family();            // lists of windows: split, chunk, unbind
std::vector<OpDef> copy_family();             // clone, contiguous, casts, copy_
std::vector<OpDef> view_copy_family();        // the copying twins of views
std::vector<OpDef> bit_cast_family();         // the bytes of a tensor as another dtype
std::vector<OpDef> unary_family();            // one operand, element by element
std::vector<OpDef> exponential_family();      // exponentials, logarithms, roots
std::vector<OpDef> trigonometric_family();    // angles and hyperbola
std::vector<OpDef> rounding_family();         // ceil, floor, round, trunc
std::vector<OpDef> activation_family();       // the non-linear functions of neural networks
std::vector<OpDef> special_family();          // erf, lgamma and other special functions
std::vector<OpDef> bessel_family();           // Bessel functions and Airy's
std::vector<OpDef> zeta_family();             // zeta and polygamma
std::vector<OpDef> orthogonal_family();       // orthogonal polynomials
std::vector<OpDef> predicate_family();        // isnan, isinf, signbit
std::vector<OpDef> binary_family();           // two operands, element by element, with promotion
std::vector<OpDef> division_family();         // quotients, rounded or not, and remainders
std::vector<OpDef> ternary_family();          // addcmul, addcdiv, lerp
std::vector<OpDef> power_family();            // pow, float_power, ldexp
std::vector<OpDef> binary_function_family();  // atan2, hypot, copysign, logaddexp …
std::vector<OpDef> clamp_family();            // clamp with tensors, clamp_min, clamp_max
std::vector<OpDef> bitwise_family();          // bit by bit, shifts, gcd
std::vector<OpDef> logical_family();          // and, or, xor of truth values
std::vector<OpDef> comparison_family();       // element by element into bool; where
std::vector<OpDef> fill_family();             // fill, zero, masked_fill
std::vector<OpDef> full_family();             // full, its likes, arange
std::vector<OpDef> reduction_family();        // sum, mean, prod
std::vector<OpDef> truth_family();            // any, all, count_nonzero
std::vector<OpDef> extremum_family();         // max, amin, argmax …
std::vector<OpDef> variance_family();         // var, std, with the mean or without
std::vector<OpDef> vector_norm_family();      // linalg_vector_norm, norm, dist
std::vector<OpDef> matmul_family();           // mm, bmm, linear, addmm and their kin
std::vector<OpDef> outer_family();            // outer, ger, addr
std::vector<OpDef> convolution_family();      // convolution and its named forms
std::vector<OpDef> pooling_family();          // averages of windows
std::vector<OpDef> max_pool_family();         // maxima of windows and their places
std::vector<OpDef> upsample_family();         // nearest, linear and cubic resampling
std::vector<OpDef> grid_sampler_family();     // a picture read at given positions
std::vector<OpDef> distance_family();         // distances between rows
std::vector<OpDef> order_statistic_family();  // median, kthvalue
std::vector<OpDef> softmax_family();          // softmax, logsumexp
std::vector<OpDef> attention_family();        // attention in its forms
std::vector<OpDef> recurrent_family();        // recurrent layers and their cells
std::vector<OpDef> normalization_family();    // layer, group and RMS norm
std::vector<OpDef> batch_norm_family();       // batch norm and its running statistics
std::vector<OpDef> scan_family();             // cumsum, cumprod, cummax
std::vector<OpDef> join_family();             // cat, stack
std::vector<OpDef> scatter_family();          // slice_scatter and its kin
std::vector<OpDef> rearrange_family();        // flip, roll, repeat
std::vector<OpDef> index_family();            // index, index_put
std::vector<OpDef> gather_family();           // index_select, gather, take, embedding
std::vector<OpDef> embedding_bag_family();    // rows of a table, reduced bag by bag
std::vector<OpDef> scatter_index_family();    // scatter, scatter_add, scatter_reduce
std::vector<OpDef> index_add_family();        // index_add, index_reduce
std::vector<OpDef> index_copy_family();       // index_copy, index_fill, put
std::vector<OpDef> sort_family();             // sort, argsort, topk
std::vector<OpDef> pad_family();              // constant, reflection and replication pads
std::vector<OpDef> mask_family();             // masked_scatter, nonzero_static
std::vector<OpDef> triangle_family();         // tril, triu, eye, diag_embed
std::vector<OpDef> search_family();           // searchsorted, bucketize
std::vector<OpDef> repeat_interleave_family();
std::vector<OpDef> gradient_family();             // the gradients that are ops of their own
std::vector<OpDef> create_family();               // zeros, ones, new_full
std::vector<OpDef> quantization_family();         // floats to integers and back, by a scale and a zero point
std::vector<OpDef> quantization_choice_family();  // the scale and the zero point that a tensor asks for

struct OpFamily {
  std::string_view name;  // as tables show it
  std::vector<OpDef> (*ops)();
  OpGroup group;
};

inline constexpr std::array op_families = {
    OpFamily{"view", view_family, OpGroup::View},
    OpFamily{"window", window_family, OpGroup::View},
    OpFamily{"split", split_family, OpGroup::View},
    OpFamily{"copy", copy_family, OpGroup::Copy},
    OpFamily{"view copy", view_copy_family, OpGroup::Copy},
    OpFamily{"bit cast", bit_cast_family, OpGroup::Copy},
    OpFamily{"unary", unary_family, OpGroup::Pointwise},
    OpFamily{"exponential", exponential_family, OpGroup::Pointwise},
    OpFamily{"trigonometric", trigonometric_family, OpGroup::Pointwise},
    OpFamily{"rounding", rounding_family, OpGroup::Pointwise},
    OpFamily{"activation", activation_family, OpGroup::Pointwise},
    OpFamily{"special", special_family, OpGroup::Pointwise},
    OpFamily{"bessel", bessel_family, OpGroup::Pointwise},
    OpFamily{"zeta", zeta_family, OpGroup::Pointwise},
    OpFamily{"orthogonal", orthogonal_family, OpGroup::Pointwise},
    OpFamily{"predicate", predicate_family, OpGroup::Comparison},
    OpFamily{"binary", binary_family, OpGroup::Pointwise},
    OpFamily{"division", division_family, OpGroup::Pointwise},
    OpFamily{"ternary", ternary_family, OpGroup::Pointwise},
    OpFamily{"power", power_family, OpGroup::Pointwise},
    OpFamily{"binary function", binary_function_family, OpGroup::Pointwise},
    OpFamily{"clamp", clamp_family, OpGroup::Pointwise},
    OpFamily{"bitwise", bitwise_family, OpGroup::Pointwise},
    OpFamily{"logical", logical_family, OpGroup::Comparison},
    OpFamily{"comparison", comparison_family, OpGroup::Comparison},
    OpFamily{"fill", fill_family, OpGroup::Fill},
    OpFamily{"full", full_family, OpGroup::Fill},
    OpFamily{"reduction", reduction_family, OpGroup::Reduction},
    OpFamily{"truth", truth_family, OpGroup::Reduction},
    OpFamily{"extremum", extremum_family, OpGroup::Reduction},
    OpFamily{"variance", variance_family, OpGroup::Reduction},
    OpFamily{"vector norm", vector_norm_family, OpGroup::Reduction},
    OpFamily{"matmul", matmul_family, OpGroup::Reduction},
    OpFamily{"outer", outer_family, OpGroup::Pointwise},
    OpFamily{"convolution", convolution_family, OpGroup::Reduction},
    OpFamily{"pooling", pooling_family, OpGroup::Reduction},
    OpFamily{"max pool", max_pool_family, OpGroup::Reduction},
    OpFamily{"upsample", upsample_family, OpGroup::Scatter},
    OpFamily{"grid sampler", grid_sampler_family, OpGroup::Scatter},
    OpFamily{"distance", distance_family, OpGroup::Reduction},
    OpFamily{"order statistic", order_statistic_family, OpGroup::Reduction},
    OpFamily{"softmax", softmax_family, OpGroup::Reduction},
    OpFamily{"attention", attention_family, OpGroup::Reduction},
    OpFamily{"recurrent", recurrent_family, OpGroup::Reduction},
    OpFamily{"normalization", normalization_family, OpGroup::Reduction},
    OpFamily{"batch norm", batch_norm_family, OpGroup::Reduction},
    OpFamily{"scan", scan_family, OpGroup::Reduction},
    OpFamily{"join", join_family, OpGroup::Join},
    OpFamily{"scatter", scatter_family, OpGroup::Scatter},
    OpFamily{"rearrange", rearrange_family, OpGroup::Scatter},
    OpFamily{"index", index_family, OpGroup::Scatter},
    OpFamily{"gather", gather_family, OpGroup::Scatter},
    OpFamily{"embedding bag", embedding_bag_family, OpGroup::Scatter},
    OpFamily{"scatter index", scatter_index_family, OpGroup::Scatter},
    OpFamily{"index add", index_add_family, OpGroup::Scatter},
    OpFamily{"index copy", index_copy_family, OpGroup::Scatter},
    OpFamily{"sort", sort_family, OpGroup::Scatter},
    OpFamily{"pad", pad_family, OpGroup::Join},
    OpFamily{"mask", mask_family, OpGroup::Scatter},
    OpFamily{"triangle", triangle_family, OpGroup::Scatter},
    OpFamily{"search", search_family, OpGroup::Scatter},
    OpFamily{"repeat interleave", repeat_interleave_family, OpGroup::Scatter},
    OpFamily{"gradient", gradient_family, OpGroup::Reduction},
    OpFamily{"create", create_family, OpGroup::Fill},
    OpFamily{"quantization", quantization_family, OpGroup::Pointwise},
    OpFamily{"quantization choice", quantization_choice_family, OpGroup::Reduction},
};

}  // namespace parallax
