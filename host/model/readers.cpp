// SPDX-License-Identifier: Apache-2.0
#include "model/readers.h"

#include <array>

namespace berth::model {
namespace {

const FaultSink nobody = [](Value, const std::string &, const std::string &) {};

TreePtr spec_tree(Value spec) { return read_pod_spec(spec); }

/// A status that many have.
struct SharedStatus : Tree {
    Held held;
};

template <Holder Of>
TreePtr status_tree(Value v) {
    auto out = std::make_shared<SharedStatus>();
    compact_copy(*out, v);
    out->held.count(Of, own_bytes(*out) + object_overhead);
    return out;
}

/// What of an object is not its own.
class Shared {
    std::array<SharedMember, Tree::shared_most> members_;
    std::size_t count_ = 0;

public:
    void add(std::string_view key, TreePtr tree) { members_[count_++] = {key, std::move(tree)}; }
    void add_status(SharedValues &statuses, Value root, SharedValues::Make make) {
        if (const auto status = root["status"]; status.is_object())
            if (auto found = statuses.find(status, make)) add("status", std::move(found));
    }
    TreePtr copy(Value root) const {
        auto out = std::make_shared<Tree>();
        compact_copy(*out, root, std::span(members_).first(count_));
        return out;
    }
};

}  // namespace

PodPtr PodReader::read(const TreePtr &tree, const FaultSink &fault, Accounting accounting) {
    const auto root = tree->value();
    Shared shared;
    const PodSpec *spec = nullptr;
    if (const auto own = root["spec"]; own.is_object()) {
        members_.clear();
        for (std::size_t i = 0; i < own.size(); ++i)
            if (own.key(i) != "nodeName") members_.push_back({to_str(own.key(i)), *own.member(i).raw()});
        const berth_value rest{BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(members_.size())}, {members_.data()}};
        if (auto found = specs_.find(Value{&rest}, spec_tree)) {
            spec = static_cast<const PodSpec *>(found.get());
            shared.add("spec", std::move(found));
        }
    }
    shared.add_status(statuses_, root, status_tree<Holder::Pods>);
    if (auto pod = read_pod_of(spec, shared.copy(root), nobody, accounting)) return pod;
    return read_pod_of(nullptr, tree, fault, accounting);  // whose values stand where faults are to be shown
}

NodePtr NodeReader::read(const TreePtr &tree, const FaultSink &fault) {
    Shared shared;
    shared.add_status(statuses_, tree->value(), status_tree<Holder::Nodes>);
    if (auto node = read_node(shared.copy(tree->value()), nobody)) return node;
    return read_node(tree, fault);
}

}  // namespace berth::model
