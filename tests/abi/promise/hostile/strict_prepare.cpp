// SPDX-License-Identifier: Apache-2.0
// One library per case about what is prepared of objects: case_name says what it does.
#include "case_name.h"

#include <berth/plugin.hpp>

#include <atomic>

namespace {

/// What it keeps of a pod: its name.
struct Kept {
    std::string name;
};

class Strict {
    const berth::Host &host_;
    mutable int prepared_ = 0;
    const berth_object *first_ = nullptr;

    const Kept &kept(berth::Pod pod) const { return host_.prepared<Kept>(pod.raw()->obj); }

public:
    explicit Strict(const berth::Host &host) : host_(host) {}

    Kept prepare(berth::Object object) const {
        if (is("prepare_fails")) throw std::runtime_error("no terms in " + std::string(object.name()));
        if (is("prepare_declares")) host_.column(BERTH_COLUMN_NODE_LABEL, "tea");
        ++prepared_;
        return {std::string(object.at("/metadata/name").string())};
    }
    berth::Verdict pre_filter(berth::Pod pod) {
        if (is("prepared_of_stranger") && first_) host_.prepared<Kept>(first_);
        first_ = pod.raw()->obj;
        const int before = prepared_;
        if (kept(pod).name != pod.name() || &kept(pod) != &kept(pod)) return berth::error("another pod's");
        return prepared_ == before + 1 ? berth::ok : berth::error("prepared it " + std::to_string(prepared_ - before));
    }
    berth::Verdict filter(berth::Pod pod, berth::Node) const {
        if (is("prepared_in_filter")) kept(pod);
        return berth::ok;
    }
    /// The pod is an assumed copy now, of the same version.
    berth::Verdict reserve(berth::Pod pod, std::string_view) {
        const int before = prepared_;
        return kept(pod).name == pod.name() && prepared_ == before ? berth::ok : berth::error("prepared it again");
    }
    void unreserve(berth::Pod, std::string_view) {}
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
