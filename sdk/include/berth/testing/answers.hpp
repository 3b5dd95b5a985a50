// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The answers of a test's API server.

#include <berth/service/answer.h>
#include <berth/detail/refusal.hpp>
#include <berth/http_status.hpp>
#include <berth/testing/yaml.hpp>
#include <berth/value.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace berth::testing {

/// What the API server answers. Of a status of 400 or above the text is the message, or a Status in JSON.
struct ApiAnswer {
    std::int32_t status = 201;
    std::string text = "{}";
};

/// The function of a plugin that takes an answer, with its `ctx`.
struct Taker {
    void (*fn)(void *ctx, const berth_answer *answer);
    void *ctx;

    void take(std::int32_t code, std::int32_t status, std::string_view text, const berth_value *value) const {
        const berth_answer out{sizeof out, 0, code, status, to_str(text), value};
        fn(ctx, &out);
    }
    /// None came.
    void none(std::int32_t code, std::string_view why) const { take(code, 0, why, nullptr); }
    void success(std::int32_t status, std::string_view text, const berth_value *value) const {
        take(BERTH_STATUS_SUCCESS, status, text, value);
    }
    /// One came; `about` is what was asked for.
    void answer(const ApiAnswer &it, const berth::detail::Refused &about = {}) const {
        constexpr int refused = 400;
        if (it.status == 0) return none(BERTH_STATUS_ERROR, it.text);
        Trees trees;
        if (it.status < refused) return success(it.status, it.text, parsed(trees, it.text).raw());
        Value status = parsed(trees, it.text);
        std::string message(status["message"].string());
        if (message.empty()) {
            message = it.text;
            status = parsed(trees, berth::detail::refusal_json(it.status, message, about));
        }
        success(it.status, message, status.raw());
    }

private:
    /// A null value for a text that is no JSON object.
    static Value parsed(Trees &trees, std::string_view text) {
        if (!text.starts_with('{')) return {};
        try {
            return Value(Yaml::read(trees, text).front());
        } catch (const std::exception &) {
            return {};
        }
    }
};

}  // namespace berth::testing
