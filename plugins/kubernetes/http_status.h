// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kubernetes {

constexpr int http_not_found = 404, http_conflict = 409, http_server_error = 500;

/// Whether the API server has done what a request said.
constexpr bool succeeded(int http_status) { return http_status >= 200 && http_status < 300; }

}  // namespace kubernetes
