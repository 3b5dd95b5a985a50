// SPDX-License-Identifier: Apache-2.0

/// The plugins that look at a pod alone, at its claims, or at whom it may push away.

#include "default_binder.h"
#include "default_preemption.h"
#include "dynamic_resources.h"
#include "priority_sort.h"
#include "scheduling_gates.h"

#include <berth/plugin.hpp>

BERTH_CODE_HERE(kubernetes::DefaultBinder)
BERTH_CODE_HERE(kubernetes::DefaultPreemption)
BERTH_CODE_HERE(kubernetes::DynamicResources)
BERTH_CODE_HERE(kubernetes::PrioritySort)
BERTH_CODE_HERE(kubernetes::SchedulingGates)
