// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Strange hosts for tests: older, later, or with memory that ends where the structs do. The ABI allows each of them.

#include "verify/subject.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace berth::verify {

enum class Strangeness : std::uint8_t {
    Lesser,  ///< of services it has only those that the plugin requires
    Later,   ///< its structs have a tail, and bits of `flags` that may be ignored
    Tight,   ///< its structs and texts are followed by memory that cannot be read
};

/// Memory that ends at a page which cannot be touched.
class TightMemory {
    void *map_ = nullptr;
    std::size_t size_ = 0;

public:
    /// A copy of `size` bytes, the last of which is the last before the page.
    TightMemory(const void *from, std::size_t size, std::size_t align);
    ~TightMemory();
    TightMemory(const TightMemory &) = delete;
    TightMemory &operator=(const TightMemory &) = delete;
    void *at() const { return at_; }

private:
    void *at_ = nullptr;
};

/// A copy of a tree of arguments in which each text, list and object ends at such a page.
class TightTree {
    std::vector<std::unique_ptr<TightMemory>> parts_;
    berth_value root_;

    template <class T>
    const T *keep(const T *from, std::uint64_t n);
    berth_value copy(const berth_value &from);

public:
    explicit TightTree(const berth_value &from) : root_(copy(from)) {}
    const berth_value &root() const { return root_; }
};

class StrangeHost {
    const Subject &subject_;
    const plugin::Arguments &arguments_;
    Strangeness how_;
    std::shared_ptr<plugin::HostContext> context_;

public:
    StrangeHost(const Subject &subject, const plugin::Services &services, const plugin::Arguments &arguments,
                Strangeness how);
    /// The error is the plugin's own text, or what it threw.
    model::Result<void> create_and_destroy();

private:
    model::Result<void> run(const berth_host &host, const berth_create_info &info);
};

}  // namespace berth::verify
