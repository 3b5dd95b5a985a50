// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API server's answer to a request or a read.

#include <berth/service/answer.h>
#include <berth/http_status.hpp>
#include <berth/value.hpp>

#include <cstddef>
#include <string_view>

namespace berth {

/// See berth_answer; valid until the function that was given it returns.
///
/// ```cpp
/// host.send(request, [](const berth::Answer &answer) {
///     if (answer.status() == berth::http_conflict && answer.reason() == "AlreadyExists") …
/// });
/// ```
class Answer {
    const berth_answer *a_;

public:
    explicit Answer(const berth_answer *a) : a_(a) {}
    const berth_answer *raw() const { return a_; }
    int status() const { return a_->http_status; }  ///< HTTP's; 0: no answer came
    /// It was done, or the object or list is there.
    bool ok() const { return succeeded(status()); }
    bool not_found() const { return status() == http_not_found; }  ///< there is no such object
    /// The answer was longer than the host allows: ask for less.
    bool too_long() const { return a_->code == BERTH_STATUS_LIMIT_EXCEEDED; }
    std::string_view text() const { return view(a_->text); }  ///< the body; if not ok(), a sentence for people
    /// The object or list; of a refusal Kubernetes' Status. A null value after a binding, and where no JSON came.
    Value value() const { return Value{a_->value}; }
    /// Why the API server refuses, in a word, as in "Conflict", "AlreadyExists", "Expired"; or "".
    std::string_view reason() const { return ok() ? std::string_view{} : value()["reason"].string(); }
    /// Leads to the next page of a list; "" after the last one. Of a refusal with reason "Expired" it leads to the rest
    /// of the list as it is now, if there is one.
    std::string_view continue_token() const { return value()["metadata"]["continue"].string(); }
    /// Calls fn(Value) for each object of a list.
    template <class Fn>
    void each(Fn &&fn) const {
        const auto items = value()["items"];
        for (std::size_t i = 0; i < items.size(); ++i) fn(items.at(i));
    }
};

}  // namespace berth
