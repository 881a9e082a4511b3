// Reads the cases of a .json or .jsonl file.

#include "graph/case.h"
#include "graph/text_file.h"

namespace parallax {

Result<std::vector<Result<Case>>> read_cases(const std::filesystem::path& path) {
  const bool lines = path.extension() == ".jsonl";
  if (!lines && path.extension() != ".json") {
    return std::unexpected(Error{ErrorKind::Invalid, path.string(), "", "a case file ends in .json or .jsonl"});
  }
  TRY(std::string text, read_text_file(path));
  std::vector<Result<Case>> cases;
  if (!lines) {
    cases.push_back(parse_case(text, path.string()));
    return cases;
  }
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    cases.push_back(parse_case(line, fmt::format("{}:{}", path.string(), number)));
  }
  return cases;
}

}  // namespace parallax
