// SPDX-License-Identifier: Apache-2.0
#include "verify/requests.h"

#include "model/any_object.h"
#include "model/json_pointer.h"
#include "model/kind.h"

#include <berth/view/column.h>

#include <elf.h>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace berth::verify {
namespace {

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// A part of a key: letters and digits, with - _ . between them.
bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 63 && (letter(text.front()) || digit(text.front())) &&
           (letter(text.back()) || digit(text.back())) &&
           std::ranges::all_of(text, [](char c) { return letter(c) || digit(c) || c == '-' || c == '_' || c == '.'; });
}

/// A key with a domain before it that is not Kubernetes' own.
bool is_qualified_key(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == text.npos) return false;
    const auto domain = text.substr(0, slash);
    return is_name(domain) && domain.find('.') != domain.npos && is_name(text.substr(slash + 1)) &&
           !domain.ends_with("k8s.io") && !domain.ends_with("kubernetes.io") && !begins(text, "berth.");
}

bool is_word(std::string_view text) {
    return text.size() > 1 && text.size() <= 32 && letter(text.front()) && is_name(text) && !begins(text, "berth");
}

template <class T>
bool read_at(const std::string &bytes, std::uint64_t at, T &out) {
    if (at > bytes.size() || bytes.size() - at < sizeof out) return false;
    std::memcpy(&out, bytes.data() + at, sizeof out);
    return true;
}

/// The sections that hold constants.
std::string read_only_data(const std::string &bytes) {
    Elf64_Ehdr header{};
    std::string out;
    if (!read_at(bytes, 0, header)) return out;
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section{};
        if (!read_at(bytes, header.e_shoff + i * sizeof section, section)) return out;
        constexpr std::uint64_t kinds_of_use = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR;
        if (section.sh_type != SHT_PROGBITS || (section.sh_flags & kinds_of_use) != SHF_ALLOC ||
            section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset)
            continue;
        if (section.sh_size > bytes.size() - std::min(bytes.size(), out.size())) return out;  // they overlap
        out.append(bytes, section.sh_offset, section.sh_size).append(1, '\0');
    }
    return out;
}

/// Each object of the cluster may get all of them. A name with a control character would be no line of a report.
void add(std::set<std::string> &to, std::string_view key) {
    constexpr std::size_t most = 64, longest = 512;
    if (to.size() < most && key.size() <= longest &&
        std::ranges::none_of(key, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
        to.emplace(key);
}

}  // namespace

void Requests::add_field(std::string_view pointer) {
    for (auto [before, keys] : {std::pair{std::string_view{"/metadata/labels/"}, &labels},
                                std::pair{std::string_view{"/metadata/annotations/"}, &annotations}})
        if (begins(pointer, before)) {
            add(*keys, model::unescaped(pointer.substr(before.size())));
            return;
        }
    if (!pointer.empty() && !begins(pointer, "/metadata")) add(fields, pointer);
}

void Requests::add_name(const std::string &kind, std::string_view name_space, std::string_view name) {
    constexpr std::size_t most = 64;
    auto &all = names[kind];
    const auto ends_in_number = [&](std::string_view with) {
        return begins(name, with) && std::ranges::all_of(name.substr(with.size()), digit);
    };
    if (all.size() < most && is_name(name) && (name_space.empty() || is_name(name_space)) && !ends_in_number("pod-") &&
        !ends_in_number("node-"))
        all.emplace(name_space, name);
}

std::size_t Requests::size() const {
    std::size_t out = labels.size() + annotations.size() + resources.size() + fields.size();
    for (const auto &[kind, of_kind] : names) out += of_kind.size();
    return out;
}

void Requests::add_column(std::uint32_t kind, std::string_view key) {
    switch (kind) {
        case BERTH_COLUMN_NODE_LABEL:
        case BERTH_COLUMN_POD_LABEL: add(labels, key); break;
        case BERTH_COLUMN_NODE_ANNOTATION:
        case BERTH_COLUMN_POD_ANNOTATION: add(annotations, key); break;
        case BERTH_COLUMN_NODE_ALLOCATABLE:
        case BERTH_COLUMN_NODE_REQUESTED: add(resources, key); break;
        case BERTH_COLUMN_NODE_FIELD:
        case BERTH_COLUMN_POD_FIELD: add_field(key); break;
        default: break;
    }
}

void Requests::add_texts_of(const std::string &file) {
    constexpr std::size_t most_keys = 24, most_words = 48;
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto data = read_only_data(bytes);
    std::vector<std::string> keys;
    std::set<std::string> known;
    for (std::size_t at = 0; at < data.size();) {
        const auto end = std::min(data.find('\0', at), data.size());
        const std::string text(data, at, end - at);
        at = end + 1;
        if (!is_qualified_key(text) && !is_word(text)) continue;
        if (known.insert(text).second) (is_word(text) ? words : keys).push_back(text);
    }
    // A large library has so many that they would say nothing of the plugin at hand.
    if (words.size() > most_words) words.clear();
    if (keys.size() > most_keys) keys.clear();
    for (auto &key : keys) {
        labels.insert(key);
        annotations.insert(std::move(key));
    }
    for (const auto &word : words) {
        labels.insert(word);
        annotations.insert(word);
    }
}

RequestListener::RequestListener(Requests &requests, plugin::Services &services)
    : requests_(requests), columns_(*services.columns), objects_(*services.objects), api_(*services.api) {
    services.columns = this;
    services.objects = this;
    services.api = this;
    plugin::set_field_observer(this);
}

RequestListener::~RequestListener() { plugin::set_field_observer(nullptr); }

void RequestListener::add_column(std::uint32_t kind, std::string_view key) {
    const std::scoped_lock lock(mutex_);
    requests_.add_column(kind, key);
}

void RequestListener::requested_field(std::string_view pointer) {
    const std::scoped_lock lock(mutex_);
    requests_.add_field(pointer);
}

plugin::ColumnProvider::ColumnLease RequestListener::lease_column(std::uint32_t kind, std::string_view key) {
    add_column(kind, key);
    return columns_.lease_column(kind, key);
}

std::uint32_t RequestListener::ask_column(std::uint32_t kind, std::string_view key) {
    add_column(kind, key);
    return columns_.ask_column(kind, key);
}

std::uint32_t RequestListener::kind(const model::Kind &kind) {
    const auto id = objects_.kind(kind);
    const std::scoped_lock lock(mutex_);
    kinds_.emplace(id, kind.text());
    return id;
}

const model::AnyObject *RequestListener::get(std::uint32_t kind, std::string_view name_space,
                                             std::string_view name) const {
    const auto *object = objects_.get(kind, name_space, name);
    const std::scoped_lock lock(mutex_);
    auto &looks = requests_.objects[kinds_[kind]];
    ++(object ? looks.found : looks.missed);
    if (!object) requests_.add_name(kinds_[kind], name_space, name);
    return object;
}

void RequestListener::send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) {
    if (request.verb == env::Verb::Get) {
        const std::scoped_lock lock(mutex_);
        requests_.add_name(model::kind_of(request.group, request.version, request.resource).text(), request.name_space,
                           request.name);
    }
    api_.send(std::move(request), std::move(done));
}

void RequestListener::visit(std::uint32_t kind, std::string_view name_space, const Visit &visit) const {
    objects_.visit(kind, name_space, visit);
}

std::uint64_t RequestListener::version(std::uint32_t kind) const { return objects_.version(kind); }

bool RequestListener::subscribe(std::uint32_t kind, std::weak_ptr<const void> owner, Changed changed) {
    return objects_.subscribe(kind, std::move(owner), std::move(changed));
}

}  // namespace berth::verify
