// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Assumed PersistentVolumes and claims of pods that have a node (upstream: AssumeCache); volume_pre_bind.h writes
/// them.

#include "delayed_claim.h"
#include "json_edit.h"

#include <functional>

namespace kubernetes {

/// Objects as they will be once pods that have a node are bound. An assumption holds until the API server sends another
/// version of the object.
template <class What>
class Assumed {
    struct Entry {
        std::string version;
        What what;
    };
    std::map<std::string, Entry, std::less<>> by_key_;

public:
    void assume(const std::string &key, std::string_view version, What what) {
        by_key_[key] = Entry{std::string(version), std::move(what)};
    }
    /// What was assumed of the object as it is now, or null.
    const What *get(std::string_view key, std::string_view version) const {
        auto at = by_key_.find(key);
        return at == by_key_.end() || at->second.version != version ? nullptr : &at->second.what;
    }
    void restore(std::string_view key, std::string_view version) {
        auto at = by_key_.find(key);
        if (at != by_key_.end() && at->second.version == version) by_key_.erase(at);
    }
    /// The object is of this version now; empty: it is gone.
    void changed(std::string_view key, std::string_view version) {
        auto at = by_key_.find(key);
        if (at != by_key_.end() && at->second.version != version) by_key_.erase(at);
    }
};

/// A volume assumed for a claim, or a claim whose volume will be provisioned for a node; `body` is the request to the
/// API server.
struct AssumedVolume {
    ClaimRef claim;
    std::string body;
};
struct AssumedClaim {
    std::string node, body;
};

/// One object to be written, and what is waited for then.
struct VolumeWrite {
    bool of_claim = false;   ///< the update sets a claim's node; else a volume's claim
    std::string name_space;  ///< of the claim
    std::string claim;       ///< its name
    std::string volume;      ///< the name of the volume whose claim is set
    std::string version;     ///< of the object before
    std::string body;
    bool changes = false;  ///< the object will have another version afterwards
    bool written = false;

    std::string key() const { return of_claim ? full_name(name_space, claim) : volume; }
};

/// The API server's next version of a volume that is meant for a claim. Null: it is already.
inline std::optional<std::string> bound_to(const berth::Object &volume, const berth::Object &claim,
                                           const DelayedClaim &read, const std::optional<ClaimRef> &now) {
    bool same = now && now->name == read.name && now->name_space == read.name_space && now->uid == read.uid;
    if (same) return std::nullopt;
    JsonEdit edit;
    edit.set({"kind"}, "\"PersistentVolume\"");
    edit.set({"apiVersion"}, "\"v1\"");
    edit.set({"spec", "claimRef"},
             R"({"kind":"PersistentVolumeClaim","namespace":)" + berth::json_quote(read.name_space) +
                 ",\"name\":" + berth::json_quote(read.name) + ",\"uid\":" + berth::json_quote(read.uid) +
                 R"(,"apiVersion":"v1","resourceVersion":)" +
                 berth::json_quote(berth::view(claim.meta().resource_version)) + "}");
    // What its owner meant for the claim is not the volume controller's to take back.
    if (!read.named_by(now) && !annotation(volume, bound_by_controller))
        edit.set({"metadata", "annotations", bound_by_controller}, "\"yes\"");
    return edit.apply(volume.at(""));
}

/// The API server's version of a claim whose volume is to be made for a node.
inline std::string provisioned_on(const berth::Object &claim, std::string_view node) {
    JsonEdit edit;
    edit.set({"kind"}, "\"PersistentVolumeClaim\"");
    edit.set({"apiVersion"}, "\"v1\"");
    edit.set({"metadata", "annotations", selected_node}, berth::json_quote(node));
    return edit.apply(claim.at(""));
}

}  // namespace kubernetes
