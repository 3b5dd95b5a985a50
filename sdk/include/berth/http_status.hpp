// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check whether the API server carried out a request, by its HTTP status.

namespace berth {

constexpr int http_not_found = 404, http_conflict = 409, http_server_error = 500;

constexpr bool succeeded(int http_status) { return http_status >= 200 && http_status < 300; }

}  // namespace berth
