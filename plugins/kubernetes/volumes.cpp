// SPDX-License-Identifier: Apache-2.0

/// The compiled code of the plugins about a pod's volumes.

#include "node_volume_limits.h"
#include "volume_binding.h"
#include "volume_restrictions.h"
#include "volume_zone.h"

#include <berth/plugin.hpp>

BERTH_CODE_HERE(kubernetes::NodeVolumeLimits)
BERTH_CODE_HERE(kubernetes::VolumeBinding)
BERTH_CODE_HERE(kubernetes::VolumeRestrictions)
BERTH_CODE_HERE(kubernetes::VolumeZone)
