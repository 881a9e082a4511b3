#include "backends/external/declined.h"

#include <fmt/format.h>

#include <map>

#include "core/json_field.h"
#include "graph/text_file.h"

namespace parallax {

namespace {

Result<void> read_entry(const std::string& op, const Field& entry, Declined& declined) {
  TRY_VOID(entry.expect_object());
  TRY(std::string why, entry.need_text("why"));
  TRY(const Field dtypes, entry.need("dtypes"));
  if (dtypes.json() == "all") {
    declined.add(op, Declined::Dtypes().set(), true, std::move(why));
    return {};
  }
  TRY_VOID(dtypes.expect_array());
  Declined::Dtypes set;
  for (std::size_t i = 0; i < dtypes.json().size(); ++i) {
    TRY(const std::string name, dtypes.element(i).text());
    const auto dtype = parse_dtype(name);
    if (!dtype) return dtypes.element(i).fail("'{}' is no dtype", name);
    set.set(static_cast<std::size_t>(*dtype));
  }
  declined.add(op, set, false, std::move(why));
  return {};
}

Result<Declined> parse(std::string_view text) {
  TRY(const Json document, parse_json(text));
  const Field root(document, "");
  TRY_VOID(root.expect_object());
  Declined declined;
  TRY_VOID(for_each_member(root,
                           [&](const std::string& op, const Field& entry) { return read_entry(op, entry, declined); }));
  return declined;
}

}  // namespace

Result<Declined> Declined::read(const std::filesystem::path& file) {
  TRY(const std::string text, read_text_file(file));
  auto declined = parse(text);
  if (!declined) declined.error().file = file.string();
  return declined;
}

std::string Declined::to_json() const {
  Json json = Json::object();
  for (const auto& [op, entry] : std::map(entries_.begin(), entries_.end())) {
    Json dtypes = "all";
    if (!entry.wholly) {
      dtypes = Json::array();
      for (int d = 0; d < dtype_count; ++d) {
        if (entry.dtypes[static_cast<std::size_t>(d)]) dtypes.push_back(name(static_cast<DType>(d)));
      }
    }
    json[op] = {{"dtypes", dtypes}, {"why", entry.why}};
  }
  // One line an op, so that differences between versions read well.
  std::string text = "{";
  for (const auto& [op, entry] : json.items()) {
    text += fmt::format("{}\n  {}: {}", text.size() > 1 ? "," : "", write_json(Json(op)), write_json(entry));
  }
  return text + "\n}\n";
}

void Declined::add(std::string op, Dtypes dtypes, bool wholly, std::string why) {
  entries_.insert_or_assign(std::move(op), Entry{dtypes, wholly, std::move(why)});
}

const Declined::Entry* Declined::find(std::string_view op) const {
  const auto found = entries_.find(std::string(op));
  return found == entries_.end() ? nullptr : &found->second;
}

bool Declined::has(std::string_view op, DType dtype) const {
  const Entry* entry = find(op);
  return entry && (entry->wholly || entry->dtypes[static_cast<std::size_t>(dtype)]);
}

bool Declined::wholly(std::string_view op) const {
  const Entry* entry = find(op);
  return entry && entry->wholly;
}

}  // namespace parallax
