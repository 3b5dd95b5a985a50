// SPDX-License-Identifier: Apache-2.0
#include "cluster/schema.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace berth::cluster {

namespace {

const berth_str *value_of(std::span<const berth_label> sorted, std::string_view key) {
    auto at = std::lower_bound(sorted.begin(), sorted.end(), key,
                               [](const berth_label &label, std::string_view k) { return model::view(label.key) < k; });
    return at != sorted.end() && model::view(at->key) == key ? &at->value : nullptr;
}

/// The amount of a resource, `pods` excepted; nothing if the resource is a scalar that is not listed.
std::optional<std::int64_t> amount(const berth_resources &resources, std::string_view name) {
    if (name == "cpu") return resources.cpu;
    if (name == "memory") return resources.memory;
    if (name == "ephemeral-storage") return resources.ephemeral;
    std::span scalars{resources.scalars, resources.scalars_len};
    auto at = std::lower_bound(scalars.begin(), scalars.end(), name,
                               [](const berth_scalar &s, std::string_view n) { return model::view(s.name) < n; });
    if (at == scalars.end() || model::view(at->name) != name) return std::nullopt;
    return at->value;
}

void write_field(ColumnData &data, std::uint32_t row, const model::TreePtr &tree, std::string_view pointer) {
    auto value = tree ? model::at_pointer(tree->value(), pointer) : model::Value{};
    if (value) data.set_value(row, value.raw());
    else data.clear(row);
}

}  // namespace

Declaration *Schema::declare(std::uint32_t kind, std::string_view key) {
    return Declarations::knows(kind) ? declared_.hold(kind, key) : nullptr;
}

void Schema::release(std::uint32_t id) {
    auto *held = declared_.find(id);
    if (held && held->holders > 0 && !held->absent) declared_.release(*held);
}

Declaration *Schema::ask(std::uint32_t kind, std::string_view key) {
    if (!Declarations::knows(kind)) return nullptr;
    if (auto *known = declared_.find(kind, key)) return known;
    if (NodeKeys::covers(kind) && !node_keys.has(kind, key)) return &declared_.absent(kind);
    return declared_.pass(kind, key, NodeKeys::covers(kind));
}

void Schema::begin_attempt() {
    if (std::exchange(keys_seen_, node_keys.version()) == keys_seen_) return declared_.begin_attempt(nullptr);
    declared_.begin_attempt(
        [&](const Declaration &one) { return NodeKeys::covers(one.kind) && !node_keys.has(one.kind, one.key); });
}

Codes *Schema::codes_of(Declaration &column) {
    switch (column.kind) {
        case BERTH_COLUMN_NODE_TAINTS: return &taints;
        case BERTH_COLUMN_NODE_IMAGES: return &images.names();
        case BERTH_COLUMN_NODE_PORTS: return &ports;
        default:
            return column.type == BERTH_COLUMN_TYPE_CODE || column.type == BERTH_COLUMN_TYPE_CODES ? &column.strings
                                                                                                   : nullptr;
    }
}

bool Schema::sweep() {
    if (!std::exchange(history_.due, false)) return false;
    auto all = [](auto &...dictionaries) { (dictionaries.sweep(), ...); };
    all(namespaces, zones, label_sets, taints, ports, images.names());
    declared_.each([](Declaration &column) { column.strings.sweep(); });
    return true;
}

void Schema::dictionary(const Declaration &column, berth_column &out) const {
    auto set = [&](const auto &dict) {
        out.dict = dict.data();
        out.dict_len = dict.size();
        out.dict_generation = dict.generations();
    };
    out.dict = nullptr;
    out.dict_len = 0;
    out.dict_generation = nullptr;
    switch (column.kind) {
        case BERTH_COLUMN_NODE_TAINTS: set(taints); break;
        case BERTH_COLUMN_NODE_IMAGES: set(images.names()); break;
        case BERTH_COLUMN_NODE_PORTS: set(ports); break;
        default:
            if (column.type == BERTH_COLUMN_TYPE_CODE || column.type == BERTH_COLUMN_TYPE_CODES) set(column.strings);
            break;
    }
}

void Schema::write_text(Declaration &column, ColumnData &data, std::uint32_t row, const berth_str *text) {
    if (text) data.set_code(row, column.strings.code(*text));
    else data.clear(row);
}

void Schema::write(Declaration &column, ColumnData &data, std::uint32_t row, const model::Node &node) {
    if (column.absent && column.kind != BERTH_COLUMN_NODE_REQUESTED) return data.clear(row);
    switch (column.kind) {
        case BERTH_COLUMN_NODE_LABEL: write_text(column, data, row, value_of(node.labels, column.key)); break;
        case BERTH_COLUMN_NODE_ANNOTATION: write_text(column, data, row, value_of(node.annotations, column.key)); break;
        case BERTH_COLUMN_NODE_ALLOCATABLE: {
            auto n = column.key == "pods" ? node.allocatable_pods : amount(node.allocatable, column.key);
            if (n) data.set_int(row, *n);
            else data.clear(row);
            break;
        }
        case BERTH_COLUMN_NODE_TAINTS:
            scratch_.clear();
            for (const auto &taint : node.taints) scratch_.push_back(taints.code(taint));
            data.set_list(row, scratch_);
            break;
        case BERTH_COLUMN_NODE_IMAGES:
            images.codes(node, scratch_);
            data.set_list(row, scratch_);
            break;
        case BERTH_COLUMN_NODE_FIELD: write_field(data, row, node.tree, column.key); break;
        default: data.set_valid(row, true); break;
    }
}

void Schema::write(Declaration &column, ColumnData &data, std::uint32_t row, const model::Pod &pod) {
    switch (column.kind) {
        case BERTH_COLUMN_POD_LABEL: write_text(column, data, row, value_of(pod.labels(), column.key)); break;
        case BERTH_COLUMN_POD_ANNOTATION: {
            auto annotations = pod.tree ? pod.tree->value()["metadata"]["annotations"] : model::Value{};
            auto value = annotations[column.key];
            auto text = model::to_str(value.string());
            write_text(column, data, row, value.is_string() ? &text : nullptr);
            break;
        }
        case BERTH_COLUMN_POD_SCHEDULER_NAME: write_text(column, data, row, &pod.view.scheduler_name); break;
        case BERTH_COLUMN_POD_IMAGES:
            scratch_.clear();
            for (const auto &image : std::span{pod.view.images, pod.view.images_len})
                if (image.use != BERTH_IMAGE_VOLUME) scratch_.push_back(column.strings.code(image.name));
            data.set_list(row, scratch_);
            break;
        default: write_field(data, row, pod.tree, column.key); break;
    }
}

void Schema::account(Declaration &column, ColumnData &data, std::uint32_t row, const model::Pod &pod, int sign) {
    if (column.absent) return;
    if (column.kind == BERTH_COLUMN_NODE_PORTS) {
        account_ports(data, row, pod, sign);
    } else if (column.kind == BERTH_COLUMN_NODE_REQUESTED) {
        auto n = column.key == "pods" ? 1 : amount(pod.effective(), column.key).value_or(0);
        data.add_int(row, sign > 0 ? n : static_cast<std::int64_t>(-static_cast<std::uint64_t>(n)));
    }
}

/// A port that two pods use stands twice in the list, so that it stays when one of them goes.
void Schema::account_ports(ColumnData &data, std::uint32_t row, const model::Pod &pod, int sign) {
    if (pod.view.host_ports_len == 0) return;
    auto list = data.list(row);
    scratch_.assign(list.begin(), list.end());
    for (const auto &port : std::span{pod.view.host_ports, pod.view.host_ports_len}) {
        if (sign > 0) {
            scratch_.push_back(ports.code(port));
        } else if (auto at = std::find(scratch_.begin(), scratch_.end(), ports.find(port)); at != scratch_.end()) {
            scratch_.erase(at);
        }
    }
    data.put_list(row, scratch_);
}

std::size_t Schema::dictionary_bytes() const {
    std::size_t out = namespaces.bytes() + zones.bytes() + label_sets.bytes() + taints.bytes() + ports.bytes() +
                      images.names().bytes();
    declared_.each([&](const Declaration &one) { out += one.strings.bytes(); });
    return out;
}

}  // namespace berth::cluster
