#include "graph/second_feed.h"

#include <unordered_map>

namespace parallax {
namespace {

// The value of element `from`, floats scaled, written to element `to` of another tensor.
void move_element(const Tensor& source, int64_t from, Tensor& target, int64_t to) {
  if (is_floating(source.dtype)) {
    target.set_double(to, source.get_double(from) * -0.5);
  } else {
    target.set_integer(to, source.get_integer(from));
  }
}

// Elements are rolled in memory, so that logical indices which share an element keep agreeing.
Tensor rolled(const Tensor& tensor, const Layout& layout) {
  std::vector<int64_t> representative;                    // by logical index: the first one on the same memory
  std::vector<int64_t> distinct;                          // the representatives, in order
  std::unordered_map<int64_t, int64_t> first_of_element;  // by storage element
  for_each_element(layout, [&](int64_t element) {
    const auto index = static_cast<int64_t>(representative.size());
    const auto [found, is_new] = first_of_element.emplace(element, index);
    representative.push_back(found->second);
    if (is_new) distinct.push_back(index);
  });
  Tensor result = tensor;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    move_element(tensor, distinct[(i + distinct.size() - 1) % distinct.size()], result, distinct[i]);
  }
  const auto size = static_cast<std::ptrdiff_t>(size_of(tensor.dtype));
  for (std::size_t i = 0; i < representative.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    if (representative[i] != index) std::copy_n(result.at(representative[i]), size, result.at(index));
  }
  return result;
}

}  // namespace

std::vector<Tensor> second_feed(const Case& test) {
  const std::vector<FeedSlot> slots = feed_slots(test.graph);
  std::vector<Tensor> feed;
  for (std::size_t i = 0; i < slots.size(); ++i) feed.push_back(rolled(test.feed[i], slots[i].layout));
  return feed;
}

}  // namespace parallax
