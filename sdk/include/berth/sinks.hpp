// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Sinks of the host, which take a plugin's texts, errors and declarations.

#include <berth/berth.h>
#include <berth/value.hpp>

#include <string_view>

namespace berth {

/// A sink with the host that it belongs to, which need not have an instance yet.
template <class Sink>
class SinkOf {
    const berth_host *host_;
    const berth_host_sinks *table_;
    Sink *sink_;

public:
    SinkOf(const berth_host *host, Sink *sink)
        : host_(host),
          table_(static_cast<const berth_host_sinks *>(host->get_service(host, BERTH_STR(BERTH_HOST_SINKS_V1)))),
          sink_(sink) {}
    /// Calls a function of berth.host.sinks/1.
    template <auto Function, class... Args>
    void call(Args... args) const {
        (table_->*Function)(host_, sink_, args...);
    }
};

/// Takes a text, in pieces.
class TextSink {
    SinkOf<berth_text_sink> sink_;

public:
    TextSink(const berth_host *host, berth_text_sink *sink) : sink_(host, sink) {}
    void write(berth_str text) const { sink_.call<&berth_host_sinks::write_text>(text); }
};

/// Takes errors, each with its place.
class ErrorSink {
    const berth_host *host_;
    SinkOf<berth_error_sink> sink_;

public:
    ErrorSink(const berth_host *host, berth_error_sink *sink) : host_(host), sink_(host, sink) {}
    const berth_host *host() const { return host_; }
    void add(std::string_view path, std::string_view text) const {
        sink_.call<&berth_host_sinks::add_error>(to_str(path), to_str(text));
    }
};

}  // namespace berth
