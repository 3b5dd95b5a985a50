// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects of the other kinds that plugins watch, such as PersistentVolumes and ResourceClaims.

#include "plugin/services.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::cluster {

/// Changed on the loop, between cycles; read by the threads of a cycle.
class Objects : public plugin::Objects {
    using Key = std::pair<std::string, std::string>;
    struct Less {
        using is_transparent = void;
        template <class A, class B>
        bool operator()(const A &a, const B &b) const {
            auto order = std::string_view(a.first).compare(b.first);
            return order != 0 ? order < 0 : std::string_view(a.second) < std::string_view(b.second);
        }
    };
    struct Subscriber {
        std::weak_ptr<const void> owner;
        Changed changed;
        bool introduced;  ///< to what there was before it
    };
    struct OfKind {
        model::Kind kind;
        std::map<Key, model::AnyPtr, Less> objects;  ///< by namespace and name
        std::uint64_t version = 0;
        std::vector<Subscriber> subscribers;
    };
    std::vector<OfKind> kinds_;  ///< by id, from 1

    static void notify(const Subscriber &subscriber, const model::AnyObject *before, const model::AnyObject *after);
    const OfKind *of(std::uint32_t kind) const { return kind - 1 < kinds_.size() ? &kinds_[kind - 1] : nullptr; }

public:
    /// Takes a change (env::Observer) and notifies the subscribers.
    void change(const model::Kind &kind, const model::AnyPtr &before, const model::AnyPtr &after);
    /// Notifies the subscribers that came after the first objects of all current objects. Until then they get no
    /// notifications.
    void introduce();
    /// The kind is no longer watched. Does not notify.
    void forget(const model::Kind &kind);
    /// All there are, by kind, namespace and name. Loop only.
    void each(const std::function<void(const model::Kind &, const model::AnyPtr &)> &visit) const;

    /// The version of the object that there is; nullptr if there is none, or another object of that name.
    model::AnyPtr known(const model::Kind &kind, const model::AnyObject &object) const;

    std::uint32_t kind(const model::Kind &kind) override;
    const model::AnyObject *get(std::uint32_t kind, std::string_view name_space, std::string_view name) const override;
    void visit(std::uint32_t kind, std::string_view name_space, const Visit &visit) const override;
    std::uint64_t version(std::uint32_t kind) const override;
    bool subscribe(std::uint32_t kind, std::weak_ptr<const void> owner, Changed changed) override;
};

}  // namespace berth::cluster
