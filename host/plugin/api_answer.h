// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API server's answer as a plugin receives it: berth_answer, with the parsed body.

#include "decode/wire.h"
#include "env/api.h"
#include "plugin/callbacks.h"

#include <berth/service/answer.h>

#include <string>

namespace berth::plugin {

/// What is passed on to the callback that waits for it. Lives as long as `answer`.
Callbacks::Came came_of(const env::ApiAnswer &answer);

class ApiAnswer {
    std::string text_;
    decode::ReadBody body_;
    berth_answer raw_;

    void parse(std::string_view json);
    /// Of a read, which without an object is none.
    void read(std::string_view json);

public:
    enum class To {
        Write,
        Binding,  ///< of whose success only the status is of use
        Read
    };
    /// Lives as long as what came.
    ApiAnswer(const Callbacks::Came &came, To to);
    ApiAnswer(const ApiAnswer &) = delete;
    ApiAnswer &operator=(const ApiAnswer &) = delete;
    const berth_answer *raw() const { return &raw_; }
};

}  // namespace berth::plugin
