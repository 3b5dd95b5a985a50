// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The library and file of a loaded plugin.

#include <berth/berth.h>

#include <optional>
#include <string>
#include <string_view>

namespace berth::plugin {

struct LoadedFrom {
    std::string file;  ///< the real path
    int fd = -1;       ///< the library as it was loaded, whatever file has that name now; open for ever
};
/// Nothing for a plugin that is of no library. Any thread.
std::optional<LoadedFrom> loaded_from(const berth_plugin *plugin);
/// Whether its library has another one of that name. Any thread.
bool loaded_with(const berth_plugin *plugin, std::string_view other);

}  // namespace berth::plugin
