// SPDX-License-Identifier: Apache-2.0
#include "sim/store.h"

#include "model/build.h"
#include "sim/input_objects.h"
#include "sim/patch.h"

#include <algorithm>
#include <charconv>

namespace berth::sim {
namespace {

std::uint64_t number(std::string_view text) {
    std::uint64_t n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

/// Decodes; the first fault is the error.
template <class Read>
auto read_or_error(Read read) -> model::Result<decltype(read(model::FaultSink{}))> {
    std::string faults;
    auto object = read([&](model::Value, const std::string &path, const std::string &text) {
        if (faults.empty()) faults.append(path).append(": ").append(text);
    });
    if (!object) return model::Error{faults};
    return object;
}

/// The object with the namespace and uid that decoding filled in: what the server stores names itself.
model::AnyPtr named(const model::AnyPtr &object, const model::Kind &kind) {
    const auto metadata = object->tree->value()["metadata"];
    if (metadata["uid"] && metadata["namespace"].string() == object->name_space) return object;
    model::Arena arena;
    model::ObjectBuilder patch(arena), own(arena);
    own.add("uid", object->uid);
    if (!object->name_space.empty()) own.add("namespace", object->name_space);
    patch.add("metadata", own);
    const auto change = patch.value();
    return model::read_object(merged(object->tree->value(), model::Value{&change}), kind, {});
}

}  // namespace

void Store::start(const Input &input, env::Observer &observer) {
    observers_.insert(observers_.begin(), &observer);
    accounting_ = input.accounting;
    only_read_ = input.only_read;
    auto note_version = [this](const model::Object &o) {
        version_ = std::max(version_, number(model::resource_version(o)));
    };
    for (const auto &kind : input.kinds)
        if (!of(kind)) kinds_.push_back({kind, {}});
    for (const auto &[kind, object] : input.objects) {
        if (!of(kind)) kinds_.push_back({kind, {}});
        of(kind)->kind = kind;  // one from a definition knows more
        of(kind)->objects.emplace(object->key(), named(object, kind));
        note_version(*object);
    }
    nodes_ = input.nodes;
    pods_.reserve(input.pods.size());
    for (const auto &pod : input.pods) pods_.emplace(pod->key(), pod), note_version(*pod);
    for (auto *each : observers_) {
        for (const auto &[kind, object] : input.objects)
            if (is_watched(kind)) each->object_changed(kind, nullptr, of(kind)->objects.at(object->key()));
        for (const auto &node : input.nodes) each->node_added(node);
        for (const auto &pod : input.pods) each->pod_added(pod);
    }
}

const model::Kind *Store::kind(std::string_view group, std::string_view version, std::string_view resource) const {
    const auto wanted = model::kind_of(group, version, resource);
    if (wanted == pod_kind) return &pod_kind;
    auto at = std::ranges::find(kinds_, wanted, &OfKind::kind);
    return at == kinds_.end() ? nullptr : &at->kind;
}

const model::Kind *Store::kind_named(std::string_view name) const {
    auto at = std::ranges::find_if(kinds_, [&](const OfKind &of) { return model::is_named(of.kind, name); });
    return at == kinds_.end() ? nullptr : &at->kind;
}

std::vector<model::Kind> Store::kinds() const {
    std::vector<model::Kind> out;
    for (const auto &of : kinds_) out.push_back(of.kind);
    return out;
}

std::string Store::key(std::string_view name_space, std::string_view name) {
    std::string out(name_space);
    if (!out.empty()) out += '/';
    return out.append(name);
}

Store::OfKind *Store::of(const model::Kind &kind) {
    auto at = std::ranges::find(kinds_, kind, &OfKind::kind);
    return at == kinds_.end() ? nullptr : &*at;
}

model::TreePtr Store::find(const model::Kind &kind, const std::string &key) const {
    if (kind == pod_kind) {
        auto found = pod(key);
        return found ? found->tree : nullptr;
    }
    auto of_kind = std::ranges::find(kinds_, kind, &OfKind::kind);
    if (of_kind == kinds_.end()) return nullptr;
    auto at = of_kind->objects.find(key);
    return at == of_kind->objects.end() ? nullptr : at->second->tree;
}

std::vector<model::TreePtr> Store::list(const model::Kind &kind) const {
    std::vector<model::TreePtr> out;
    auto of_kind = std::ranges::find(kinds_, kind, &OfKind::kind);
    if (of_kind == kinds_.end()) return out;
    for (const auto &[key, object] : of_kind->objects) out.push_back(object->tree);
    return out;
}

model::PodPtr Store::pod(const std::string &key) const {
    auto at = pods_.find(key);
    return at == pods_.end() ? nullptr : at->second;
}

model::TreePtr Store::versioned(const model::Tree &tree) const {
    model::Arena arena;
    model::ObjectBuilder patch(arena), metadata(arena);
    patch.add("metadata", metadata.add("resourceVersion", std::to_string(version_ + 1)));
    const auto change = patch.value();
    return merged(tree.value(), model::Value{&change});
}

std::vector<model::NodePtr>::iterator Store::node_place(std::string_view name) {
    return std::ranges::lower_bound(nodes_, name, {}, [](const model::NodePtr &node) { return node->name; });
}

model::NodePtr Store::node(std::string_view name) const {
    auto at = std::ranges::lower_bound(nodes_, name, {}, [](const model::NodePtr &node) { return node->name; });
    return at == nodes_.end() || (*at)->name != name ? nullptr : *at;
}

model::Result<void> Store::put_node(const model::Tree &tree) {
    const auto stored = versioned(tree);
    auto node = read_or_error([&](const model::FaultSink &fault) { return model::read_node(stored, fault); });
    if (!node) return node.error();
    const auto before = this->node((*node)->name);
    const auto &after = *node;
    auto at = node_place(after->name);
    if (before) *at = after;
    else nodes_.insert(at, after);
    ++version_;
    notify(node_kind, before ? before->tree : nullptr, stored,
           [before, after](env::Observer &o) { before ? o.node_updated(before, after) : o.node_added(after); });
    return {};
}

void Store::remove_node(std::string_view name) {
    const auto before = node(name);
    if (!before) return;
    nodes_.erase(node_place(name));
    notify(node_kind, before->tree, nullptr, [before](env::Observer &o) { o.node_deleted(before); });
}

model::Result<model::TreePtr> Store::put(const model::Kind &kind, const model::Tree &tree) {
    const auto versioned = this->versioned(tree);
    if (kind == pod_kind) return put_pod(versioned);
    auto object =
        read_or_error([&](const model::FaultSink &fault) { return read_valid_object(versioned, kind, fault); });
    if (!object) return object.error();
    const auto after = named(*object, kind);
    auto before = std::exchange(of(kind)->objects[after->key()], after);
    ++version_;
    notify(kind, before ? before->tree : nullptr, after->tree,
           [kind, before, after](env::Observer &o) { o.object_changed(kind, before, after); });
    return after->tree;
}

model::Result<model::TreePtr> Store::put_pod(const model::TreePtr &versioned) {
    auto pod =
        read_or_error([&](const model::FaultSink &fault) { return pod_reader_.read(versioned, fault, accounting_); });
    if (!pod) return pod.error();
    const auto &tree = (*pod)->tree;
    auto before = std::exchange(pods_[(*pod)->key()], *pod);
    notify(pod_kind, before ? before->tree : nullptr, tree,
           [before, after = *pod](env::Observer &o) { before ? o.pod_updated(before, after) : o.pod_added(after); });
    ++version_;
    return tree;
}

void Store::remove(const model::Kind &kind, const std::string &key) {
    if (kind == pod_kind) {
        auto gone = pods_.extract(key);
        if (gone.empty()) return;
        auto pod = std::move(gone.mapped());
        return notify(kind, pod->tree, nullptr, [pod](env::Observer &o) { o.pod_deleted(pod); });
    }
    auto *of_kind = of(kind);
    auto gone = of_kind ? of_kind->objects.extract(key) : decltype(of_kind->objects.extract(key)){};
    if (gone.empty()) return;
    auto object = std::move(gone.mapped());
    notify(kind, object->tree, nullptr, [kind, object](env::Observer &o) { o.object_changed(kind, object, nullptr); });
}

/// A watch speaks after the answer, as a server's does.
void Store::notify(const model::Kind &kind, model::TreePtr before, model::TreePtr after,
                   std::function<void(env::Observer &)> observed) {
    clock_.post([this, kind, before = std::move(before), after = std::move(after), observed = std::move(observed)] {
        if (is_watched(kind))
            for (auto *observer : observers_) observed(*observer);
        for (const auto &listener : listeners_) listener(kind, before, after);
    });
}

}  // namespace berth::sim
