#include "backends/vulkan/pointwise_program.h"

#include <algorithm>
#include <bit>
#include <map>

#include "backends/vulkan/shader_helpers.h"
#include "backends/vulkan/strides.h"

namespace parallax::vulkan {
namespace {

constexpr std::array<uint32_t, 2> register_counts = {16, 64};  // by width

std::string pointwise_text(WidthKind width, const Opcodes& opcodes) {
  std::string text = fmt::format("#define REGISTERS {}\n", register_counts[static_cast<std::size_t>(width)]);
  text += shader_text("pointwise");
  const auto put = [&](std::string_view place, const std::string& what) {
    const std::size_t at = text.find(place);
    PARALLAX_CHECK(at != std::string::npos);
    text.replace(at, place.size(), what);
  };
  const std::string cases = function_cases(opcodes);
  put("HELPERS\n", shader_helpers(cases));
  put("CASES\n", cases);
  return text;
}

}  // namespace

PointwiseProgram::Number PointwiseProgram::add(Operation operation, DType dtype) {
  const Number made{static_cast<uint32_t>(numbers_.size()), dtype};
  numbers_.push_back(dtype);
  operation.target = made.id;
  operations_.push_back(operation);
  return made;
}

PointwiseProgram::Number PointwiseProgram::load(const TensorRef& tensor, const Layout& layout) {
  const Number made{static_cast<uint32_t>(numbers_.size()), tensor.dtype};
  numbers_.push_back(tensor.dtype);
  loads_.push_back({made.id, tensor, layout});
  return made;
}

PointwiseProgram::Number PointwiseProgram::constant(DType dtype, const Scalar& number) {
  uint64_t bits = 0;
  if (dtype == DType::Bool) {
    bits = as_double(number) != 0;
  } else if (class_of(dtype) == NumberClass::Integer) {
    const auto whole = std::visit([](auto x) { return portable::convert<int64_t>(x); }, number);
    bits = static_cast<uint64_t>(portable::rounded_to(dtype, whole));
  } else if (dtype == DType::F64) {
    bits = std::bit_cast<uint64_t>(as_double(number));
  } else {
    const auto real = std::visit([](auto x) { return portable::convert<float>(x); }, number);
    bits = std::bit_cast<uint32_t>(portable::rounded_to(dtype, real));
  }
  const Number made{static_cast<uint32_t>(numbers_.size()), dtype};
  numbers_.push_back(dtype);
  constants_.push_back({made.id, bits});
  return made;
}

PointwiseProgram::Number PointwiseProgram::place() { return add({place_opcode, 0, {}, 0}, DType::I64); }

PointwiseProgram::Number PointwiseProgram::apply(const Function& function, Number a, std::optional<Number> b,
                                                 std::optional<Number> c) {
  const std::optional<uint32_t> opcode = opcode_of(function, class_of(a.dtype));
  PARALLAX_CHECK(opcode.has_value());
  Operation operation{*opcode, 0, {a.id, 0, 0}, 1 + b.has_value() + c.has_value()};
  if (b) operation.operands[1] = b->id;
  if (c) operation.operands[2] = c->id;
  raises_ = raises_ || function.raises;
  if (function.predicate) return add(operation, DType::Bool);
  const Number made = add(operation, a.dtype);
  // The class holds more than the dtype does.
  const bool exact = a.dtype == DType::F32 || a.dtype == DType::F64 || a.dtype == DType::I64;
  return exact ? made : add({convert_opcode, 0, {made.id, uint32_t(made.dtype), uint32_t(a.dtype)}, 1}, a.dtype);
}

PointwiseProgram::Number PointwiseProgram::select(Number condition, Number yes, Number no) {
  PARALLAX_CHECK(yes.dtype == no.dtype);
  return add({select_opcode, 0, {condition.id, yes.id, no.id}, 3}, yes.dtype);
}

PointwiseProgram::Number PointwiseProgram::converted(Number number, DType dtype) {
  if (number.dtype == dtype) return number;
  return add({convert_opcode, 0, {number.id, uint32_t(number.dtype), uint32_t(dtype)}, 1}, dtype);
}

void PointwiseProgram::store(Number number, const TensorRef& tensor, const Layout& layout) {
  stores_.push_back({converted(number, tensor.dtype).id, tensor, layout});
}

WidthKind PointwiseProgram::width() const {
  const Width& narrow = width_of(WidthKind::Narrow);
  const bool fits =
      loads_.size() <= narrow.inputs && stores_.size() <= narrow.outputs && numbers_.size() <= register_counts[0];
  return fits ? WidthKind::Narrow : WidthKind::Wide;
}

Opcodes PointwiseProgram::opcodes() const {
  Opcodes opcodes;
  for (const Operation& operation : operations_) opcodes.set(operation.opcode);
  return opcodes;
}

const ShaderSource& PointwiseProgram::source() const {
  static std::map<std::pair<std::string, WidthKind>, ShaderSource> sources;
  const Opcodes opcodes = with_families(this->opcodes());
  const WidthKind wide = width();
  const auto [at, is_new] = sources.try_emplace({opcodes.to_string(), wide});
  if (is_new) {
    const std::string name = fmt::format("pointwise-{:016x}", hash_of(at->first.first));
    at->second = {name, [wide, opcodes] { return pointwise_text(wide, opcodes); }, wide};
  }
  return at->second;
}

std::optional<std::vector<uint32_t>> PointwiseProgram::registers() const {
  std::vector<std::size_t> last_use(numbers_.size(), 0);
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    for (int k = 0; k < operations_[i].numbers; ++k) last_use[operations_[i].operands[static_cast<std::size_t>(k)]] = i;
  }
  for (const Access& store : stores_) last_use[store.number] = operations_.size();
  const uint32_t count = register_counts[static_cast<std::size_t>(width())];
  std::vector<uint32_t> free;
  for (uint32_t r = count; r-- > 0;) free.push_back(r);
  std::vector<uint32_t> registers(numbers_.size(), 0);
  const auto take = [&](uint32_t number) {
    if (free.empty()) return false;
    registers[number] = free.back();
    free.pop_back();
    return true;
  };
  for (const Access& load : loads_) {
    if (!take(load.number)) return std::nullopt;
  }
  for (const Constant& constant : constants_) {
    if (!take(constant.number)) return std::nullopt;
  }
  std::vector<bool> given_back(numbers_.size(), false);
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& operation = operations_[i];
    for (int k = 0; k < operation.numbers; ++k) {
      const uint32_t operand = operation.operands[static_cast<std::size_t>(k)];
      if (last_use[operand] != i || given_back[operand]) continue;
      given_back[operand] = true;
      free.push_back(registers[operand]);
    }
    if (!take(operation.target)) return std::nullopt;
    // Nobody reads it: the register is free again at once.
    if (last_use[operation.target] <= i) free.push_back(registers[operation.target]);
  }
  return registers;
}

bool PointwiseProgram::fits() const {
  const Width& wide = width_of(WidthKind::Wide);
  return loads_.size() <= wide.inputs && stores_.size() <= wide.outputs && !are_too_many(opcodes()) &&
         registers().has_value();
}

void PointwiseProgram::merge_dims() {
  std::vector<Dims*> strides;
  for (Access& access : loads_) strides.push_back(&access.layout.strides);
  for (Access& access : stores_) strides.push_back(&access.layout.strides);
  vulkan::merge_dims(sizes_, strides);
}

void PointwiseProgram::record(Recorder& recorder, int raiser) {
  if (stores_.empty()) return;  // a group whose results nobody reads
  const int64_t count = contiguous_layout(sizes_).numel();
  if (count == 0) return;
  const std::optional<std::vector<uint32_t>> register_of = registers();
  PARALLAX_CHECK(register_of.has_value());
  Dispatch dispatch;
  dispatch.source = &source();
  dispatch.count = static_cast<uint64_t>(count);
  dispatch.raiser = raises_ ? raiser : -1;
  const auto bind = [&](std::vector<Access>& accesses, std::vector<BufferRange>& ranges) {
    for (Access& access : accesses) {
      const BoundTensor bound = recorder.bind(access.tensor, access.layout);
      access.layout = bound.layout;
      ranges.push_back(bound.range);
    }
  };
  bind(loads_, dispatch.reads);
  bind(stores_, dispatch.writes);
  merge_dims();
  dispatch.metadata = recorder.next_word();
  const auto write_accesses = [&](const std::vector<Access>& accesses) {
    recorder.word(static_cast<int64_t>(accesses.size()));
    for (std::size_t slot = 0; slot < accesses.size(); ++slot) {
      const Access& access = accesses[slot];
      recorder.word(static_cast<int64_t>(slot | static_cast<std::size_t>(access.tensor.dtype) << 8 |
                                         std::size_t{(*register_of)[access.number]} << 16));
      recorder.word(access.layout.offset);
      for (int64_t stride : access.layout.strides) recorder.word(stride);
    }
  };
  recorder.word(sizes_.size());
  for (int64_t size : sizes_) recorder.word(size);
  write_accesses(loads_);
  recorder.word(static_cast<int64_t>(constants_.size()));
  for (const Constant& constant : constants_) {
    recorder.word((*register_of)[constant.number]);
    recorder.number(constant.bits);
  }
  recorder.word(static_cast<int64_t>(operations_.size()));
  const Opcodes opcodes = with_families(this->opcodes());
  for (const Operation& operation : operations_) {
    std::array<uint32_t, 3> operands = operation.operands;
    for (int k = 0; k < operation.numbers; ++k) {
      uint32_t& operand = operands[static_cast<std::size_t>(k)];
      operand = (*register_of)[operand];
    }
    recorder.word(case_number(opcodes, operation.opcode) | (*register_of)[operation.target] << 8 | operands[0] << 14 |
                  operands[1] << 20 | operands[2] << 26);
  }
  write_accesses(stores_);
  recorder.add(std::move(dispatch));
}

}  // namespace parallax::vulkan
