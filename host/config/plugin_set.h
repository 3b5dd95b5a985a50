// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parts of a configuration file that look the same wherever they stand.

#include "config/configuration.h"
#include "decode/fields.h"

namespace berth::config {

/// Where the object that `fields` reads stands.
Place place_of(const decode::Fields &fields);

/// Where the value at an RFC 6901 JSON pointer stands. If the document has nothing there, line and column are those of
/// the nearest value around it; the path is always the full one.
Place place_at(const decode::Document &document, std::string_view pointer);

/// `{enabled: [{name, weight}], disabled: [{name}]}`, read strictly.
PluginSet read_plugin_set(decode::Fields &fields);

}  // namespace berth::config
