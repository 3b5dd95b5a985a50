// SPDX-License-Identifier: Apache-2.0
#include "verify/strange_host.h"

#include "plugin/call.h"
#include "plugin/fault.h"
#include "plugin/thrown.h"

#include <sys/mman.h>
#include <unistd.h>
#include <cstring>

namespace berth::verify {
namespace {

/// Of the process's one strange host: there is no other way to reach it from a function that gets only the struct.
const berth_plugin *asking = nullptr;

const void *required_only(const berth_host *host, berth_str id) {
    if (plugin::is_everywhere(plugin::text_of(id)))
        return plugin::service(*plugin::HostContext::of(host), plugin::text_of(id));
    for (std::uint64_t i = 0; i < asking->required_services_len; ++i)
        if (plugin::text_of(asking->required_services[i]) == plugin::text_of(id))
            return plugin::service(*plugin::HostContext::of(host), plugin::text_of(id));
    return nullptr;
}

/// A struct with more behind it, as one of a later minor has.
template <class T>
struct Longer {
    T known;
    std::uint64_t tail[8];

    explicit Longer(const T &from) : known(from) {
        std::memset(static_cast<void *>(tail), 0xa5, sizeof tail);
        known.struct_size = sizeof *this;
        known.flags = 0x8001u;  // bits that a reader may ignore
    }
};

}  // namespace

TightMemory::TightMemory(const void *from, std::size_t size, std::size_t align) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t pages = (size + page - 1) / page + 1;
    size_ = (pages + 1) * page;
    map_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto *end = static_cast<std::byte *>(map_) + pages * page;
    ::mprotect(end, page, PROT_NONE);
    const std::size_t room = (size + align - 1) / align * align;
    at_ = end - room;
    if (size > 0) std::memcpy(at_, from, size);
}

TightMemory::~TightMemory() { ::munmap(map_, size_); }

template <class T>
const T *TightTree::keep(const T *from, std::uint64_t n) {
    if (n == 0) return from;
    parts_.push_back(std::make_unique<TightMemory>(from, n * sizeof(T), alignof(T)));
    return static_cast<const T *>(parts_.back()->at());
}

berth_value TightTree::copy(const berth_value &from) {
    berth_value out = from;
    if (from.kind == BERTH_VALUE_STRING) {
        out.ptr.string = keep(from.ptr.string, from.n.len);
    } else if (from.kind == BERTH_VALUE_ARRAY) {
        std::vector<berth_value> items;
        for (std::uint64_t i = 0; i < from.n.len; ++i) items.push_back(copy(from.ptr.items[i]));
        out.ptr.items = keep(items.data(), items.size());
    } else if (from.kind == BERTH_VALUE_OBJECT) {
        std::vector<berth_kv> members;
        for (std::uint64_t i = 0; i < from.n.len; ++i) {
            const auto &[key, value] = from.ptr.members[i];
            members.push_back({{keep(key.ptr, key.len), key.len}, copy(value)});
        }
        out.ptr.members = keep(members.data(), members.size());
    }
    return out;
}

StrangeHost::StrangeHost(const Subject &subject, const plugin::Services &services, const plugin::Arguments &arguments,
                         Strangeness how)
    : subject_(subject),
      arguments_(arguments),
      how_(how),
      context_(std::make_shared<plugin::HostContext>(subject.plugin, "default-scheduler", services)) {
    context_->kubernetes = plugin::Kubernetes(subject.use().configuration);
    context_->keys = std::make_shared<plugin::StateKeys>();
}

model::Result<void> StrangeHost::create_and_destroy() {
    asking = subject_.loaded().plugin;
    auto host = plugin::make_host(*context_);
    auto info = plugin::create_info(subject_.use(), arguments_);
    switch (how_) {
        case Strangeness::Lesser: host.get_service = required_only; return run(host, info);
        case Strangeness::Later: {
            host.abi_minor = BERTH_ABI_MINOR + 7;
            const Longer<berth_host> later_host(host);
            const Longer<berth_create_info> later_info(info);
            return run(later_host.known, later_info.known);
        }
        case Strangeness::Tight: break;
    }
    const TightMemory args(info.args.ptr, info.args.len, 1), name(info.plugin_name.ptr, info.plugin_name.len, 1),
        profile(info.profile.ptr, info.profile.len, 1);
    info.args.ptr = static_cast<const char *>(args.at());
    info.plugin_name.ptr = static_cast<const char *>(name.at());
    info.profile.ptr = static_cast<const char *>(profile.at());
    const TightTree tree(*info.args_value);
    info.args_value = &tree.root();
    const TightMemory tight_info(&info, sizeof info, alignof(berth_create_info));
    const TightMemory tight_host(&host, sizeof host, alignof(berth_host));
    return run(*static_cast<const berth_host *>(tight_host.at()),
               *static_cast<const berth_create_info *>(tight_info.at()));
}

model::Result<void> StrangeHost::run(const berth_host &host, const berth_create_info &info) {
    plugin::Instance nobody;  // for messages
    nobody.name = subject_.plugin;
    const auto &plugin = *subject_.loaded().plugin;
    plugin::StatusSlot status;
    void *self = nullptr;
    {
        const plugin::InCall current_call(nobody.name, "create");
        if (auto what = plugin::thrown_by([&] { plugin.create(&host, &info, &self, status.raw()); }))
            return model::Error{"create threw " + *what};
    }
    auto answer = status.take(nobody, "create");
    if (!answer.success()) return model::Error{answer.message()};
    const plugin::InCall current_call(nobody.name, "destroy");
    if (plugin.destroy)
        if (auto what = plugin::thrown_by([&] { plugin.destroy(self); })) return model::Error{"destroy threw " + *what};
    return {};
}

}  // namespace berth::verify
