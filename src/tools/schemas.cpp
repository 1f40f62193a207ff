// Reads operators.txt, which the build makes a part of the program; a line is taken apart when it is asked for.
#include "tools/schemas.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/dtype.h"
#include "base/error.h"

namespace sardonyx::tools {

extern const std::string_view kOperatorsText;  // operators_text.cpp, made by the build

namespace {

using std::string_view;

// The part of `text` up to `mark`, which it loses with the mark.
string_view take(string_view& text, char mark) {
  const size_t end = text.find(mark);
  const string_view part = text.substr(0, end);
  text = end == string_view::npos ? string_view() : text.substr(end + 1);
  return part;
}

int to_int(string_view digits) {
  int n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return n;
}

std::vector<PortSchema> ports_of(string_view text) {
  std::vector<PortSchema> ports;
  while (!text.empty()) {
    string_view port = take(text, ' ');
    PortSchema p;
    p.name = take(port, ':');
    p.type = port;
    const size_t mark = p.name.find_first_of("?*~");
    if (mark != string_view::npos) {
      p.optional = p.name[mark] == '?';
      p.variadic = !p.optional;
      p.same_type = p.name[mark] != '~';
      p.least = to_int(p.name.substr(mark + 1));
      p.name = p.name.substr(0, mark);
    }
    ports.push_back(p);
  }
  return ports;
}

std::vector<string_view> list_of(string_view text) {
  std::vector<string_view> items;
  while (!text.empty()) items.push_back(take(text, ','));
  return items;
}

struct Line {
  int since;
  string_view rest;
  std::unique_ptr<OperatorSchema> schema;
};

constexpr string_view kKinds = "?fistgFISTGpPyY";
constexpr string_view kKindTexts[] = {"nothing",
                                      "a float",
                                      "an int",
                                      "a string",
                                      "a tensor",
                                      "a graph",
                                      "a list of floats",
                                      "a list of ints",
                                      "a list of strings",
                                      "a list of tensors",
                                      "a list of graphs",
                                      "a sparse tensor",
                                      "a list of sparse tensors",
                                      "a type",
                                      "a list of types"};
constexpr string_view kTypeNames[] = {
    "undefined",  "float",        "uint8",          "int8",       "uint16",         "int16",  "int32",     "int64",
    "string",     "bool",         "float16",        "double",     "uint32",         "uint64", "complex64", "complex128",
    "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",  "int4",      "float4e2m1",
    "float8e8m0", "uint2",        "int2",           "float6e2m3", "float6e3m2"};

}  // namespace

struct Schemas::Parts {
  std::unordered_map<std::string, std::vector<Line>> operators;  // by "domain.Type"
  std::unordered_map<std::string, int> newest;
  std::unordered_map<string_view, std::vector<string_view>> sets;

  void read(string_view text) {
    while (!text.empty()) {
      string_view line = take(text, '\n');
      if (line.empty() || line.front() == '/') continue;
      const string_view name = take(line, ' ');
      if (name.front() == '#') {
        sets[name] = list_of(line);
        continue;
      }
      const int since = to_int(take(line, '|'));
      const size_t dot = name.rfind('.');
      int& top = newest[std::string(dot == string_view::npos ? string_view() : name.substr(0, dot))];
      top = std::max(top, since);
      operators[std::string(name)].push_back({since, line, nullptr});
    }
  }

  std::unique_ptr<OperatorSchema> parse(int since, string_view line) const {
    auto schema = std::make_unique<OperatorSchema>();
    schema->since = since;
    schema->inputs = ports_of(take(line, '|'));
    schema->outputs = ports_of(take(line, '|'));
    for (string_view types = take(line, '|'); !types.empty();) {
      const string_view one = take(types, ' ');
      const size_t equals = one.rfind('=');
      schema->types[one.substr(0, equals)] = sets.at(one.substr(equals + 1));
    }
    for (string_view list = take(line, '|'); !list.empty();) {
      string_view one = take(list, ' ');
      const string_view name = take(one, ':');
      schema->attributes.push_back({name, one.front(), one.back() == '!'});
    }
    schema->deprecated = line == "deprecated";
    return schema;
  }

  std::vector<Line>* lines(string_view domain, string_view type) {
    const auto found = operators.find(domain.empty() ? std::string(type) : cat(domain, ".", type));
    return found == operators.end() ? nullptr : &found->second;
  }
};

const AttributeSchema* OperatorSchema::attribute(string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

Arity arity_of(std::span<const PortSchema> ports) {
  Arity arity{0, static_cast<int>(ports.size())};
  for (size_t i = 0; i < ports.size(); i++) {
    const int before = static_cast<int>(i);
    if (ports[i].variadic) {
      arity.most = -1;
      if (ports[i].least > 0) arity.least = before + ports[i].least;
    } else if (!ports[i].optional) {
      arity.least = before + 1;
    }
  }
  return arity;
}

const PortSchema* port_at(std::span<const PortSchema> ports, size_t i) {
  if (i < ports.size()) return &ports[i];
  return !ports.empty() && ports.back().variadic ? &ports.back() : nullptr;
}

Schemas::Schemas() : parts_(std::make_unique<Parts>()) { parts_->read(kOperatorsText); }
Schemas::~Schemas() = default;

bool Schemas::knows_domain(string_view domain) const { return parts_->newest.contains(std::string(domain)); }

const OperatorSchema* Schemas::find(string_view domain, string_view type, int64_t opset) const {
  std::vector<Line>* lines = parts_->lines(domain, type);
  Line* best = nullptr;
  if (!lines) return nullptr;
  for (Line& line : *lines)
    if (line.since <= opset && (!best || line.since > best->since)) best = &line;
  if (best && !best->schema) best->schema = parts_->parse(best->since, best->rest);
  return best ? best->schema.get() : nullptr;
}

int Schemas::first_version(string_view domain, string_view type) const {
  const std::vector<Line>* lines = parts_->lines(domain, type);
  int first = 0;
  if (lines)
    for (const Line& line : *lines) first = first == 0 ? line.since : std::min(first, line.since);
  return first;
}

int Schemas::newest(string_view domain) const {
  const auto found = parts_->newest.find(std::string(domain));
  return found == parts_->newest.end() ? 0 : found->second;
}

char kind_letter(int attribute_type) {
  return attribute_type > 0 && static_cast<size_t>(attribute_type) < kKinds.size()
             ? kKinds[static_cast<size_t>(attribute_type)]
             : '\0';
}

string_view kind_text(char kind) {
  const size_t at = kKinds.find(kind);
  return kKindTexts[at == string_view::npos ? 0 : at];
}

std::string type_text(string_view code) {
  if (code.empty()) return "unknown";
  const string_view rest = code.substr(1);
  if (code[0] == 's') return cat("seq(", type_text(rest), ")");
  if (code[0] == 'o') return cat("optional(", type_text(rest), ")");
  const auto name = [](string_view digits) {
    const auto n = static_cast<size_t>(to_int(digits));
    return n < std::size(kTypeNames) ? std::string(kTypeNames[n]) : cat("type ", n);
  };
  if (code[0] == 'p') return cat("sparse_tensor(", name(rest), ")");
  if (code[0] == 'm') {
    string_view value = rest;
    const string_view key = take(value, ':');
    return cat("map(", name(key), ", ", type_text(value), ")");
  }
  return cat("tensor(", name(code), ")");
}

}  // namespace sardonyx::tools
