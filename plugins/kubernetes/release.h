// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/host.hpp>

namespace kubernetes {

/// What a release of Kubernetes decides otherwise than the one before, each by what it is. Of the release that the
/// instance decides as; made with it.
struct Rules {
    // Since 1.37.
    bool silent_device_post_filter;  ///< DynamicResources does not say that there is nothing to deallocate
    bool preemption_says_what;       ///< a preemption that succeeds has a message
    bool image_volumes_divide;       ///< ImageLocality divides by image volumes as well

    explicit Rules(berth::Kubernetes kubernetes) : Rules(kubernetes.since(37)) {}
    explicit Rules(const berth::Host &host) : Rules(host.kubernetes()) {}

private:
    explicit Rules(bool since_1_37)
        : silent_device_post_filter(since_1_37), preemption_says_what(since_1_37), image_volumes_divide(since_1_37) {}
};

}  // namespace kubernetes
