// SPDX-License-Identifier: Apache-2.0
#pragma once

/// YAML scalars: numbers, booleans, null and strings by the core schema; private to decode.

#include "model/result.h"
#include "model/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::decode {

/// What a plain scalar is by the core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema). Integers that
/// do not fit into 64 bits become doubles. The error is what is wrong, without a place.
model::Result<berth_value> plain_scalar(model::Arena &arena, std::string_view text);

/// The same for a scalar with a tag as yaml-cpp gives it: "?" is plain, "!" quoted, others are spelled out.
model::Result<berth_value> tagged_scalar(model::Arena &arena, std::string_view tag, std::string_view text);

/// A tag as people write it: `!!int` for `tag:yaml.org,2002:int`.
std::string short_tag(std::string_view tag);

}  // namespace berth::decode
