// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Checks of the method and the query of requests under /apis/berth/v1alpha1.

#include "kube/served.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::api {

inline const std::string explain_base = "/apis/berth/v1alpha1/";

/// A number of the query, or `usual` without one, `most` at most; nothing for what is none.
std::optional<std::size_t> number(const kube::ServedRequest &request, std::string_view name, std::size_t usual,
                                  std::size_t most);
/// The answer to that.
kube::ServedAnswer bad_number(std::string_view name);
/// Answers if it is not. HEAD is as good as GET.
bool is_method(const kube::ServedRequest &request, std::string_view wanted, const kube::Answering &done);

}  // namespace berth::api
