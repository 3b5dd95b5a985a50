// SPDX-License-Identifier: Apache-2.0

/// Tug: binds the pods with the label tug=true itself, and leaves all others to the next plugin.

#include <berth/plugin.hpp>

#include <array>
#include <string>

namespace {

class Tug {
    const berth::Host &host_;

public:
    static constexpr std::array writes{"create v1/pods/binding"};
    void declare(berth::Declare d) const { d.write(BERTH_VERB_CREATE, "", "v1", "pods/binding"); }

    explicit Tug(const berth::Host &host) : host_(host) {}

    berth::Verdict bind(berth::Call, berth::State, berth::Pod pod, std::string_view node, berth::Done done) const {
        if (pod.at("/metadata/labels/tug").string() != "true") return berth::skip();
        // The uid prevents binding another pod that has this name by now.
        const std::string body = R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)" +
                                 berth::json_quote(pod.name()) + R"(,"uid":)" + berth::json_quote(pod.uid()) +
                                 R"(},"target":{"kind":"Node","name":)" + berth::json_quote(node) + "}}";
        berth::Request request;
        request.resource = "pods";
        request.name_space = pod.name_space();
        request.name = pod.name();
        request.subresource = "binding";
        request.body = body;
        host_.send(request, [done](int status, std::string_view text) {
            done(status >= 200 && status < 300 ? berth::Verdict(berth::ok) : berth::error(text));
        });
        return berth::in_progress();
    }
};

}  // namespace

BERTH_PLUGIN(Tug, "Tug", "1.0.0")
