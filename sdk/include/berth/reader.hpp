// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads of objects from the API server: get and list, for what a plugin does not watch.
///
/// ```cpp
/// static constexpr std::array reads{"get v1/configmaps"};
/// void declare(berth::Declare d) const { d.read(BERTH_READ_GET, "", "v1", "configmaps"); }
///
/// host.read(berth::Get{.resource = "configmaps", .name_space = "kube-system", .name = "limits"},
///           [this](const berth::ReadAnswer &answer) {
///               if (answer.ok()) limit_ = answer.value()["data"]["limit"].string();
///           });
/// ```

#include <berth/host.hpp>
#include <berth/http_status.hpp>

namespace berth {

/// One object; see berth_read.
struct Get {
    std::string_view group{}, version = "v1", resource{}, name_space{}, name{};
};

/// A page of a kind; see berth_read.
struct List {
    std::string_view group{}, version = "v1", resource{}, name_space{}, label_selector{}, field_selector{};
    std::string_view continue_token{};  ///< ReadAnswer::continue_token of the page before
    std::uint64_t limit = 0;            ///< items at most; 0: as many as the host gives
};

/// What the API server answered; valid until the function that was given it returns.
class ReadAnswer {
    const berth_read_answer *a_;

public:
    explicit ReadAnswer(const berth_read_answer *a) : a_(a) {}
    const berth_read_answer *raw() const { return a_; }
    int status() const { return a_->http_status; }                        ///< HTTP's; 0: no answer came
    bool ok() const { return a_->value != nullptr; }                      ///< the object or list is there
    bool not_found() const { return a_->http_status == http_not_found; }  ///< there is no such object
    /// The answer was longer than the host's bound: ask for fewer items.
    bool too_long() const { return a_->code == BERTH_STATUS_NO_MEMORY; }
    std::string_view text() const { return view(a_->text); }  ///< the body; if not ok(), a sentence for people
    Value value() const { return Value{a_->value}; }          ///< the object or list
    /// Leads to the next page of a list; "" after the last one.
    std::string_view continue_token() const { return value()["metadata"]["continue"].string(); }
    /// Calls fn(Value) for each object of a list.
    template <class Fn>
    void each(Fn &&fn) const {
        const auto items = value()["items"];
        for (std::size_t i = 0; i < items.size(); ++i) fn(items.at(i));
    }
};

inline Reading Host::read(const berth_read &read, OnRead on_read) const {
    BERTH_USES_DRAFT(BERTH_HOST_READER_DRAFT1);
    struct Held {
        const Host *host;
        OnRead on_read;
    };
    const auto begin = function<&berth_host_reader::read>(reader_, BERTH_HOST_READER_DRAFT1);
    auto held = std::make_unique<Held>(Held{this, std::move(on_read)});
    Reading out;
    const auto code = begin(
        h_, &read,
        [](void *ctx, const berth_read_answer *answer) {
            const std::unique_ptr<Held> it(static_cast<Held *>(ctx));
            if (answer->code != BERTH_STATUS_CANCELLED && it->on_read)
                it->host->contain("a callback of read", [&] { it->on_read(ReadAnswer{answer}); });
        },
        held.get(), &out.id);
    if (code == BERTH_STATUS_SUCCESS) return (void)held.release(), out;
    const char *why = code == BERTH_STATUS_CANCELLED   ? "the instance is about to end; not read: "
                      : code == BERTH_STATUS_NO_MEMORY ? "too many reads are pending; not read: "
                      : code == BERTH_STATUS_INVALID   ? "the read is not valid: "
                                                       : "the read was not declared, or cannot be made here: ";
    throw std::runtime_error(why + std::string(view(read.resource)) + " " + std::string(view(read.name)));
}

namespace detail {

inline berth_read raw_read(std::uint32_t verb, const List &list, std::string_view name) {
    berth_read raw{};
    raw.struct_size = sizeof raw;
    raw.verb = verb;
    raw.group = to_str(list.group);
    raw.version = to_str(list.version);
    raw.resource = to_str(list.resource);
    raw.namespace_ = to_str(list.name_space);
    raw.name = to_str(name);
    raw.label_selector = to_str(list.label_selector);
    raw.field_selector = to_str(list.field_selector);
    raw.continue_ = to_str(list.continue_token);
    raw.limit = list.limit;
    return raw;
}

}  // namespace detail

inline Reading Host::read(const Get &get, OnRead on_read) const {
    List kind;
    kind.group = get.group;
    kind.version = get.version;
    kind.resource = get.resource;
    kind.name_space = get.name_space;
    return read(detail::raw_read(BERTH_READ_GET, kind, get.name), std::move(on_read));
}

inline Reading Host::read(const List &list, OnRead on_read) const {
    return read(detail::raw_read(BERTH_READ_LIST, list, {}), std::move(on_read));
}

}  // namespace berth
