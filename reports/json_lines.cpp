#include "reports/json_lines.h"

#include <algorithm>

namespace parallax {
namespace {

Result<void> visit_line(std::string_view line, const std::function<Result<void>(const Field& object)>& visit) {
  TRY(const Json json, parse_json(line));
  const Field object(json, "");
  TRY_VOID(object.expect_object());
  return visit(object);
}

}  // namespace

Result<void> for_each_json_line(const std::string& file, std::string_view text,
                                const std::function<Result<void>(const Field& object)>& visit,
                                std::vector<Error>* broken) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (auto visited = visit_line(line, visit); !visited) {
      Error error = std::move(visited).error();
      error.file = fmt::format("{}:{}", file, number);
      if (broken == nullptr) return std::unexpected(std::move(error));
      broken->push_back(std::move(error));
    }
  }
  return {};
}

}  // namespace parallax
