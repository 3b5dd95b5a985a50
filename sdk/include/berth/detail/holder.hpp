// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin's instance, and how its methods are called without an exception leaving them. Not for plugin authors.

#include <berth/args.hpp>
#include <berth/call.hpp>
#include <berth/host.hpp>

#include <exception>
#include <type_traits>

namespace berth::detail {

template <class T>
concept MadeOfArgsAndHost = std::is_constructible_v<T, Args, const Host &>;
template <class T>
concept MadeOfHost = !MadeOfArgsAndHost<T> && std::is_constructible_v<T, const Host &>;
template <class T>
concept MadeOfArgs = !MadeOfArgsAndHost<T> && !MadeOfHost<T> && std::is_constructible_v<T, Args>;
template <class T>
concept MadeOfNothing = !MadeOfArgsAndHost<T> && !MadeOfHost<T> && !MadeOfArgs<T>;

/// What `self` points to. The plugin is constructed where it stays, so that its constructor may hand out `this`: a
/// function that returned it would return a small one in registers, and it would be copied from there.
template <class T>
struct Holder {
    Host host;
    T plugin;

    // The constructor's arguments, in the order of what it may ask for.
    Holder(const berth_host *h, Value args)
        requires MadeOfArgsAndHost<T>
        : host(h), plugin(Args{args}, static_cast<const Host &>(host)) {}
    Holder(const berth_host *h, Value)
        requires MadeOfHost<T>
        : host(h), plugin(static_cast<const Host &>(host)) {}
    Holder(const berth_host *h, Value args)
        requires MadeOfArgs<T>
        : host(h), plugin(Args{args}) {}
    Holder(const berth_host *h, Value)
        requires MadeOfNothing<T>
        : host(h), plugin() {
        static_assert(std::is_default_constructible_v<T>,
                      "a plugin's constructor takes (), (Args), (const Host &) or (Args, const Host &)");
    }
};

template <class T>
Holder<T> &holder(void *self) {
    return *static_cast<Holder<T> *>(self);
}

/// Runs `fn`, which answers by a Verdict, into a status.
template <class Fn>
void answer(const Host &host, berth_status *status, Fn &&fn) noexcept {
    auto fail = [&](berth_str text) {
        status->code = BERTH_STATUS_ERROR;
        host.call_service().set_error(host.raw(), status, text);
    };
    try {
        write_status(host, status, fn());
    } catch (const std::exception &e) {
        fail(to_str(e.what()));
    } catch (...) {
        fail(BERTH_STR("unknown exception"));
    }
}

}  // namespace berth::detail
