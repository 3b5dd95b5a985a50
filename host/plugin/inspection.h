// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugins of each profile of a configuration, with their arguments, without instances.

#include "config/configuration.h"
#include "model/value.h"
#include "plugin/catalog.h"
#include "plugin/expansion.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace berth::plugin {

struct ProfileInspection {
    std::map<std::string, model::TreePtr, std::less<>> args;  ///< defaulted, of every plugin that was found
    std::vector<std::string> missing;                         ///< plugins that no library offers
    std::optional<Expansion> expansion;                       ///< none if there is no such list, see `faults`
    std::vector<std::string> argument_faults;                 ///< what plugins object to, each a complete message
    std::vector<std::string> faults;                          ///< why the profile cannot be built
};

/// In the order of the profiles. Loads the libraries that the profiles need.
std::vector<ProfileInspection> inspect(const config::Configuration &configuration, Catalog &catalog);

}  // namespace berth::plugin
