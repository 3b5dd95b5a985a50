// SPDX-License-Identifier: Apache-2.0

/// The compiled code of the plugins about a pod alone, its claims or its victims.

#include "default_binder.h"
#include "default_preemption.h"
#include "dynamic_resources.h"
#include "gang_scheduling.h"
#include "priority_sort.h"
#include "scheduling_gates.h"

#include <berth/plugin.hpp>

BERTH_CODE_HERE(kubernetes::DefaultBinder)
BERTH_CODE_HERE(kubernetes::DefaultPreemption)
BERTH_CODE_HERE(kubernetes::DynamicResources)
BERTH_CODE_HERE(kubernetes::GangScheduling)
BERTH_CODE_HERE(kubernetes::PrioritySort)
BERTH_CODE_HERE(kubernetes::SchedulingGates)
