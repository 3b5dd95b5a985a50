// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The syntax of Kubernetes' names: labels, subdomains, … (apimachinery v0.36.3, pkg/api/validate/content).

#include <string_view>

namespace berth::model {

/// An RFC 1123 label: 1 to 63 lower case letters, digits and '-', a letter or digit at both ends.
bool dns_label(std::string_view name);
/// Of such characters and dots, at most 253; a letter or digit at both ends and on both sides of a dot.
bool dns_subdomain(std::string_view name);
/// What can stand in a path of the API: not empty, not "." or "..", without '/' and '%'.
bool path_segment(std::string_view name);
/// The part of a label key or resource name behind the '/': 1 to 63 letters, digits, '-', '_' and '.', a letter or
/// digit at both ends.
bool label_name(std::string_view name);

}  // namespace berth::model
