// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads of a test's cluster, as an API server answers them.

#include <berth/detail/listing.hpp>
#include <berth/detail/reads.hpp>
#include <berth/json.hpp>
#include <berth/testing/answers.hpp>
#include <berth/testing/cluster.hpp>

#include <string>
#include <vector>

namespace berth::testing {

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
    berth::detail::Refused about() const { return {group, resource, name}; }
    void answer(const Cluster &cluster, const Taker &to) const {
        std::vector<berth::detail::Listed> found;
        std::string kind;
        cluster.each([&](const StoredObject &one) {
            if (!cluster.is_of(one, group, version, resource)) return;
            kind = one.kind;
            if (verb == BERTH_READ_LIST || (one.name == name && one.name_space == name_space))
                found.push_back({one.name_space, one.name, one.tree});
        });
        if (verb == BERTH_READ_LIST) return list(std::move(found), kind, cluster.version(), to);
        if (!found.empty()) return answer_object(found.front().object, to);
        const auto of_group = group.empty() ? "" : "." + group;
        to.answer({http_not_found, resource + of_group + " \"" + name + "\" not found"}, about());
    }

private:
    static constexpr std::int32_t http_ok = 200, http_refused = 400;

    void list(std::vector<berth::detail::Listed> found, const std::string &kind, const std::string &version_of_list,
              const Taker &to) const {
        const berth::detail::Listing made((group.empty() ? "" : group + "/") + version, kind, version_of_list,
                                          std::move(found), {name_space, label_selector, field_selector, after, limit});
        if (made.refusal().empty()) return answer_object(made.value(), to);
        to.answer({http_refused, made.refusal()}, about());
    }
    static void answer_object(Value object, const Taker &to) {
        const auto text = json(object);
        if (text.size() > BERTH_READ_MOST_BYTES)
            return to.none(BERTH_STATUS_LIMIT_EXCEEDED, "the answer has more than 4 MiB; ask for fewer items");
        to.success(http_ok, text, object.raw());
    }
};

}  // namespace berth::testing
