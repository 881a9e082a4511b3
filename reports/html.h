// Html: markup in which a text can be nothing but text.
//
// Whatever comes from a case, a finding or a target goes through text() or an attribute's value, both escaped. What is
// written is well-formed XML too, so that any XML parser can hold a page to it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace parallax {

// The text for content and for attribute values in double quotes. What neither HTML nor XML may hold (control
// characters, broken UTF-8), and the marks that turn the direction of writing, so that a name would read as another,
// become U+FFFD.
std::string escaped_markup(std::string_view text);

class Html {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // Closes its element at the end of its life.
  class Scope {
   public:
    Scope(Html& html, std::string_view tag) : html_(html), tag_(tag) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { html_.close(tag_); }

   private:
    Html& html_;
    std::string_view tag_;
  };

  // Opens an element. Tags and attribute names are literals of this program; an attribute without a value is left out.
  [[nodiscard]] Scope in(std::string_view tag, Attributes attributes = {});
  // A whole element with a text, and one without content.
  void element(std::string_view tag, std::string_view text, Attributes attributes = {});
  void empty(std::string_view tag, Attributes attributes = {});
  void text(std::string_view text);
  // Markup that this program made, as it stands.
  void markup(std::string_view made) { out_ += made; }

  std::string take() { return std::move(out_); }

 private:
  void open(std::string_view tag, Attributes attributes, std::string_view end);
  void close(std::string_view tag);

  std::string out_;
};

}  // namespace parallax
