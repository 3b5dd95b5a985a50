// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of plugin sets (`enabled`, `disabled`) and of positions in a configuration file.

#include "config/configuration.h"
#include "decode/fields.h"

namespace berth::config {

/// The position of the object that `fields` reads.
Place place_of(const decode::Fields &fields);

/// The position of the value at an RFC 6901 JSON pointer. If the document has no such value, line and column are those
/// of the enclosing value; the path is always the full one.
Place place_at(const decode::Document &document, std::string_view pointer);

/// `{enabled: [{name, weight}], disabled: [{name}]}`, read strictly.
PluginSet read_plugin_set(decode::Fields &fields);

}  // namespace berth::config
