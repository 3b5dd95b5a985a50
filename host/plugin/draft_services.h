// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Drafts of services that libraries say they use.

#include <string_view>

namespace berth::plugin {

/// Whether it is the id of a draft of a service that this host has, though not at every time.
bool is_draft_service(std::string_view id);

}  // namespace berth::plugin
