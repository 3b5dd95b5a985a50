// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check that `sort_key` and `less` of QueueSort order pods alike, made with the last few pods and their keys.

#include "model/pod.h"
#include "plugin/guarded_memory.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::plugin {

/// "namespace/name" in quotes.
std::string quoted_name(const berth_pod &pod);

/// On the loop's thread, as QueueSort is.
class SortOrder {
public:
    using Key = std::vector<std::uint8_t>;
    using Less = std::function<bool(const berth_pod &a, const berth_pod &b)>;

    /// The names of the remembered pods which `less` orders against this one in another way than the keys do.
    std::vector<std::string> contradictions(const berth_pod &pod, const Key &key, const Less &less) const;
    void remember(const berth_pod &pod, Key key);

private:
    struct Sorted {
        GuardedMemory memory;
        const berth_pod *pod = nullptr;
        std::shared_ptr<const model::Object> object;
        Key key;
    };
    std::deque<Sorted> last_;
};

}  // namespace berth::plugin
