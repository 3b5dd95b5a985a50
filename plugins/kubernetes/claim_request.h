// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Requests to the API server about a ResourceClaim, and the edit of its JSON.

#include "json_edit.h"

#include <berth/plugin.hpp>

namespace kubernetes {

/// A request about a ResourceClaim. The texts live until it is sent.
inline berth::Request claim_request(std::uint32_t verb, std::string_view name_space, std::string_view name,
                                    std::string_view body, std::string_view subresource = {}) {
    berth::Request request;
    request.verb = verb;
    request.group = "resource.k8s.io";
    request.resource = "resourceclaims";
    request.subresource = subresource;
    request.name_space = name_space;
    request.name = name;
    request.body = body;
    return request;
}

/// Makes the body of an update out of a claim as the watch shows it.
inline JsonEdit claim_edit() {
    JsonEdit edit;
    edit.set({"apiVersion"}, "\"resource.k8s.io/v1\"");
    edit.set({"kind"}, "\"ResourceClaim\"");
    return edit;
}

}  // namespace kubernetes
