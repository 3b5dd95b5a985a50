// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The ids of the drafts of services that this host has.

#include <string_view>

namespace berth::plugin {

/// Whether it is the id of a draft of a service that this host has, though not at every time.
bool is_draft_service(std::string_view id);

}  // namespace berth::plugin
