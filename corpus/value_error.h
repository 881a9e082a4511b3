// Value error: how far what a program holds after one of its nodes is from the program in double.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpus/grade.h"
#include "graph/graph.h"

namespace parallax {

// Of one result of a node. The errors are those of its worst element, in units in the last place of the value in
// double; infinite where one of the two is NaN or an infinity and the other is not.
struct ValueError {
  NodeId node;
  std::string name;
  std::string type;              // "f32[2,3]"
  std::optional<double> target;  // nothing where the target did not hand the value out
  std::optional<double> eager;   // likewise
  std::string place;             // of the target's worst element, "[1, 2]"
  std::string wanted;            // what it is in double there
  std::string got;               // what the target holds there
  std::string held;              // all that the target holds; of a large tensor its beginning
};

struct ValueErrors {
  std::vector<ValueError> rows;  // in the program's order
  std::string eager_from;        // what stands for eager: "pytorch-eager", "each operation rounded once"
  bool vanished = false;         // the program is right where its values are handed out
};

// Errors are shown in six classes, from 0 for at most one unit to 5 for NaN or an infinity.
inline constexpr int error_class_count = 6;
int error_class(double ulps);
// "at most 1 ulp", "NaN or infinity".
std::string_view error_class_text(int error_class);

// "0.5 ulp", "NaN or infinity"; "–" for nothing.
std::string ulps_text(const std::optional<double>& ulps);

}  // namespace parallax
