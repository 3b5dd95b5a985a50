// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parsers and printers of numbers with the rules of Go's strconv.

#include <cstdint>
#include <string>
#include <string_view>

namespace kubernetes::cel {

/// Go's strconv in base 10; false where it gives an error.
bool read_int(std::string_view text, std::int64_t &into);
bool read_uint(std::string_view text, std::uint64_t &into);
bool read_double(std::string_view text, double &into);
bool read_bool(std::string_view text, bool &into);

/// Go's %g.
std::string printed(double real);

}  // namespace kubernetes::cel
