#include "tests/reports/well_formed.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "graph/text_file.h"

namespace parallax::testing {

std::string xml_error(const std::string& page) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / ("parallax_page_" + std::to_string(::getpid()) + ".html");
  if (auto written = write_text_file(file, page); !written) return written.error().text();
  const std::string command =
      "python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' '" + file.string() + "' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string said;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
  const int status = ::pclose(pipe);
  std::filesystem::remove(file);
  return status == 0 ? "" : said.empty() ? "the parser failed" : said;
}

}  // namespace parallax::testing
