// Pointwise program: a list of operations on the elements of some tensors, which one shader runs for any shape.
//
// Every pointwise op, cast and copy is one, and so is a fused group. A program of one function gets a shader that has
// no other; one of several gets the shader of their families, so that a new group rarely needs a new shader.
#pragma once

#include "backends/vulkan/functions.h"
#include "backends/vulkan/recorder.h"
#include "ops/argument.h"

namespace parallax::vulkan {

class PointwiseProgram {
 public:
  // A number of the program: what it is of, and which.
  struct Number {
    uint32_t id = 0;
    DType dtype = DType::F32;
  };

  // Over the elements of a tensor of these sizes, row-major.
  explicit PointwiseProgram(const Dims& sizes) : sizes_(sizes) {}

  // The elements of a layout of the program's sizes.
  Number load(const TensorRef& tensor, const Layout& layout);
  // A Python number as an element of the dtype.
  Number constant(DType dtype, const Scalar& number);
  // The element's row-major number, an i64.
  Number place();
  // f(a, b, c) in the dtype of a; b and c only where the function has them. A predicate's result is a bool.
  Number apply(const Function& function, Number a, std::optional<Number> b = {}, std::optional<Number> c = {});
  Number select(Number condition, Number yes, Number no);
  Number converted(Number number, DType dtype);
  void store(Number number, const TensorRef& tensor, const Layout& layout);

  // Whether one dispatch has room for it: bindings, registers, constants, and no function that wants its own.
  bool fits() const;
  // Writes it down; nothing where there are no elements. `raiser` is the node to blame.
  void record(Recorder& recorder, int raiser);

 private:
  struct Access {
    uint32_t number = 0;
    TensorRef tensor;
    Layout layout;
  };
  struct Operation {
    uint32_t opcode = 0;
    uint32_t target = 0;
    std::array<uint32_t, 3> operands{};
    int numbers = 0;  // so many of the operands are numbers, the others are as they are
  };
  Number add(Operation operation, DType dtype);
  WidthKind width() const;
  Opcodes opcodes() const;
  const ShaderSource& source() const;
  // A register for each number, or nothing where there are too few.
  std::optional<std::vector<uint32_t>> registers() const;
  void merge_dims();

  Dims sizes_;
  std::vector<Access> loads_, stores_;
  std::vector<Operation> operations_;
  struct Constant {
    uint32_t number = 0;
    uint64_t bits = 0;
  };
  std::vector<Constant> constants_;
  std::vector<DType> numbers_;
  bool raises_ = false;
};

}  // namespace parallax::vulkan
