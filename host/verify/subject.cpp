// SPDX-License-Identifier: Apache-2.0
#include "verify/subject.h"

#include <algorithm>
#include <utility>

namespace berth::verify {

FileAndPlugin::FileAndPlugin(const std::string &text) : file(text.substr(0, text.find('#'))) {
    if (file.size() < text.size()) plugin = text.substr(file.size() + 1);
}

Subject::Subject(std::string of_file, std::string of_plugin, plugin::LoadOptions load_how,
                 const config::Configuration &configuration)
    : file(std::move(of_file)), plugin(std::move(of_plugin)), how(std::move(load_how)) {
    mention_.name = plugin;
    mention_.place.file = file;  // no file names the plugin
    config::Profile profile;
    profile.scheduler_name = "default-scheduler";
    configuration_.release = configuration.release;
    configuration_.feature_gates = configuration.feature_gates;
    for (const auto &one : configuration.profiles)
        if (const auto *args = one.config_of(plugin); args && profile.plugin_config.empty())
            profile.plugin_config.push_back(*args);
    configuration_.profiles.push_back(std::move(profile));
}

model::Result<const plugin::Library *> Subject::load() const { return plugin::load_library(file, how); }

model::Result<const plugin::LoadedPlugin *> Subject::find() {
    auto library = load();
    if (!library) return library.error();
    loaded_ = (*library)->find(plugin);
    if (!loaded_) return model::Error{file + ": holds no plugin \"" + plugin + "\""};
    return loaded_;
}

model::TreePtr Subject::arguments() const {
    const auto *args = configuration_.profiles.front().config_of(plugin);
    return args ? args->args : nullptr;
}

void Subject::set_arguments(model::TreePtr args) {
    auto &all = configuration_.profiles.front().plugin_config;
    all.clear();
    if (args) all.push_back({plugin, std::move(args), mention_.place});
}

model::Result<std::unique_ptr<plugin::Instance>> Subject::make(const plugin::Services &services) const {
    return plugin::make_instance({use(), services, std::make_shared<plugin::StateKeys>()});
}

}  // namespace berth::verify
