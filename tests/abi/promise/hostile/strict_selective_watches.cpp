// SPDX-License-Identifier: Apache-2.0
// One library per case of a plugin that declares selective watches at the wrong time, or wrongly.
#include "case_name.h"

#include <berth/plugin.hpp>

namespace {

class Strict {
    const berth::Host &host_;
    const berth_host_selective_watches *table_;
    berth::Kind maps_;

    static berth_watch watch() {
        berth_watch out{};
        out.struct_size = sizeof out;
        out.version = berth::to_str("v1");
        out.resource = berth::to_str("configmaps");
        return out;
    }

public:
    static constexpr std::array watches{"v1/configmaps"};

    explicit Strict(const berth::Host &host)
        : host_(host),
          table_(static_cast<const berth_host_selective_watches *>(
              host.raw()->get_service(host.raw(), berth::to_str(BERTH_HOST_SELECTIVE_WATCHES_DRAFT1)))),
          maps_(host.kind("", "v1", "configmaps")) {}

    void declare(berth::Declare d) const {
        d.watch({.resource = "configmaps", .name_space = "default", .label_selector = "tea"});
        const auto what = watch();
        if (is("selects_without_sink")) table_->declare(host_.raw(), nullptr, &what);
    }
    berth::Verdict pre_filter(berth::Pod) const {
        const auto what = watch();
        if (is("selects_late")) table_->declare(host_.raw(), nullptr, &what);
        host_.each(maps_, "", [](berth::Object one) { return one.name_space() == "default"; });
        return berth::ok;
    }
    static berth::Verdict filter(berth::Pod, berth::Node) { return berth::ok; }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
