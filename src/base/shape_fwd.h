// Shape, declared.
#pragma once
namespace sardonyx {
class Shape;
}
