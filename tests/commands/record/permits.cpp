// SPDX-License-Identifier: Apache-2.0

/// A pod needs a ConfigMap of its name among those that the plugin's arguments select. Only a new one wakes pods.
#include <berth/plugin.hpp>

#include <array>
#include <string>

namespace {

class Permits {
    std::string name_space_, name_, labels_, fields_;
    const berth::Host &host_;
    berth::Kind maps_;

public:
    static constexpr std::array watches{"v1/configmaps"};

    Permits(berth::Args args, const berth::Host &host)
        : name_space_(args.string("namespace", "")),
          name_(args.string("name", "")),
          labels_(args.string("labels", "")),
          fields_(args.string("fields", "")),
          host_(host),
          maps_(host.kind("", "v1", "configmaps")) {}
    void declare(berth::Declare d) const {
        d.watch({.resource = "configmaps",
                 .name_space = name_space_,
                 .name = name_,
                 .label_selector = labels_,
                 .field_selector = fields_});
    }
    static void events(berth::Events on) { on.add("ConfigMap", BERTH_EVENT_ADD); }
    berth::Verdict pre_filter(berth::Pod pod) const {
        bool found = false;
        host_.each(maps_, "", [&](berth::Object one) { return !(found = one.name() == pod.name()); });
        return found ? berth::Verdict(berth::ok) : berth::unschedulable("no permit");
    }
};

}  // namespace

BERTH_PLUGIN(Permits, "Permits", "1.0.0")
