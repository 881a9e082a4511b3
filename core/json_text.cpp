#include "core/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

namespace parallax {
namespace {

// Receives the parser's events and builds the document: the library's own builder drops repeated members silently, and
// looks each new member up among the earlier ones in linear time.
class DocumentBuilder {
 public:
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Frame& frame = frames_.back();
    const bool is_new = frame.seen.insert(name).second;
    frame.key = std::move(name);
    return is_new || refuse("the name '" + frame.key + "' is used twice");
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& exception) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    const std::string_view what = exception.what();
    const std::size_t start = what.find("] ");
    constexpr std::size_t longest = 240;  // the message quotes the last token, however long it is
    reason_ =
        "not JSON: " + std::string(what.substr(start == std::string_view::npos ? 0 : start + 2).substr(0, longest));
    return false;
  }

  Json take() { return std::move(root_); }
  Error error() const { return {ErrorKind::Invalid, "", pointer_, reason_}; }

 private:
  struct Frame {
    Json* container;
    std::string key;  // of the member being read, where the container is an object
    std::unordered_set<std::string> seen;
  };

  bool refuse(std::string reason) {
    reason_ = std::move(reason);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const Frame& frame = frames_[i];
      // A container that is open is its parent's last element; in the innermost one the next element is refused.
      const bool innermost = i + 1 == frames_.size();
      pointer_ += frame.container->is_object() ? pointer_step(frame.key)
                                               : pointer_step(frame.container->size() - (innermost ? 0 : 1));
    }
    return false;
  }
  Json* append(Json&& value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Frame& frame = frames_.back();
    if (frame.container->is_array()) return &frame.container->get_ref<Json::array_t&>().emplace_back(std::move(value));
    auto& members = static_cast<Json::object_t::Container&>(frame.container->get_ref<Json::object_t&>());
    return &members.emplace_back(frame.key, std::move(value)).second;
  }
  bool add(Json&& value) {
    append(std::move(value));
    return true;
  }
  bool open(Json&& container) {
    if (frames_.size() >= static_cast<std::size_t>(max_json_depth)) {
      return refuse(fmt::format("nested deeper than {} levels", max_json_depth));
    }
    frames_.push_back({append(std::move(container)), "", {}});
    return true;
  }
  bool close() {
    frames_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Frame> frames_;
  std::string pointer_;
  std::string reason_;
};

std::string scalar_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool all_scalars(const Json& json) {
  return std::none_of(json.begin(), json.end(), [](const Json& element) { return element.is_structured(); });
}

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  std::string text(const Json& json) {
    put(json, 0);
    return fmt::to_string(out_);
  }

 private:
  // What still fits on one line, spaces of the indentation included.
  static constexpr std::size_t line_width = 120;

  void append(std::string_view text) { out_.append(text.data(), text.data() + text.size()); }
  void new_line(int level) {
    append("\n");
    for (int i = 0; i < indent_ * level; ++i) append(" ");
  }
  template <class PutElement>
  void sequence(const Json& json, std::string_view separator, PutElement&& put_element) {
    const bool object = json.is_object();
    append(object ? "{" : "[");
    bool first = true;
    for (auto element = json.begin(); element != json.end(); ++element) {
      if (!first) append(separator);
      first = false;
      put_element(element, object);
    }
  }
  void put_key(const std::string& key) { append(scalar_text(Json(key)) + ": "); }

  void put_flat(const Json& json) {
    if (!json.is_structured()) return append(scalar_text(json));
    sequence(json, ", ", [&](auto element, bool object) {
      if (object) put_key(element.key());
      put_flat(*element);
    });
    append(json.is_object() ? "}" : "]");
  }
  void put(const Json& json, int level) {
    if (!json.is_structured() || json.empty() || (json.is_array() && all_scalars(json))) return put_flat(json);
    if (level > 0) {
      const std::size_t start = out_.size();
      put_flat(json);
      if (out_.size() - start + static_cast<std::size_t>(indent_ * level) <= line_width) return;
      out_.resize(start);
    }
    sequence(json, ",", [&](auto element, bool object) {
      new_line(level + 1);
      if (object) put_key(element.key());
      put(*element, level + 1);
    });
    new_line(level);
    append(json.is_object() ? "}" : "]");
  }

  int indent_;
  fmt::memory_buffer out_;
};

}  // namespace

Result<Json> parse_json(std::string_view text) {
  if (text.size() > max_json_bytes) {
    return fail("{} bytes of JSON; more than {} are not read", text.size(), max_json_bytes);
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return fail("not JSON: there is nothing in it");
  DocumentBuilder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return std::unexpected(builder.error());
  return builder.take();
}

std::string write_json(const Json& json, int indent) {
  return indent < 0 ? scalar_text(json) : Writer(indent).text(json);
}

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

std::string pointer_step(std::size_t index) { return fmt::format("/{}", index); }

}  // namespace parallax
