// What the passes make of a graph, and whether its results stay.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph_maker.h"
#include "op_runner.h"
#include "op_values.h"
#include "ops/registry.h"
#include "optimize/optimize.h"
#include "runtime/session.h"

namespace sardonyx::testing {

using Types = std::vector<std::string>;

// The types of the nodes that are left of a graph, in order.
inline Types left(GraphMaker& maker, int level = 2) {
  Graph graph = *maker.graph();
  bind_operators(graph);
  optimize(graph, level);
  Types types;
  for (const Node& n : graph.nodes) types.push_back(n.op_type);
  return types;
}

// Every output of the optimised graph is within rounding of the one that is run as it is.
inline void expect_same_results(GraphMaker& maker, const std::vector<Value>& feeds) {
  std::vector<std::vector<Value>> results;
  for (int level : {0, 2}) {
    SessionOptions options;
    options.optimization_level = level;
    Model model;
    model.graph = *maker.graph();
    auto session = Session::create(std::move(model), options);
    std::vector<int> wanted;
    for (size_t i = 0; i < session->outputs().size(); i++) wanted.push_back(static_cast<int>(i));
    results.push_back(session->run(feeds, wanted));
  }
  for (size_t i = 0; i < results[0].size(); i++) {
    EXPECT_TRUE(results[0][i].tensor().shape() == results[1][i].tensor().shape());
    expect_near(results[1][i].tensor(), doubles(results[0][i].tensor()), "output " + std::to_string(i));
  }
}

}  // namespace sardonyx::testing
