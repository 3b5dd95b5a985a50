// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The host and its services as C++ sees them, and the call a plugin is in: all of it.

#include <berth/call.hpp>
#include <berth/declare.hpp>
#include <berth/host.hpp>
#include <berth/object.hpp>
#include <berth/preemption.hpp>
#include <berth/prepare.hpp>
#include <berth/remedy.hpp>
#include <berth/signature.hpp>
#include <berth/task.hpp>
