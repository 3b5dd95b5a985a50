// SPDX-License-Identifier: Apache-2.0

/// The library of Kubernetes' default plugins, over the public ABI. Behaviour: kube-scheduler 1.36.3. Their code
/// is compiled in the other sources, by subject, so that a change costs a part and a build has parts to share
/// out.

#include "default_binder.h"
#include "default_preemption.h"
#include "dynamic_resources.h"
#include "gang_scheduling.h"
#include "image_locality.h"
#include "inter_pod_affinity.h"
#include "node_affinity.h"
#include "node_declared_features.h"
#include "node_name.h"
#include "node_ports.h"
#include "node_resources_balanced_allocation.h"
#include "node_resources_fit.h"
#include "node_unschedulable.h"
#include "node_volume_limits.h"
#include "pod_topology_spread.h"
#include "priority_sort.h"
#include "scheduling_gates.h"
#include "taint_toleration.h"
#include "volume_binding.h"
#include "volume_restrictions.h"
#include "volume_zone.h"

#include <berth/plugin.hpp>

namespace k = kubernetes;

BERTH_CODE_ELSEWHERE(k::SchedulingGates)
BERTH_CODE_ELSEWHERE(k::PrioritySort)
BERTH_CODE_ELSEWHERE(k::NodeUnschedulable)
BERTH_CODE_ELSEWHERE(k::NodeName)
BERTH_CODE_ELSEWHERE(k::TaintToleration)
BERTH_CODE_ELSEWHERE(k::NodeAffinity)
BERTH_CODE_ELSEWHERE(k::NodePorts)
BERTH_CODE_ELSEWHERE(k::NodeResourcesFit)
BERTH_CODE_ELSEWHERE(k::VolumeRestrictions)
BERTH_CODE_ELSEWHERE(k::NodeVolumeLimits)
BERTH_CODE_ELSEWHERE(k::VolumeBinding)
BERTH_CODE_ELSEWHERE(k::VolumeZone)
BERTH_CODE_ELSEWHERE(k::DynamicResources)
BERTH_CODE_ELSEWHERE(k::PodTopologySpread)
BERTH_CODE_ELSEWHERE(k::InterPodAffinity)
BERTH_CODE_ELSEWHERE(k::NodeResourcesBalancedAllocation)
BERTH_CODE_ELSEWHERE(k::ImageLocality)
BERTH_CODE_ELSEWHERE(k::DefaultPreemption)
BERTH_CODE_ELSEWHERE(k::DefaultBinder)
BERTH_CODE_ELSEWHERE(k::NodeDeclaredFeatures)
BERTH_CODE_ELSEWHERE(k::GangScheduling)

BERTH_PLUGINS(berth::entry<k::SchedulingGates>("SchedulingGates", "1.36.3"),
              berth::entry<k::PrioritySort>("PrioritySort", "1.36.3"),
              berth::entry<k::NodeUnschedulable>("NodeUnschedulable", "1.36.3"),
              berth::entry<k::NodeName>("NodeName", "1.36.3"),
              berth::entry<k::TaintToleration>("TaintToleration", "1.36.3"),
              berth::entry<k::NodeAffinity>("NodeAffinity", "1.36.3"),
              berth::entry<k::NodePorts>("NodePorts", "1.36.3"),
              berth::entry<k::NodeResourcesFit>("NodeResourcesFit", "1.36.3"),
              berth::entry<k::VolumeRestrictions>("VolumeRestrictions", "1.36.3"),
              berth::entry<k::NodeVolumeLimits>("NodeVolumeLimits", "1.36.3"),
              berth::entry<k::VolumeBinding>("VolumeBinding", "1.36.3"),
              berth::entry<k::VolumeZone>("VolumeZone", "1.36.3"),
              berth::entry<k::DynamicResources>("DynamicResources", "1.36.3"),
              berth::entry<k::PodTopologySpread>("PodTopologySpread", "1.36.3"),
              berth::entry<k::InterPodAffinity>("InterPodAffinity", "1.36.3"),
              berth::entry<k::NodeResourcesBalancedAllocation>("NodeResourcesBalancedAllocation", "1.36.3"),
              berth::entry<k::ImageLocality>("ImageLocality", "1.36.3"),
              berth::entry<k::DefaultPreemption>("DefaultPreemption", "1.36.3"),
              berth::entry<k::DefaultBinder>("DefaultBinder", "1.36.3"),
              berth::entry<k::NodeDeclaredFeatures>("NodeDeclaredFeatures", "1.36.3"),
              berth::entry<k::GangScheduling>("GangScheduling", "1.37.2"))
