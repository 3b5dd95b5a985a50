// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads of a test's cluster, as an API server answers them.

#include <berth/detail/listing.hpp>
#include <berth/detail/reads.hpp>
#include <berth/http_status.hpp>
#include <berth/json.hpp>
#include <berth/testing/cluster.hpp>

#include <string>
#include <vector>

namespace berth::testing {

using OnRead = void (*)(void *ctx, const berth_read_answer *answer);

/// Without an object.
inline void answer_none(std::int32_t code, std::int32_t status, std::string_view text, OnRead on_read, void *ctx) {
    const berth_read_answer out{sizeof out, 0, code, status, to_str(text), nullptr};
    on_read(ctx, &out);
}

/// A read that waits for its answer.
struct TestRead {
    std::uint32_t verb;
    std::string group, version, resource, name_space, name, label_selector, field_selector, after;
    std::uint64_t limit;

    explicit TestRead(const berth_read &r)
        : verb(r.verb),
          group(berth::detail::text_or_none(r.group)),
          version(berth::detail::text_or_none(r.version)),
          resource(berth::detail::text_or_none(r.resource)),
          name_space(berth::detail::text_or_none(r.namespace_)),
          name(berth::detail::text_or_none(r.name)),
          label_selector(berth::detail::text_or_none(r.label_selector)),
          field_selector(berth::detail::text_or_none(r.field_selector)),
          after(berth::detail::text_or_none(r.continue_)),
          limit(berth::detail::limit_of(r)) {}

    std::string right() const { return berth::detail::read_text(verb, group, version, resource); }
    void answer(const Cluster &cluster, OnRead on_read, void *ctx) const {
        std::vector<berth::detail::Listed> found;
        std::string kind;
        cluster.each([&](const StoredObject &one) {
            if (!cluster.is_of(one, group, version, resource)) return;
            kind = one.kind;
            if (verb == BERTH_READ_LIST || (one.name == name && one.name_space == name_space))
                found.push_back({one.name_space, one.name, one.tree});
        });
        if (verb == BERTH_READ_LIST) return list(std::move(found), kind, cluster.version(), on_read, ctx);
        if (!found.empty()) return answer_object(found.front().object, on_read, ctx);
        const auto of_group = group.empty() ? "" : "." + group;
        answer_none(BERTH_STATUS_SUCCESS, http_not_found, resource + of_group + " \"" + name + "\" not found", on_read,
                    ctx);
    }

private:
    static constexpr std::int32_t http_ok = 200, http_refused = 400;

    void list(std::vector<berth::detail::Listed> found, const std::string &kind, const std::string &version_of_list,
              OnRead on_read, void *ctx) const {
        const berth::detail::Listing made((group.empty() ? "" : group + "/") + version, kind, version_of_list,
                                          std::move(found), {name_space, label_selector, field_selector, after, limit});
        if (made.refusal().empty()) return answer_object(made.value(), on_read, ctx);
        answer_none(BERTH_STATUS_SUCCESS, http_refused, made.refusal(), on_read, ctx);
    }
    static void answer_object(Value object, OnRead on_read, void *ctx) {
        const auto text = json(object);
        if (text.size() > BERTH_READ_MOST_BYTES)
            return answer_none(BERTH_STATUS_NO_MEMORY, 0, "the answer has more than 4 MiB; ask for fewer items",
                               on_read, ctx);
        const berth_read_answer out{sizeof out, 0, BERTH_STATUS_SUCCESS, http_ok, to_str(text), object.raw()};
        on_read(ctx, &out);
    }
};

}  // namespace berth::testing
