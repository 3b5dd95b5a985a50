// SPDX-License-Identifier: Apache-2.0

/// The compiled code of InterPodAffinity and PodTopologySpread.

#include "inter_pod_affinity.h"
#include "pod_topology_spread.h"

#include <berth/plugin.hpp>

BERTH_CODE_HERE(kubernetes::InterPodAffinity)
BERTH_CODE_HERE(kubernetes::PodTopologySpread)
