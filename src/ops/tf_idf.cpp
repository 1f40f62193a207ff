// TfIdfVectorizer: counts of the n-grams of a pool.
#include <algorithm>
#include <unordered_map>

#include "ops/families.h"

namespace sardonyx {
namespace {

// The pool's n-grams as a trie. Its nodes are numbers; 0 is the root, n-gram k of the pool ends in some node.
class Trie {
 public:
  static constexpr int32_t kNone = -1;

  // The node that `item` leads to from `node`; kNone where no n-gram goes there.
  int32_t next(int32_t node, int32_t item) const {
    const auto it = edges_.find(key(node, item));
    return it == edges_.end() ? kNone : it->second;
  }
  // The n-gram that ends in `node`; kNone where none does.
  int32_t gram_at(int32_t node) const { return grams_[static_cast<size_t>(node)]; }

  // Of an n-gram that is there twice the first counts.
  void add(std::span<const int32_t> items, int32_t gram) {
    int32_t node = 0;
    for (int32_t item : items) {
      const auto [it, made] = edges_.try_emplace(key(node, item), static_cast<int32_t>(grams_.size()));
      if (made) grams_.push_back(kNone);
      node = it->second;
    }
    int32_t& at = grams_[static_cast<size_t>(node)];
    if (at == kNone) at = gram;
  }

 private:
  static uint64_t key(int32_t node, int32_t item) {
    return static_cast<uint64_t>(static_cast<uint32_t>(node)) << 32 | static_cast<uint32_t>(item);
  }
  std::unordered_map<uint64_t, int32_t> edges_;
  std::vector<int32_t> grams_{kNone};  // of each node
};

// ONNX TfIdfVectorizer.
class TfIdfVectorizer final : public Operator {
 public:
  explicit TfIdfVectorizer(const Attributes& a)
      : mode_(static_cast<Mode>(a.choice("mode", {"TF", "IDF", "TFIDF"}, -1))),
        least_(a.integer("min_gram_length")),
        most_(a.integer("max_gram_length")),
        skips_(a.integer("max_skip_count")),
        places_(a.ints("ngram_indexes")),
        weights_(a.floats("weights")) {
    check(a.has("mode"), ErrorCode::invalid_model, "attribute \"mode\" is missing");
    check(least_ >= 1 && most_ >= least_, ErrorCode::invalid_model, "n-grams of ", least_, " to ", most_, " items");
    check(skips_ >= 0, ErrorCode::invalid_model, "attribute \"max_skip_count\" is ", skips_);
    check(!places_.empty(), ErrorCode::invalid_model, "attribute \"ngram_indexes\" is missing or empty");
    check(weights_.empty() || weights_.size() == places_.size(), ErrorCode::invalid_model, "attribute \"weights\" has ",
          weights_.size(), " values for ", places_.size(), " n-grams");
    for (int64_t place : places_) {
      check(place >= 0, ErrorCode::invalid_model, "attribute \"ngram_indexes\" has ", place);
      size_ = std::max(size_, place + 1);
    }
    read_pool(a);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, strings_ ? DTypeSet{DType::string} : kIndex);
    c.require_rank(0, 1, 2);
    c.set_output(0, DType::float32, c.rank(0) == 1 ? Shape{size_} : Shape{c.shape(0)[0], size_});
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    float* y = c.output(0).data<float>();
    const int64_t length = x.shape().back(), rows = x.rank() == 1 ? 1 : x.dim(0);
    std::vector<int32_t> items(static_cast<size_t>(length));
    std::vector<float> counts(places_.size());
    for (int64_t row = 0; row < rows; row++, y += size_) {
      read_items(x, row * length, items);
      std::fill(counts.begin(), counts.end(), 0.0f);
      count(items, counts);
      std::fill_n(y, size_, 0.0f);
      for (size_t i = 0; i < counts.size(); i++) {
        if (counts[i] > 0) y[places_[i]] += value_of(i, counts[i]);
      }
    }
  }

 private:
  enum class Mode : int8_t { tf, idf, tfidf };
  static constexpr int32_t kUnknown = -1;  // an item that is not in the pool

  void read_pool(const Attributes& a) {
    const std::vector<int64_t> numbers = a.ints("pool_int64s"), starts = a.ints("ngram_counts");
    const std::vector<std::string> words = a.strings("pool_strings");
    check(numbers.empty() != words.empty(), ErrorCode::invalid_model,
          "one of the attributes \"pool_int64s\" and \"pool_strings\" must have the pool");
    strings_ = !words.empty();
    std::vector<int32_t> pool;
    for (int64_t n : numbers) pool.push_back(numbers_.try_emplace(n, pool.size()).first->second);
    for (const std::string& s : words) pool.push_back(words_.try_emplace(s, pool.size()).first->second);

    int32_t gram = 0;
    for (size_t i = 0; i < starts.size(); i++) {
      const int64_t length = static_cast<int64_t>(i) + 1, all = static_cast<int64_t>(pool.size());
      const int64_t from = starts[i], to = i + 1 < starts.size() ? starts[i + 1] : all;
      check(from >= 0 && from <= to && to <= all && (to - from) % length == 0, ErrorCode::invalid_model,
            "attribute \"ngram_counts\": no ", length, "-grams can be at ", from, " to ", to, " of ", all);
      for (int64_t at = from; at < to; at += length, gram++) {
        if (length < least_ || length > most_) continue;
        trie_.add(std::span(pool).subspan(static_cast<size_t>(at), static_cast<size_t>(length)), gram);
      }
    }
    check(static_cast<size_t>(gram) == places_.size(), ErrorCode::invalid_model, "attribute \"ngram_indexes\" has ",
          places_.size(), " values for ", gram, " n-grams");
  }

  void read_items(const Tensor& x, int64_t first, std::vector<int32_t>& items) const {
    const auto look_up = [](const auto& map, const auto& key) {
      const auto it = map.find(key);
      return it == map.end() ? kUnknown : it->second;
    };
    for (size_t i = 0; i < items.size(); i++) {
      const int64_t at = first + static_cast<int64_t>(i);
      if (strings_) {
        items[i] = look_up(words_, x.data<std::string>()[at]);
      } else {
        items[i] = look_up(numbers_, x.dtype() == DType::int64 ? x.data<int64_t>()[at] : x.data<int32_t>()[at]);
      }
    }
  }

  // Adds the occurrences of each n-gram, its items 1 to skips_ + 1 apart. Distances do not matter to single items:
  // they count once.
  void count(std::span<const int32_t> items, std::vector<float>& counts) const {
    const int64_t size = static_cast<int64_t>(items.size());
    for (int64_t step = 1; step <= std::min(skips_, std::max<int64_t>(size, 1) - 1) + 1; step++) {
      for (int64_t start = 0; start < size; start++) {
        int32_t node = 0;
        for (int64_t at = start, length = 1; at < size; at += step, length++) {
          const int32_t item = items[static_cast<size_t>(at)];
          node = item == kUnknown ? Trie::kNone : trie_.next(node, item);
          if (node == Trie::kNone) break;
          const int32_t gram = trie_.gram_at(node);
          if (gram != Trie::kNone && (length > 1 || step == 1)) counts[static_cast<size_t>(gram)] += 1;
        }
      }
    }
  }

  float value_of(size_t gram, float count) const {
    const float weight = weights_.empty() ? 1.0f : weights_[gram];
    return mode_ == Mode::tf ? count : mode_ == Mode::idf ? weight : weight * count;
  }

  Mode mode_;
  int64_t least_, most_, skips_;
  std::vector<int64_t> places_;  // of each n-gram in the output
  std::vector<float> weights_;
  int64_t size_ = 0;
  bool strings_ = false;
  std::unordered_map<int64_t, int32_t> numbers_;
  std::unordered_map<std::string, int32_t> words_;
  Trie trie_;
};

constexpr OpEntry kOps[] = {{"TfIdfVectorizer", 9, make_operator<TfIdfVectorizer>}};

}  // namespace

std::span<const OpEntry> tf_idf_ops() { return kOps; }

}  // namespace sardonyx
