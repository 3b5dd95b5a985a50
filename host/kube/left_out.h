// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects of the API server that cannot be read, and are left out. One of them costs neither the others nor the
/// watch: it is left out, or its earlier version stays in force, and it is named here for as long as that is so.

#include "model/keyed_hash.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::kube {

/// Any thread.
class LeftOut {
public:
    struct One {
        std::string resource;  ///< "pods"; of other kinds with group and version
        std::string key;      ///< "namespace/name" or "name"; in brackets what takes their place if they cannot be read
        std::string version;  ///< metadata.resourceVersion; may be empty
        std::string why;
        bool kept = false;  ///< an earlier version of it stays in force
    };

    /// As it can be kept for each of many objects: faults quote what is there.
    static std::string shortened(std::string why);
    /// Adds it. Returns whether it is new: false if this version was there before.
    bool add(One one);
    /// It can be read, or is gone; whether it was there.
    bool remove(const std::string &resource, const std::string &key);
    /// Of the resource none but these are left out.
    void keep(const std::string &resource, const model::KeyedSet &keys);

    /// How many there are, by resource; a resource that had some and has none any more is there with 0.
    std::map<std::string, std::size_t> counts() const;
    std::size_t size() const;
    std::optional<One> find(const std::string &resource, const std::string &key) const;
    std::vector<One> all() const;  ///< by resource and key

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::map<std::string, One>> all_;  ///< by resource and key
};

}  // namespace berth::kube
