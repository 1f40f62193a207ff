// Upper and lower case of UTF-8 text, without a locale.
#pragma once
#include <string>
#include <string_view>

namespace sardonyx {

// Changes the case of Latin (up to U+017F), Greek and Cyrillic letters that have one counterpart; all else stays, bytes
// that are no UTF-8 too.
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);

}  // namespace sardonyx
