// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Requests to the simulated API server about one object: their effects and refusals.

#include "sim/store.h"

#include <berth/detail/refusal.hpp>

#include <cstdint>
#include <string>

namespace berth::sim {

/// Creations, updates, patches and deletions of pods and of other stored objects; anything else is refused. A pod that
/// is deleted and runs is gone when its grace is over, as if its containers needed all of it.
env::ApiAnswer serve_object(Store &store, const model::Kind &kind, const env::ApiRequest &request);

/// A name for a new object that is given metadata.generateName: at most 63 characters, five of them instead of random
/// ones. No object of the kind has it; "" if all are taken. (apiserver v0.36.3, pkg/storage/names.)
std::string generated_name(const Store &store, const model::Kind &kind, std::string_view name_space,
                           std::string_view base);
/// The object as it is stored when it is made: with that name, in that namespace or none, a uid and the time.
model::TreePtr created(const Store &store, model::Value object, std::string_view name_space, std::string_view name);

inline env::ApiAnswer refuse(int status, std::string text, const detail::Refused &about = {}) {
    auto refusal = detail::refusal_json(status, text, about);
    return {status, std::move(text), false, std::move(refusal)};
}
/// As objects say it: "2026-01-01T00:00:00Z".
std::string time_text(std::int64_t ns);

}  // namespace berth::sim
