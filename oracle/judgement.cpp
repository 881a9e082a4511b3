#include "oracle/judgement.h"

namespace parallax {

void ElementCounts::add(const ElementCounts& other) {
  total += other.total;
  undecided += other.undecided;
  weak += other.weak;
  by_ensemble += other.by_ensemble;
  exact += other.exact;
  outside += other.outside;
  suspect += other.suspect;
  for (std::size_t i = 0; i < dtype_count; ++i) {
    inexact[i] += other.inexact[i];
    sharp[i] += other.sharp[i];
  }
  for (std::size_t i = 0; i < by_reason.size(); ++i) by_reason[i] += other.by_reason[i];
}

}  // namespace parallax
