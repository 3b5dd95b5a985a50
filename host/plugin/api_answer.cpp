// SPDX-License-Identifier: Apache-2.0
#include "plugin/api_answer.h"

#include "decode/write.h"
#include "model/value.h"

#include <utility>

namespace berth::plugin {

Callbacks::Came came_of(const env::ApiAnswer &answer) {
    const auto code = answer.too_long           ? BERTH_STATUS_LIMIT_EXCEEDED
                      : answer.http_status != 0 ? BERTH_STATUS_SUCCESS
                                                : BERTH_STATUS_ERROR;
    return {code, answer.http_status, answer.body, answer.refusal};
}

void ApiAnswer::parse(std::string_view json) {
    if (json.empty()) return;
    auto read = decode::read_body(json);
    if (!read) return;
    body_ = *std::move(read);
    raw_.value = &body_.tree->root;
}

void ApiAnswer::read(std::string_view json) {
    auto read = decode::read_body(json);
    if (!read) {
        text_ = "the answer is not JSON: " + read.error().text;
        raw_.code = BERTH_STATUS_ERROR;
        raw_.http_status = 0;
        return;
    }
    body_ = *std::move(read);
    raw_.value = &body_.tree->root;
    if (body_.left_out) text_ = decode::to_json(body_.tree->value());
}

ApiAnswer::ApiAnswer(const Callbacks::Came &came, To to)
    : raw_{sizeof raw_, 0, came.code, came.http_status, model::to_str(came.text), nullptr} {
    constexpr int refused = 400;
    const bool carried_out = came.http_status >= 200 && came.http_status < 300;
    if (came.code == BERTH_STATUS_LIMIT_EXCEEDED && to == To::Read)
        text_.append(came.text).append("; ask for fewer items");
    if (came.code == BERTH_STATUS_SUCCESS) {
        if (came.http_status >= refused) parse(came.refusal);
        else if (to == To::Read) read(came.text);
        else if (to == To::Binding && carried_out) text_ = "{}";
        else parse(came.text);
    }
    if (!text_.empty()) raw_.text = model::to_str(text_);
}

}  // namespace berth::plugin
