// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kubernetes {

/// Whether the API server has done what a request said.
constexpr bool succeeded(int http_status) { return http_status >= 200 && http_status < 300; }

}  // namespace kubernetes
