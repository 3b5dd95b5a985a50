// SPDX-License-Identifier: Apache-2.0

/// Sample: the plugin to learn from. It only logs its calls; see README.md for a walk through it.

// All there is to include: C++20, header only, nothing to link with.
#include <berth/plugin.hpp>

#include <string>

namespace {

// A plugin is a class. Which methods it has says at which extension points it works: this one is called at PreFilter,
// Filter and PreBind, if the profile enables it there.
class Sample {
    // What the host offers: the log, the clock, objects of the cluster. It outlives the plugin.
    const berth::Host &host_;

public:
    // Shown by tools; optional.
    static constexpr const char *description = "Logs its arguments and each call";

    // The arguments (pluginConfig in the configuration) are read here first, before there is an instance: defaults are
    // filled in, and each fault is reported with the file's line. A field that is not read here is an error.
    static void default_args(berth::ArgsReader &args) {
        auto color = args.string("favorite_color", "#326CE5");
        if (color.empty() || color[0] != '#') args.error("favorite_color", "expected a color such as #326CE5");
        constexpr std::int64_t most = 1000;
        args.integer("favorite_number", 7, 0, most);
        args.string("thanks_to", "");
    }

    // One instance for each profile that enables the plugin. The arguments are those above, with their defaults.
    Sample(berth::Args args, const berth::Host &host) : host_(host) {
        host_.info(0, "get plugin config args: favorite_color=" + args.string("favorite_color", "") +
                          " favorite_number=" + std::to_string(args.integer("favorite_number", 0)) +
                          " thanks_to=" + args.string("thanks_to", ""));
    }

    // PreFilter, once for a pod: may refuse it everywhere, as in
    //     return berth::unschedulable("not today");
    // A reason reaches the pod's condition and events word for word.
    berth::Verdict pre_filter(berth::Pod pod) const {
        host_.info(0, "prefilter pod: " + std::string(pod.name()));
        return berth::ok;
    }

    // Filter, for each node that the filters before it allow.
    berth::Verdict filter(berth::Pod pod, berth::Node node) const {
        host_.info(0, "filter pod: " + std::string(pod.name()) + ", node: " + std::string(node.name()));
        return berth::ok;
    }

    // PreBind, when the node is chosen and before the API server hears of it. It must not block: a plugin that has to
    // wait returns berth::in_progress() from the long form, pre_bind(Call, State, Pod, std::string_view, Done).
    berth::Verdict pre_bind(berth::Pod pod, std::string_view node) const {
        host_.info(0, "prebind pod: " + std::string(pod.name()) + ", node: " + std::string(node));
        return berth::ok;
    }
};

}  // namespace

// Makes the class a library: the name that configurations use, and the plugin's version.
BERTH_PLUGIN(Sample, "sample-plugin", "0.1.0")
