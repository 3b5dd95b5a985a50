// SPDX-License-Identifier: Apache-2.0

/// The compiled code of the plugins about a node itself and its free resources.

#include "image_locality.h"
#include "node_affinity.h"
#include "node_declared_features.h"
#include "node_name.h"
#include "node_ports.h"
#include "node_resources_balanced_allocation.h"
#include "node_resources_fit.h"
#include "node_unschedulable.h"
#include "taint_toleration.h"

#include <berth/plugin.hpp>

BERTH_CODE_HERE(kubernetes::ImageLocality)
BERTH_CODE_HERE(kubernetes::NodeAffinity)
BERTH_CODE_HERE(kubernetes::NodeDeclaredFeatures)
BERTH_CODE_HERE(kubernetes::NodeName)
BERTH_CODE_HERE(kubernetes::NodePorts)
BERTH_CODE_HERE(kubernetes::NodeResourcesBalancedAllocation)
BERTH_CODE_HERE(kubernetes::NodeResourcesFit)
BERTH_CODE_HERE(kubernetes::NodeUnschedulable)
BERTH_CODE_HERE(kubernetes::TaintToleration)
