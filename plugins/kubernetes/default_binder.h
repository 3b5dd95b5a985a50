// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin DefaultBinder: it creates the pod's Binding at the API server.

#include <berth/http_status.hpp>
#include <berth/plugin.hpp>

#include <array>

namespace kubernetes {

class DefaultBinder {
    const berth::Host &host_;

public:
    static constexpr const char *description = "Binds a pod by creating its Binding";
    static constexpr std::array writes{"create v1/pods/binding"};

    explicit DefaultBinder(const berth::Host &host) : host_(host) {}

    void declare(berth::Declare d) const { d.write(BERTH_VERB_CREATE, "", "v1", "pods/binding"); }

    berth::Verdict bind(berth::Call, berth::State, berth::Pod pod, std::string_view node, berth::Done done) const {
        if (host_.log_enabled(3))
            host_.info(3, "\"Attempting to bind pod to node\" pod=\"" + std::string(pod.name_space()) + "/" +
                              std::string(pod.name()) + "\" node=\"" + std::string(node) + "\"");
        std::string body = "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"namespace\":" +
                           berth::json_quote(pod.name_space()) + ",\"name\":" + berth::json_quote(pod.name()) +
                           ",\"uid\":" + berth::json_quote(pod.uid()) +
                           "},\"target\":{\"kind\":\"Node\",\"name\":" + berth::json_quote(node) + "}}";
        berth::Request request;
        request.resource = "pods";
        request.name_space = pod.name_space();
        request.name = pod.name();
        request.subresource = "binding";
        request.body = body;
        host_.send(request, [done](int status, std::string_view text) {
            done(berth::succeeded(status) ? berth::ok : berth::error(text));
        });
        return berth::in_progress();
    }
};

}  // namespace kubernetes
