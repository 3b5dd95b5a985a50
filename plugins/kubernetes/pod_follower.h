// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The changes of placed pods since the last snapshot.

#include <berth/plugin.hpp>

#include <span>
#include <vector>

namespace kubernetes {

/// A placed pod as far as counting goes. The codes are those of the snapshot that it was read in; of a pod that has
/// left they may mean something else by now.
struct PlacedPod {
    std::uint32_t slot = BERTH_NO_SLOT, name_space = 0, label_set = 0, flags = 0;
    bool there() const { return slot != BERTH_NO_SLOT; }
    bool terminating() const { return flags & BERTH_FLAG_POD_TERMINATING; }
};

/// Keeps a copy of the placed pods by row and says what has changed since it last looked.
class PodFollower {
    std::vector<PlacedPod> rows_;
    std::uint64_t snapshot_ = 0;

    struct Changes {
        std::vector<std::uint32_t> removed, nodes, added;
    } changes_;

    bool ask(const berth::Host &host, berth::Nodes nodes) {
        changes_.removed.clear();
        changes_.nodes.clear();
        changes_.added.clear();
        static constexpr berth_plugin_changes functions{
            sizeof functions, 0,
            [](void *ctx, std::uint32_t row, const berth_pod *, std::uint32_t) {
                static_cast<Changes *>(ctx)->removed.push_back(row);
            },
            [](void *ctx, std::uint32_t slot) { static_cast<Changes *>(ctx)->nodes.push_back(slot); },
            [](void *ctx, std::uint32_t row) { static_cast<Changes *>(ctx)->added.push_back(row); }};
        return host.delta().changes(host.raw(), nodes.raw(), snapshot_, &functions, &changes_) == BERTH_STATUS_SUCCESS;
    }

    static PlacedPod read(berth::PlacedPods pods, std::uint32_t row) {
        return {pods.slot(row), pods.namespace_code(row), pods.label_set_code(row), pods.flags(row)};
    }

public:
    /// By row; rows without a pod are not there().
    const std::vector<PlacedPod> &rows() const { return rows_; }

    /// The next follow() begins anew.
    void forget() { snapshot_ = 0; }
    /// On the loop, at the first need of a cycle. Calls `listener.left(row, pod)` for each pod that left,
    /// `listener.nodes_changed(slots)` for the nodes that changed, `listener.came(row, pod)` for each pod that came;
    /// or, if it has to begin anew, `listener.restart()` and then `came` for each pod.
    template <class Listener>
    void follow(const berth::Host &host, berth::Nodes nodes, Listener &listener) {
        const auto *raw = nodes.raw();
        if (raw->snapshot_id == snapshot_) return;
        auto pods = nodes.pods();
        bool known = ask(host, nodes);
        snapshot_ = 0;  // if something is thrown on the way, the next call begins anew
        if (known) {
            for (auto row : changes_.removed) {
                listener.left(row, rows_[row]);
                rows_[row] = {};
            }
            listener.nodes_changed(std::span<const std::uint32_t>(changes_.nodes));
            rows_.resize(pods.rows());
            for (auto row : changes_.added) {
                rows_[row] = read(pods, row);
                listener.came(row, rows_[row]);
            }
        } else {
            rows_.assign(pods.rows(), {});
            listener.restart();
            for (std::uint32_t row = 0; row < pods.rows(); ++row) {
                if (!pods.exists(row)) continue;
                rows_[row] = read(pods, row);
                listener.came(row, rows_[row]);
            }
        }
        snapshot_ = raw->snapshot_id;
    }
};

}  // namespace kubernetes
