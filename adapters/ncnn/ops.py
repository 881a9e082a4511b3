"""The ATen overloads that can be written for ncnn: what needs no comparison, no integer and no f64 on the way.

log_sigmoid is left out though ONNX's formula of it has a layer for each operator: ncnn's Softplus, log(exp(x) + 1) in
f32, loses the small results that the formula is made for.
"""

from __future__ import annotations

from adapters.onnx.ops import IN_PLACE
from adapters.onnx.views import COPIES, OBJECTS, SCATTERS, VIEWS

_NAMES = """
    abs.default acos.default asin.default atan.default ceil.default cos.default deg2rad.default erf.default
    exp.default exp2.default expm1.default floor.default log.default log10.default log1p.default log2.default
    neg.default rad2deg.default reciprocal.default round.decimals round.default rsqrt.default sigmoid.default
    sin.default sqrt.default square.default tan.default tanh.default

    add.Scalar add.Tensor addcdiv.default addcmul.default clamp.Tensor clamp.default clamp_max.Tensor
    clamp_max.default clamp_min.Tensor clamp_min.default div.Scalar div.Tensor max.other maximum.default min.other
    minimum.default mul.Scalar mul.Tensor pow.Scalar pow.Tensor_Scalar pow.Tensor_Tensor rsub.Scalar rsub.Tensor
    sub.Scalar sub.Tensor

    celu.default elu.default gelu.default glu.default hardsigmoid.default hardswish.default hardtanh.default
    leaky_relu.default logit.default mish.default relu.default relu6.default selu.default
    silu.default

    amax.default amin.default aminmax.default cumsum.default dist.default linalg_vector_norm.default
    logsumexp.default max.default mean.default mean.dim min.default norm.Scalar norm.ScalarOpt_dim prod.default
    prod.dim_int std.correction std.default std.dim std_mean.correction std_mean.default std_mean.dim sum.default
    sum.dim_IntList var.correction var.default var.dim var_mean.correction var_mean.default var_mean.dim

    _log_softmax.default _softmax.default log_softmax.int softmax.int special_log_softmax.default
    special_softmax.default

    batch_norm.default group_norm.default layer_norm.default native_layer_norm.default rms_norm.default

    addmm.default addmv.default addr.default baddbmm.default bmm.default dot.default ger.default linear.default
    matmul.default mm.default mv.default outer.default vdot.default

    conv1d.default conv2d.default conv3d.default conv_transpose1d.default conv_transpose2d.input
    conv_transpose3d.input convolution.default

    _adaptive_avg_pool2d.default _adaptive_avg_pool3d.default adaptive_avg_pool1d.default avg_pool1d.default
    avg_pool2d.default avg_pool3d.default max_pool2d_with_indices.default max_pool3d_with_indices.default
    upsample_bilinear2d.default upsample_bilinear2d.vec upsample_nearest2d.default upsample_nearest2d.vec

    cat.default constant_pad_nd.default flip.default reflection_pad1d.default reflection_pad2d.default
    reflection_pad3d.default repeat.default repeat_interleave.self_int replication_pad1d.default
    replication_pad2d.default replication_pad3d.default roll.default stack.default

    fill.Scalar full.default full_like.default new_full.default new_ones.default new_zeros.default ones.default
    ones_like.default zero.default zeros.default zeros_like.default
"""

_TAKEN = frozenset(f"aten.{name}" for name in _NAMES.split())

OPS = tuple(
    sorted(
        {
            *_TAKEN,
            *(twin for twin, name in IN_PLACE.items() if name in _TAKEN),
            *VIEWS,
            *COPIES,
            *OBJECTS,
            *SCATTERS,
            "getitem",
        }
    )
)
