// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All headers of the host, its services and the present call, in C++.

#include <berth/call.hpp>
#include <berth/declare.hpp>
#include <berth/host.hpp>
#include <berth/object.hpp>
#include <berth/pod_group.hpp>
#include <berth/preemption.hpp>
#include <berth/prepare.hpp>
#include <berth/remedy.hpp>
#include <berth/signature.hpp>
#include <berth/task.hpp>
