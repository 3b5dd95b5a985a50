// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The watch over changes of the configuration file and the plugin libraries. It looks at what the names lead to, so a
/// symbolic link that now leads elsewhere (a ConfigMap's `..data`) is seen on every file system, also on those without
/// change notifications.

#include "plugin/sources.h"

#include <string>

namespace berth::live {

/// Loop only. It costs a stat for each file.
class FileWatch {
    std::string config_;
    std::vector<std::string> directories_, files_;  ///< of libraries
    struct Seen {
        std::string config, libraries;  ///< what the system says of them
        bool operator==(const Seen &) const = default;
    };
    Seen known_, last_;
    std::string content_;  ///< of the configuration

    Seen look() const;

public:
    /// What is there now is known. `config` may be empty.
    FileWatch(std::string config, const plugin::PluginOptions &plugins);
    /// To be called at intervals: are there other files than those that are known? Said once, and not before they have
    /// stayed the same from one time to the next, so that a half-written file is not read. A configuration
    /// with the same content is the same.
    bool changed();
    /// What is there now is known.
    void read();
};

}  // namespace berth::live
