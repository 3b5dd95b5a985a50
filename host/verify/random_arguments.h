// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Random and wrong arguments of plugins: wrong types, out of range, nested, unknown fields.

#include "verify/random.h"
#include "verify/subject.h"

#include <string>
#include <vector>

namespace berth::verify {

/// The names of the fields that the plugin's arguments have when it has defaulted them, nested ones included.
std::vector<std::string> known_fields(Subject &subject);

/// Each field with each kind of value, and one that no plugin has.
std::vector<model::TreePtr> wrong_arguments(const std::vector<std::string> &fields);
model::TreePtr random_arguments(Random &random, const std::vector<std::string> &fields);

}  // namespace berth::verify
