// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The library and the plugin that are verified, and the creation of its instances.

#include "config/configuration.h"
#include "plugin/host_context.h"
#include "plugin/instance.h"

#include <memory>
#include <string>

namespace berth::verify {

/// FILE, or FILE#PLUGIN for one plugin of it.
struct FileAndPlugin {
    std::string file, plugin;

    explicit FileAndPlugin(const std::string &text);
};

class Subject {
    const plugin::LoadedPlugin *loaded_ = nullptr;
    config::Configuration configuration_;
    std::size_t profile_ = 0;
    config::PluginEntry mention_;

public:
    std::string file, plugin;  ///< no plugin: the library as a whole
    plugin::LoadOptions how;

    /// With the arguments that `configuration` has for the plugin, which may be none, and for its release.
    Subject(std::string of_file, std::string of_plugin, plugin::LoadOptions load_how,
            const config::Configuration &configuration);

    /// Loads the library, once. The error is a complete message.
    model::Result<const plugin::Library *> load() const;
    model::Result<const plugin::LoadedPlugin *> find();
    /// What it is made for, when it has been found.
    plugin::PluginUse use() const { return {configuration_, profile_, mention_, *loaded_}; }
    const plugin::LoadedPlugin &loaded() const { return *loaded_; }

    /// The arguments that it is made with; null: there are none.
    model::TreePtr arguments() const;
    void set_arguments(model::TreePtr args);
    /// An instance, when it has been found. It ends before what is behind the services.
    model::Result<std::unique_ptr<plugin::Instance>> make(const plugin::Services &services) const;
};

}  // namespace berth::verify
