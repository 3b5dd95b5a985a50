// SPDX-License-Identifier: Apache-2.0
// Sound, unlike its neighbours: a policy over objects that are neither nodes nor pods, written with the C++ wrapper. A
// pod needs a Widget of its name, whose spec.node says where it may go, and a Service in its namespace.
#include <berth/plugin.hpp>

#include <optional>
#include <string>

namespace {

class Watches {
    const berth::Host &host_;
    berth::Kind widgets_, services_;
    mutable std::uint64_t changes_ = 0;
    mutable std::optional<std::uint64_t> others_{};

public:
    static constexpr const char *watches[] = {"v1/services", "example.com/v1/widgets"};

    Watches(berth::Args, const berth::Host &host)
        : host_(host), widgets_(host.kind("example.com", "v1", "widgets")), services_(host.kind("", "v1", "services")) {
        host.subscribe(widgets_, [this](const berth::Object &before, const berth::Object &after) {
            ++changes_;
            auto object = after ? after : before;
            host_.info(0, std::string(!before  ? "new "
                                      : !after ? "gone "
                                               : "changed ") +
                              std::string(object.name()) + " " + std::string(object.at("/spec/node").string()));
        });
    }

    void declare(berth::Declare to) const {
        to.watch("", "v1", "services");
        to.watch("example.com", "v1", "widgets");
    }

    void events(berth::Events on) const {
        on.add_hinted("widgets.v1.example.com", BERTH_EVENT_ADD | BERTH_EVENT_DELETE | BERTH_EVENT_UPDATE);
        on.add_hinted("services.v1", BERTH_EVENT_ADD);  // the long name: hint() gets it, too
        on.add_hinted("Node", BERTH_EVENT_ADD);         // that a widget waits for
    }
    /// Its own widget helps a pod, and any service or node.
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        if (event.resource() == "services.v1" || event.resource() == "Node") return berth::Hint::Queue;
        auto object = event.new_object() ? event.new_object() : event.old_object();
        if (!object || object.name() != pod.name()) return berth::Hint::Skip;
        return event.new_object() ? berth::Hint::Queue : berth::Hint::Skip;
    }

    berth::Verdict pre_filter(berth::Pod pod) const {
        // Versions were counted before the instance was there, too.
        const auto others = host_.version_of(widgets_) - changes_;
        if (others_.value_or(others) != others) return berth::error("a change was missed");
        others_ = others;
        std::string services;
        host_.each(services_, pod.name_space(), [&](const berth::Object &o) {
            services += std::string(o.name()) + " ";
            return services.size() < 6;
        });
        if (services.empty()) return berth::unschedulable("no service in " + std::string(pod.name_space()));
        auto widget = host_.get(widgets_, pod.name_space(), pod.name());
        if (!widget)
            host_.each(services_, pod.name_space(), [&](const berth::Object &o) {
                host_.event(o.raw(), "Normal", "Lonely", "Waiting", "no widget for " + std::string(pod.name()));
            });
        if (!widget) return berth::unschedulable("no widget, but services " + services);
        if (auto host = berth::view(pod.raw()->node_name); !host.empty()) return berth::error("it has a node");
        return berth::ok;
    }

    berth::Verdict filter(berth::Pod pod, berth::Node node) const {
        auto widget = host_.get(widgets_, pod.name_space(), pod.name());
        if (widget.at("/spec/node").string() == node.name()) return berth::ok;
        return berth::unschedulable("the widget of " + std::string(widget.labels().empty() ? "nobody" : "somebody") +
                                    " is elsewhere");
    }
};

}  // namespace

BERTH_PLUGIN(Watches, "Watches", "0.1.0")
