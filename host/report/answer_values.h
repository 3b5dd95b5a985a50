// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The common parts of the API's answers under /apis/berth/v1alpha1, as JSON values.

#include "model/build.h"
#include "report/explanation.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// Each is left out if it is empty, or 0.
void add_texts(model::Arena &arena, model::ObjectBuilder &to, std::string_view key,
               const std::vector<std::string> &texts);
void add_text(model::ObjectBuilder &to, std::string_view key, std::string_view text);
void add_time(model::ObjectBuilder &to, std::string_view key, std::int64_t ns);
void add_rejections(model::Arena &arena, model::ObjectBuilder &to, const std::vector<model::Rejection> &rejections);

/// `{resource, actions, hint}`, after `plugin` unless the context shows it.
model::ArrayBuilder wakes_value(model::Arena &arena, const std::vector<model::Waking> &wakes, bool with_plugin);
/// What every answer begins with; `pod` may be null.
model::ObjectBuilder answer_head(model::Arena &arena, const char *kind, const Answerer &by, const model::PodRef *pod);
std::string text_of(const model::ObjectBuilder &object);

}  // namespace berth::report
