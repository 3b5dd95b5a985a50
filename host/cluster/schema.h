// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The columns of nodes and pods, how each row is filled, and the dictionaries of their codes. One schema serves the
/// snapshot and the tables of one node, so their codes agree.

#include "cluster/column_data.h"
#include "cluster/declarations.h"
#include "cluster/images.h"
#include "cluster/node_keys.h"

namespace berth::cluster {

/// Loop only, but for `find` and `dictionary`.
class Schema {
    CodeHistory history_;

public:
    Dictionary<berth_str> namespaces{history_}, zones{history_};
    Dictionary<berth_label_set> label_sets{history_};
    Dictionary<berth_taint> taints{history_};
    Dictionary<berth_port> ports{history_};
    Images images{history_};
    NodeKeys node_keys;

private:
    Declarations declared_;
    std::uint64_t keys_seen_ = 0;
    std::vector<std::uint32_t> scratch_;

public:
    /// `on_end`: as of Declarations.
    explicit Schema(std::function<void(const Declaration &)> on_end)
        : declared_(history_, [this](Declaration &column) { return codes_of(column); }, std::move(on_end)) {}

    // The column of that kind and key, made if need be; nullptr for a kind that does not exist.
    /// It stays until it is released as often.
    Declaration *declare(std::uint32_t kind, std::string_view key);
    void release(std::uint32_t id);
    /// It stays until the current attempt is over, at least. Of a key that no node has, it is one that stands for all
    /// of these. nullptr also if the attempt has requested too many; a key that nodes have is never too many.
    Declaration *ask(std::uint32_t kind, std::string_view key);
    void begin_attempt();
    void end_attempt() { declared_.end_attempt(); }

    /// Of the dictionaries, and of the tables that this serves.
    KeptArrays &kept() { return history_.kept; }
    const KeptArrays &kept() const { return history_.kept; }
    Declaration *find(std::uint32_t id) const { return declared_.find(id); }
    /// berth_nodes.schema_version, as of now.
    std::uint64_t version() const { return history_.version; }
    /// Frees codes that nothing holds, if there are enough of them. True: dictionaries may have moved.
    bool sweep();
    /// Of all dictionaries. Loop only.
    std::size_t dictionary_bytes() const;
    /// Sets `dict`, `dict_len` and `dict_generation`.
    void dictionary(const Declaration &column, berth_column &out) const;

    /// Writes a row from a node. Requested amounts and ports are sums over pods: they stay, and become valid.
    void write(Declaration &column, ColumnData &data, std::uint32_t row, const model::Node &node);
    void write(Declaration &column, ColumnData &data, std::uint32_t row, const model::Pod &pod);
    /// Adds a pod to its node's row of requested amounts or ports, or takes it out (`sign` is 1 or -1).
    void account(Declaration &column, ColumnData &data, std::uint32_t row, const model::Pod &pod, int sign);

private:
    Codes *codes_of(Declaration &column);
    void write_text(Declaration &column, ColumnData &data, std::uint32_t row, const berth_str *text);
    void account_ports(ColumnData &data, std::uint32_t row, const model::Pod &pod, int sign);
};

}  // namespace berth::cluster
