// Error map: how far each value of a program is from the program in double, target beside eager: the legend of the
// coloured graph, its words for who cannot see it, and the table with the numbers.
#pragma once

#include <string>

#include "corpus/value_error.h"
#include "reports/html.h"

namespace parallax {

void write_error_legend(Html& html);
void write_error_table(Html& html, const ValueErrors& errors);

// "Coloured by error: the farthest is c, 2e+06 ulp where eager has 0.5 ulp."; of a program with nothing to say, "".
std::string error_words(const ValueErrors& errors);

}  // namespace parallax
