// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface of an HTTP client: requests with an answer, and streams without an end. What speaks it is behind this.

#include "kube/answer_limits.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace berth::kube {

struct HttpRequest {
    std::string method = "GET";
    std::string path;          ///< with query, percent-encoded, from the server's root
    std::string content_type;  ///< of the body
    std::string body;
    std::string_view accept = "application/json";  ///< static
    /// No sign of an answer for so long: there is none. The transport by cpprestsdk always waits a minute.
    std::chrono::seconds patience{60};
    /// For all of the answer, from the call on; 0: as long as signs of it come. Not by cpprestsdk.
    std::chrono::milliseconds whole{0};
    /// A larger body than this, in bytes, is no answer; one that is streamed may have any size.
    std::uint64_t most_bytes = most_of_answer;
    /// Asked when its bytes are about to be made, however long it has waited for a connection, and before its body is
    /// sent: unless it answers with nothing, the request goes no further, and that is the answer, `unsent`. Null: it is
    /// sent. Called on whatever thread sends.
    std::function<std::string()> why_not{};
};

struct HttpAnswer {
    int status = 0;         ///< 0: no answer came, or it broke off; `body` then says why
    std::string body;       ///< empty after a stream that was answered with 200
    bool unsent = false;    ///< with status 0: the server has certainly not seen the whole request
    int retry_after_s = 0;  ///< what the server asks for; 0: nothing
    bool too_long = false;  ///< with status 0: the body had more than `most_bytes`
};

/// Called on the loop. It calls back from any thread, for one request or stream never two calls at a time, and not
/// from within the call that was given the callback. Its destructor ends everything that is under way and returns when
/// no callback runs any more and none will.
class Transport {
public:
    using Done = std::function<void(HttpAnswer)>;
    using Data = std::function<void(std::string_view)>;
    using StreamId = std::uint64_t;

    virtual ~Transport() = default;
    /// `done` is called once.
    virtual void request(HttpRequest request, Done done) = 0;
    /// `data` is called with the body of an answer 200 as it comes, in pieces that end anywhere; afterwards, or with
    /// any other answer, `done` once.
    virtual StreamId stream(HttpRequest request, Data data, Done done) = 0;
    /// Ends a stream soon; `done` is still called. A stream that has ended is no error.
    virtual void cancel(StreamId stream) = 0;
};

}  // namespace berth::kube
