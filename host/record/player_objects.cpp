// SPDX-License-Identifier: Apache-2.0
// The player's decoding of recorded changes of nodes, pods and other objects.
#include "record/player.h"
#include "record/tree.h"

#include <algorithm>
#include <utility>

namespace berth::record {
namespace {

template <class T>
std::shared_ptr<const T> as(const ObjectPtr &object) {
    return std::static_pointer_cast<const T>(object);
}

model::Value tree_of(const ObjectPtr &object) { return object ? object->tree->value() : model::Value{}; }

/// One change of an object: what it was and what it is, of which one may be missing.
template <class Ptr>
struct Change {
    Ptr before, after;
};

/// Reads a change; `take` reads an object by its base.
template <class Ptr, class T, class Take>
Change<Ptr> take_change(Bytes &journal, SeenObjects &seen, int which, const Take &take) {
    const std::string uid(journal.text());
    if (which == 0) {
        const auto like = seen.like(journal.text());
        Ptr after = take(like ? like->value() : model::Value{});
        if (after) seen.added(uid, after);
        return {nullptr, after};
    }
    auto before = as<T>(seen.find(uid));
    if (which == 2) {
        Ptr last = take(tree_of(before));
        seen.deleted(uid);
        return {last, nullptr};
    }
    if (journal.byte() != 0) before = take(tree_of(before));
    if (!before) return journal.fail(), Change<Ptr>{};
    Ptr after = take(tree_of(before));
    if (after) seen.updated(uid, model::view(after->meta().uid), after);
    return {before, after};
}

/// A tree that counts among what the objects take, as long as anybody has it.
struct Held {
    model::Tree tree;
    std::uint64_t bytes = 0;
    std::shared_ptr<std::atomic<std::uint64_t>> sum;

    explicit Held(std::shared_ptr<std::atomic<std::uint64_t>> of) : sum(std::move(of)) {}
    ~Held() { *sum -= bytes; }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    void take(std::uint64_t more) { *sum += bytes = more; }
};

/// What the smallest object takes beside its tree.
constexpr std::uint64_t beside_tree = 2048;

int which(Entry entry, Entry first) { return static_cast<int>(entry) - static_cast<int>(first); }

}  // namespace

/// For the next object.
Room Player::room_left() const {
    Room out;
    const auto held = std::min(most_held_, held_->load() + beside_tree);
    if (most_held_ - held < out.left)
        out = {most_held_ - held, "its objects would take more memory than those of a recording of its size do"};
    return out;
}

/// An object, which must be as good as it was.
template <class Read>
auto Player::take(model::Value base, const Read &read) {
    auto held = std::make_shared<Held>(held_);
    Room room = room_left();
    const auto had = room.left;
    held->tree.root = take_tree(journal_, base, held->tree.arena, room);
    held->take(had - room.left + beside_tree);
    const std::shared_ptr<model::Tree> tree(held, &held->tree);
    decltype(read(tree, model::FaultSink{})) out;
    if (journal_.good()) out = read(tree, [](model::Value, const std::string &, const std::string &) {});
    if (!out) journal_.fail();
    return out;
}

void Player::node(Entry entry) {
    auto [before, after] =
        take_change<model::NodePtr, model::Node>(journal_, nodes_, which(entry, Entry::NodeAdded),
                                                 [&](model::Value base) { return take(base, model::read_node); });
    if (!journal_.good()) return;
    if (!before) core_.observer->node_added(std::move(after));
    else if (after) core_.observer->node_updated(std::move(before), std::move(after));
    else core_.observer->node_deleted(std::move(before));
}

void Player::pod(Entry entry) {
    auto [before, after] =
        take_change<model::PodPtr, model::Pod>(journal_, pods_, which(entry, Entry::PodAdded), [&](model::Value base) {
            return take(base, [&](model::TreePtr tree, const model::FaultSink &fault) {
                return model::read_pod_of(nullptr, std::move(tree), fault, core_.accounting);
            });
        });
    if (!journal_.good()) return;
    if (!before) core_.observer->pod_added(std::move(after));
    else if (after) core_.observer->pod_updated(std::move(before), std::move(after));
    else core_.observer->pod_deleted(std::move(before));
}

void Player::object(Entry entry) {
    const auto number = journal_.number();
    if (number >= kinds_.size()) return journal_.fail();
    auto &of = *kinds_[number];
    auto [before, after] = take_change<model::AnyPtr, model::AnyObject>(
        journal_, of.seen, which(entry, Entry::ObjectAdded), [&](model::Value base) {
            return take(base, [&](model::TreePtr tree, const model::FaultSink &fault) {
                return model::read_object(std::move(tree), of.kind, fault);
            });
        });
    if (journal_.good()) core_.observer->object_changed(of.kind, std::move(before), std::move(after));
}

void Player::kind() {
    journal_.byte();
    if (kinds_.size() == most_kinds) return journal_.fail("it tells of more kinds of objects than a cluster has");
    auto &kind = kinds_.emplace_back(std::make_unique<OfKind>())->kind;
    for (auto *text : {&kind.group, &kind.version, &kind.resource, &kind.name}) *text = std::string(journal_.text());
    const auto scope = journal_.byte();
    if (scope > static_cast<std::uint8_t>(model::Scope::Namespaced)) return journal_.fail();
    kind.scope = static_cast<model::Scope>(scope);
    kind.custom = journal_.byte() != 0;
}

void Player::forgotten() {
    const auto number = journal_.number();
    if (number >= kinds_.size()) return journal_.fail();
    kinds_[number]->seen.clear();
    core_.forget(kinds_[number]->kind);
}

}  // namespace berth::record
