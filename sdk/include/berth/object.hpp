// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects of other kinds than pods and nodes, with look-ups, lists and subscriptions.

#include <berth/host.hpp>

#include <span>
#include <type_traits>

namespace berth {

/// Makes an object live as long as this does.
class KeptObject {
    const Host *host_;
    const berth_object *o_;

public:
    KeptObject(const Host &host, const berth_object *o) : host_(&host), o_(o) { host.retain(o); }
    KeptObject(KeptObject &&other) noexcept : host_(other.host_), o_(std::exchange(other.o_, nullptr)) {}
    KeptObject &operator=(KeptObject &&other) noexcept {
        std::swap(host_, other.host_);
        std::swap(o_, other.o_);
        return *this;
    }
    ~KeptObject() {
        if (o_) host_->release(o_);
    }
    const berth_object *raw() const { return o_; }
};

class Object {
    const berth_object *o_ = nullptr;
    const Host *host_ = nullptr;

public:
    Object() = default;
    Object(const berth_object *o, const Host *host) : o_(o), host_(host) {}
    explicit operator bool() const { return o_ != nullptr; }
    const berth_object *raw() const { return o_; }
    berth_object_meta meta() const {
        berth_object_meta out{};
        out.struct_size = sizeof out;
        Host::function<&berth_host_object::meta>(host_->object_, BERTH_HOST_OBJECT_V1)(host_->raw(), o_, &out);
        return out;
    }
    std::string_view name_space() const { return view(meta().namespace_); }
    std::string_view name() const { return view(meta().name); }
    std::string_view uid() const { return view(meta().uid); }
    std::span<const berth_label> labels() const {
        auto m = meta();
        return {m.labels, m.labels_len};
    }
    Value at(std::string_view pointer) const { return host_->object_at(o_, pointer); }
};

inline Object Host::get(Kind kind, std::string_view name_space, std::string_view name) const {
    return {function<&berth_host_cluster::get>(cluster_, BERTH_HOST_CLUSTER_V1)(h_, kind.id, to_str(name_space),
                                                                                to_str(name)),
            this};
}

template <class Fn>
void Host::each(Kind kind, std::string_view name_space, Fn &&fn) const {
    auto one = [&](const berth_object *object) {
        if constexpr (std::is_void_v<decltype(fn(Object{}))>) return fn(Object{object, this}), true;
        else return static_cast<bool>(fn(Object{object, this}));
    };
    Visitor<decltype(one)> visitor{one};
    function<&berth_host_cluster::list>(cluster_, BERTH_HOST_CLUSTER_V1)(
        h_, kind.id, to_str(name_space),
        [](void *ctx, const berth_object *object) noexcept -> std::int32_t {
            return Visitor<decltype(one)>::of(ctx).run([&](auto &f) { return f(object); }) ? 1 : 0;
        },
        &visitor);
    visitor.end();
}

inline void Host::subscribe(Kind kind, Changed changed) const {
    auto &held = *subscriptions_.emplace_back(std::make_unique<Subscription>(Subscription{this, std::move(changed)}));
    const auto asked = function<&berth_host_cluster::subscribe>(cluster_, BERTH_HOST_CLUSTER_V1)(
        h_, kind.id,
        [](void *ctx, const berth_object *before, const berth_object *after) {
            auto &s = *static_cast<Subscription *>(ctx);
            s.host->contain("a subscription", [&] { s.changed(Object{before, s.host}, Object{after, s.host}); });
        },
        &held);
    if (asked != BERTH_STATUS_SUCCESS)
        throw std::logic_error("a subscription is for create, and for a kind of the host");
}

}  // namespace berth
