#include "export/python_harness.h"

#include <fmt/format.h>

#include <string_view>

namespace parallax {
namespace {

constexpr std::string_view observe_head = R"py(def observe(way, call, buffers, given, returned):
    """What a run returns, and what it leaves in the inputs and buffers, by name; what it returns itself is kept."""
)py";

constexpr std::string_view observe_values = R"py(    outputs = call(*given.values())
)py";

constexpr std::string_view open_gradients = R"py(OPEN = {}  # by input, where eager's gradient is NaN


)py";

// Leaves are copied: none may be written in place.
constexpr std::string_view observe_gradients = R"py(    leaves = {name: given[name].requires_grad_() for name in WRT}
    given = given | {name: leaf.clone() for name, leaf in leaves.items()}
    outputs = call(*given.values())
    heads = [(o, c) for o, c in zip(outputs, COTANGENTS) if c is not None and o.requires_grad]
)py";

constexpr std::string_view observe_places = R"py(    places = {f"out[{i}]": tensor for i, tensor in enumerate(outputs)}
    places |= {f"input {name}": tensor for name, tensor in given.items()}
    places |= {f"buffer {name}": tensor for name, tensor in buffers().items()}
)py";

// Tensors that are there at once: a storage object that is gone may have its address taken.
constexpr std::string_view observe_memory = R"py(    storages = {}
    numbers = [storages.setdefault(tensor.untyped_storage()._cdata, len(storages)) for tensor in places.values()]
    places["memory of each, equal where shared"] = torch.tensor(numbers)
)py";

// To a compiler what is not asked for has a cotangent of 0, which times NaN or infinity is NaN, or not: eager's
// gradients show where, and what is NaN there says nothing of a target. Eager runs first.
constexpr std::string_view observe_backward = R"py(    def pull(tensors, seeds):
        if not tensors:
            return [torch.zeros_like(leaf) for leaf in leaves.values()]
        asked = {"retain_graph": way is eager, "allow_unused": True, "materialize_grads": True}
        return torch.autograd.grad(tensors, list(leaves.values()), seeds, **asked)

    found = pull([o for o, _ in heads], [c for _, c in heads])
    if way is eager:
        rest = [tensor for tensor in (*outputs, *given.values(), *buffers().values()) if tensor.requires_grad]
        found = [one + none for one, none in zip(found, pull(rest, [torch.zeros_like(o) for o in rest]))]
        OPEN.update(zip(leaves, (gradient.isnan() for gradient in found)))
    places |= {f"gradient of {name}": one.masked_fill(OPEN[name], torch.nan) for name, one in zip(leaves, found)}
)py";

constexpr std::string_view rest = R"py(    returned.append(outputs)
    return {place: tensor.detach().clone() for place, tensor in places.items()}


def eager(module, example):
    return module, lambda: dict(module.named_buffers())


def run(way, make_module, feeds):
    """Runs of one fresh module, one after the other: it keeps its buffers between them."""
    call, buffers = way(make_module(), tuple(feeds[0]().values()))
    returned = []
    seen = [observe(way, call, buffers, feed(), returned) for feed in feeds]
    places = {f"run {i + 1}, {place}" if i else place: one for i, run in enumerate(seen) for place, one in run.items()}
    if len(feeds) > 1:
        places |= {f"out[{i}] read again": tensor.detach().clone() for i, tensor in enumerate(returned[0])}
    return places


def differs(expected, actual):
    try:
        torch.testing.assert_close(actual, expected, equal_nan=True)
    except AssertionError:
        return True
    return False


def compare(expected, actual):
    """Lines for a person, and whether something differs; what only one side has is shown and not held against it."""
    lines, diverges = [], False
    for place in dict.fromkeys([*expected, *actual]):
        wanted, got = expected.get(place), actual.get(place)
        first = expected.get(place.removesuffix(" read again"))
        if wanted is not None and first is not wanted and differs(first, wanted):
            continue  # a later run writes it in eager, too: memory that is shared, which a target need not share
        if got is None:
            lines.append(f"  {place}: not handed back, expected {wanted}")
        elif wanted is None or not differs(wanted, got):
            lines.append(f"  {place}: {got}")
        else:
            lines.append(f"  {place}: expected {wanted}\n  {' ' * len(place)}  actual   {got}   <-- differs")
            diverges = True
    return lines, diverges
)py";

// The last part with another comparison of tensors.
std::string with_tolerance(std::string_view text, std::optional<double> tolerance) {
  std::string changed(text);
  if (!tolerance) return changed;
  const auto replace = [&](std::string_view from, const std::string& to) {
    changed.replace(changed.find(from), from.size(), to);
  };
  replace("expected, equal_nan=True)", fmt::format("expected, rtol=0, atol={:.17g}, equal_nan=True)", *tolerance));
  if (*tolerance == 0) {
    replace("        return True\n    return False\n",
            "        return True\n"
            "    signs = [tensor.signbit() & ~tensor.isnan() for tensor in (expected, actual)]\n"
            "    return not torch.equal(*signs)\n");
  }
  return changed;
}

}  // namespace

std::string python_harness(bool gradients, bool identity, std::optional<double> tolerance) {
  std::string text(gradients ? open_gradients : "");
  text += observe_head;
  text += gradients ? observe_gradients : observe_values;
  text += observe_places;
  if (identity) text += observe_memory;
  if (gradients) text += observe_backward;
  return text.append(with_tolerance(rest, tolerance));
}

}  // namespace parallax
