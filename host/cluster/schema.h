// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What columns there are, how a row of each is made from a node or a pod, and the dictionaries that their codes mean
/// something in. One schema serves the snapshot and the tables of one node, so their codes agree.

#include "cluster/column_data.h"
#include "cluster/dictionary.h"
#include "cluster/images.h"

#include <deque>
#include <string>

namespace berth::cluster {

/// A column that a plugin asked for.
struct Declaration {
    const std::uint32_t id, kind, type;
    const std::string key;
    Dictionary<berth_str> strings;  ///< of label, annotation, scheduler name and pod image columns
    Codes *codes = nullptr;         ///< of its dictionary, whichever that is; null if it has none

    Declaration(std::uint32_t number, std::uint32_t of_kind, std::uint32_t of_type, std::string_view name,
                CodeHistory &history)
        : id(number), kind(of_kind), type(of_type), key(name), strings(history) {}

    bool of_nodes() const { return kind < BERTH_POD_LABEL; }
    /// Made of a node's pods, so that it is kept also while the node is not there.
    bool sums_pods() const { return kind == BERTH_NODE_REQUESTED || kind == BERTH_NODE_PORTS; }
};

/// Declarations live as long as the schema, at one address. Loop only, but for `find` and `dictionary`.
class Schema {
    CodeHistory history_;
    std::deque<Declaration> declared_;
    CodeIndex index_;
    std::vector<std::uint32_t> scratch_;

public:
    Dictionary<berth_str> namespaces{history_}, zones{history_};
    Dictionary<berth_label_set> label_sets{history_};
    Dictionary<berth_taint> taints{history_};
    Dictionary<berth_host_port> ports{history_};
    Images images{history_};

    /// The column of that kind and key, made if need be; nullptr for a kind that does not exist.
    Declaration *declare(std::uint32_t kind, std::string_view key);
    Declaration *find(std::uint32_t id) { return id - 1 < declared_.size() ? &declared_[id - 1] : nullptr; }
    /// berth_nodes.schema_version, as of now.
    std::uint64_t version() const { return history_.version; }
    /// Frees codes that nothing holds, if there are enough of them. True: dictionaries may have moved.
    bool sweep();
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
