// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The merge of a profile's own plugins with the default plugins (upstream: mergePluginSet).

#include "config/configuration.h"

namespace berth::config {

/// One extension point of `custom` merged into the defaults of that point (kube-scheduler v1.36.3, mergePluginSet). A
/// default plugin stays where it is unless it, or `*`, is disabled; one that `custom` enables again takes the custom
/// entry, weight included, in the default's place. What is left of `custom` follows in its order. A name that is both
/// enabled and disabled is enabled, at the end. Names given twice survive: building the profile refuses them.
PluginSet merge(const PluginSet &defaults, const PluginSet &custom);

/// The same as kube-scheduler did it up to 1.21: the defaults that are not disabled, then all of `custom`. A default
/// that `custom` enables again is there twice.
PluginSet append(const PluginSet &defaults, const PluginSet &custom);

}  // namespace berth::config
