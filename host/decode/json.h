// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One JSON value to a tree; private to decode.

#include "decode/document.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::decode {

/// Why a JSON text was refused.
struct JsonRefusal {
    std::string message;  ///< complete, with the place
    bool syntax = false;  ///< it is no JSON at all, so it may be YAML
};

/// Parses one value after the other, keeping its memory. One per thread.
class JsonParser {
    struct State;
    std::unique_ptr<State> state_;

public:
    JsonParser();
    JsonParser(JsonParser &&) noexcept;
    ~JsonParser();

    /// What an object takes over from the list it stands in.
    struct Lacking {
        std::string_view api_version, kind;
    };

    /// Reads `text`, exactly one value, which begins at `start` of `file`, into `out`; or says why not.
    std::optional<JsonRefusal> parse(std::string_view text, const std::string &file, Mark start, Lacking lacking,
                                     Document &out);
};

}  // namespace berth::decode
