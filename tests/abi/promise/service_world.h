// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The host table of an instance that is nobody's, for services that need no more than a log.

#include "plugin/host_context.h"
#include "plugin/metrics.h"
#include "plugin_world.h"

#include <berth/draft/log_fields.h>

namespace service_world {

namespace model = berth::model;
namespace plugin = berth::plugin;

struct One {
    plugin_world::Log log;
    std::shared_ptr<plugin::HostContext> context;
    berth_host host;

    explicit One(plugin::PluginMetrics *metrics = nullptr, const std::string &name = "Tea",
                 const std::string &profile = "p")
        : context(std::make_shared<plugin::HostContext>(name, profile)), host(plugin::make_host(*context)) {
        context->services.log = &log;
        context->services.metrics = metrics;
    }
    template <class T>
    const T &get(std::string_view id) const {
        const auto *table = static_cast<const T *>(host.get_service(&host, model::to_str(id)));
        REQUIRE(table);
        CHECK(table->struct_size == sizeof(T));
        return *table;
    }
};

}  // namespace service_world
