// Placement of outputs: groups of values that share bytes, when each group lives, and where.
#include "runtime/plan_memory.h"

#include <algorithm>
#include <climits>

#include "optimize/movement.h"
#include "runtime/plan_parts.h"

namespace sardonyx {
namespace {

using Kind = Placement::Kind;
constexpr int kForever = INT_MAX;

class Placer {
 public:
  // joins: may inputs of joins be made in the joined value?
  Placer(const Graph& graph, Plan& plan, bool joins)
      : graph_(graph),
        plan_(plan),
        joins_(joins),
        last_use_(graph.values.size(), -1),
        group_(graph.values.size(), kNoValue),
        within_(graph.values.size(), 0),
        place_(graph.values.size(), nullptr) {}

  void run() {
    find_last_uses();
    find_groups();
    for (size_t s = 0; s < plan_.steps.size(); s++) share_bytes(static_cast<int>(s));
    for (ValueId id : graph_.outputs) last_use_[index(id)] = kForever;
    collect_groups();
    lay_out();
    find_releases();
  }

 private:
  // All values that are the same bytes, or parts of them; `owner` is the one that is all of them.
  struct Group {
    ValueId owner = kNoValue;
    uint64_t size = 0;
    int first = 0, last = 0;
  };

  static size_t index(ValueId id) { return static_cast<size_t>(id); }
  const Node& node_of(int step) const {
    return graph_.nodes[static_cast<size_t>(plan_.steps[static_cast<size_t>(step)].node)];
  }

  static std::vector<ValueId> reads(const Node& node) {
    std::vector<ValueId> ids = captured_values(node);
    for (ValueId id : node.inputs) {
      if (id != kNoValue) ids.push_back(id);
    }
    return ids;
  }

  void find_last_uses() {
    for (size_t s = 0; s < plan_.steps.size(); s++) {
      for (ValueId id : reads(node_of(static_cast<int>(s)))) last_use_[index(id)] = static_cast<int>(s);
    }
    for (ValueId id : graph_.outputs) last_use_[index(id)] = kForever;
  }

  // Every output on its own, or with the value that it is made a part of.
  void find_groups() {
    const Parts parts = joins_ ? find_joined_parts(graph_, plan_, last_use_) : Parts();
    for (size_t s = plan_.steps.size(); s-- > 0;) {  // the whole is made after its parts
      Step& step = plan_.steps[s];
      const Node& node = node_of(static_cast<int>(s));
      for (size_t o = 0; o < step.outputs.size(); o++) {
        if (step.outputs[o].kind != Kind::heap) continue;
        const ValueId id = node.outputs[o], whole = joins_ ? parts.whole[index(id)] : kNoValue;
        place_[index(id)] = &step.outputs[o];
        group_[index(id)] = id;
        if (whole == kNoValue) continue;
        group_[index(id)] = group_[index(whole)];
        within_[index(id)] = within_[index(whole)] + parts.offset[index(id)];
        extend(group_[index(id)], last_use_[index(id)]);
      }
    }
  }

  void extend(ValueId group, int last) { last_use_[index(group)] = std::max(last_use_[index(group)], last); }

  // Is the value, which its own step makes, its own bytes so far?
  bool is_alone(ValueId id) const { return group_[index(id)] == id; }

  // Makes an output an alias where the operator is a view, or can write over an input that dies here.
  void share_bytes(int s) {
    Step& step = plan_.steps[static_cast<size_t>(s)];
    const Node& node = node_of(s);
    if (step.outputs.empty() || step.outputs[0].kind != Kind::heap) return;
    if (step.view) return alias_to(step, node, node.inputs[static_cast<size_t>(node.op->view_of())]);
    if (movement_of(node) == Movement::split) return split(step, node);
    if (step.outputs[0].dtype == DType::string || !is_alone(node.outputs[0])) return;
    const uint32_t mask = node.op->in_place();
    for (size_t i = 0; i < node.inputs.size() && i < 32; i++) {
      if ((mask >> i & 1) && node.inputs[i] != kNoValue && can_overwrite(s, node, node.inputs[i], mask)) {
        return alias_to(step, node, node.inputs[i]);
      }
    }
  }

  void alias_to(Step& step, const Node& node, ValueId input) {
    const ValueId out = node.outputs[0];
    step.outputs[0].kind = Kind::alias;
    step.outputs[0].alias = input;
    const ValueId group = group_[index(input)];
    within_[index(out)] = within_[index(input)];
    group_[index(out)] = group;  // none where the bytes are a feed's, a constant's or a captured value's
    if (group != kNoValue) extend(group, last_use_[index(out)]);
  }

  // Outputs become parts of the input where they are contiguous and have no place yet.
  void split(Step& step, const Node& node) {
    const ValueId input = node.inputs[0];
    const Placement* whole = input == kNoValue ? nullptr : place_[index(input)];
    if (!whole || group_[index(input)] == kNoValue) return;
    std::vector<Shape> shapes;
    for (const Placement& p : step.outputs) {
      if (p.kind != Kind::heap) return;
      shapes.push_back(p.shape);
    }
    const std::vector<uint64_t> offsets = part_offsets(whole->dtype, whole->shape, shapes);
    for (size_t o = 0; o < offsets.size(); o++) {
      const ValueId out = node.outputs[o];
      if (!is_alone(out) || last_use_[index(out)] == kForever || shapes[o].count() == 0) continue;
      group_[index(out)] = group_[index(input)];
      within_[index(out)] = within_[index(input)] + offsets[o];
      extend(group_[index(out)], last_use_[index(out)]);
    }
  }

  // last_use_ of a group's owner covers its aliases so far.
  bool can_overwrite(int s, const Node& node, ValueId input, uint32_t mask) const {
    const ValueId group = group_[index(input)];
    if (group == kNoValue || last_use_[index(group)] > s || last_use_[index(input)] > s) return false;
    const Placement* from = place_[index(input)];
    const Placement& to = plan_.steps[static_cast<size_t>(s)].outputs[0];
    if (!from || from->dtype != to.dtype || from->shape.count() != to.shape.count()) return false;
    for (size_t i = 0; i < node.inputs.size(); i++) {  // other reads of the same bytes must not see them change
      const ValueId other = node.inputs[i];
      const bool elementwise = other == input && i < 32 && (mask >> i & 1);
      if (other != kNoValue && !elementwise && group_[index(other)] == group) return false;
    }
    return true;
  }

  void collect_groups() {
    std::vector<int> group_at(graph_.values.size(), -1);
    for (size_t s = 0; s < plan_.steps.size(); s++) {
      const Step& step = plan_.steps[s];
      const Node& node = node_of(static_cast<int>(s));
      for (size_t o = 0; o < step.outputs.size(); o++) {
        const ValueId id = node.outputs[o];
        if (id == kNoValue || group_[index(id)] == kNoValue) continue;
        const ValueId owner = group_[index(id)];
        int& at = group_at[index(owner)];
        if (at < 0) {
          at = static_cast<int>(groups_.size());
          const Placement& p = *place_[index(owner)];
          groups_.push_back({owner, p.dtype == DType::string ? 0 : dtype_bytes(p.dtype, p.shape.count()),
                             static_cast<int>(s), static_cast<int>(s)});
        }
        Group& g = groups_[static_cast<size_t>(at)];
        g.last = std::max(g.last, last_use_[index(id)]);
      }
    }
  }

  // Results and strings stay on the heap; everything else goes into the arena.
  void lay_out() {
    std::vector<Lifetime> blocks;
    std::vector<ValueId> owners;
    for (const Group& g : groups_) {
      const Placement* p = place_[index(g.owner)];
      if (g.last == kForever || p->dtype == DType::string) continue;
      blocks.push_back({g.size, g.first, g.last});
      owners.push_back(g.owner);
    }
    const ArenaLayout layout = plan_memory(blocks);
    for (size_t i = 0; i < owners.size(); i++) {
      Placement* p = place_[index(owners[i])];
      p->kind = Kind::arena;
      p->offset = layout.offsets[i];
    }
    plan_.arena_size = layout.size;
    // Aliases and parts of the arena's values lie where those do.
    for (size_t s = 0; s < plan_.steps.size(); s++) {
      Step& step = plan_.steps[s];
      for (size_t o = 0; o < step.outputs.size(); o++) {
        Placement& p = step.outputs[o];
        if (p.kind != Kind::alias && p.kind != Kind::heap) continue;
        const ValueId id = node_of(static_cast<int>(s)).outputs[o], owner = group_[index(id)];
        if (owner == kNoValue || owner == id || place_[index(owner)]->kind != Kind::arena) continue;
        p.kind = Kind::arena;
        p.offset = place_[index(owner)]->offset + within_[index(id)];
      }
    }
  }

  // Heap values are let go after their last reader; an alias counts as a value of its own, since it holds the bytes
  // too.
  void find_releases() {
    std::vector<int> last(graph_.values.size(), -1);
    std::vector<char> on_heap(graph_.values.size(), 0);
    for (size_t s = 0; s < plan_.steps.size(); s++) {
      const Step& step = plan_.steps[s];
      const Node& node = node_of(static_cast<int>(s));
      for (ValueId id : reads(node)) last[index(id)] = static_cast<int>(s);
      for (size_t o = 0; o < node.outputs.size(); o++) {
        const ValueId id = node.outputs[o];
        if (id == kNoValue) continue;
        last[index(id)] = static_cast<int>(s);
        on_heap[index(id)] = step.dynamic || step.outputs[o].kind != Kind::arena;
      }
    }
    for (ValueId id : graph_.outputs) on_heap[index(id)] = 0;
    for (size_t id = 0; id < last.size(); id++) {
      if (on_heap[id]) plan_.steps[static_cast<size_t>(last[id])].release.push_back(static_cast<ValueId>(id));
    }
  }

  const Graph& graph_;
  Plan& plan_;
  bool joins_;
  std::vector<int> last_use_;
  std::vector<ValueId> group_;
  std::vector<uint64_t> within_;  // the value's first byte in its group
  std::vector<Placement*> place_;
  std::vector<Group> groups_;
};

}  // namespace

void place_outputs(const Graph& graph, Plan& plan) {
  const bool joins = std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    return movement_of(graph.nodes[static_cast<size_t>(step.node)]) == Movement::join;
  });
  if (!joins) return Placer(graph, plan, false).run();
  Plan apart = plan;
  Placer(graph, plan, true).run();
  Placer(graph, apart, false).run();
  // Where a joined value has to be kept from its first part on, it may cost more memory than the copies are worth.
  if (plan.arena_size / 5 > apart.arena_size / 4) plan = std::move(apart);
}

}  // namespace sardonyx
