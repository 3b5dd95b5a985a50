// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects and fields that a plugin requests, recorded for the generation of clusters.

#include "plugin/field_observer.h"
#include "plugin/services.h"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::verify {

/// How often something was found where it was looked for.
struct Looks {
    std::uint64_t found = 0, missed = 0;
};

struct Requests {
    std::set<std::string> labels{}, annotations{};  ///< keys, of nodes and pods
    std::set<std::string> resources{};
    std::set<std::string> fields{};          ///< JSON pointers into objects, other than the above
    std::vector<std::string> words{};        ///< of the library's texts, which may be names of fields and values
    std::map<std::string, Looks> objects{};  ///< by kind: requested by name
    /// By kind, namespace and name of what was not there. Not those that the generated cluster has now and then.
    std::map<std::string, std::set<std::pair<std::string, std::string>>> names{};

    /// A JSON pointer.
    void add_field(std::string_view pointer);
    /// A column of that kind.
    void add_column(std::uint32_t kind, std::string_view key);
    /// An object that was not there.
    void add_name(const std::string &kind, std::string_view name_space, std::string_view name);
    /// Texts of a library's read-only data that look like keys or names.
    void add_texts_of(const std::string &file);
    std::size_t size() const;
};

/// Stands before a stage's services, and writes down what is requested of them.
class RequestListener : plugin::ColumnProvider, plugin::Objects, plugin::FieldObserver, env::Api {
    mutable std::mutex mutex_;
    Requests &requests_;
    plugin::ColumnProvider &columns_;
    plugin::Objects &objects_;
    env::Api &api_;
    mutable std::map<std::uint32_t, std::string> kinds_;

    ColumnLease lease_column(std::uint32_t kind, std::string_view key) override;
    std::uint32_t ask_column(std::uint32_t kind, std::string_view key) override;
    std::uint32_t kind(const model::Kind &kind) override;
    const model::AnyObject *get(std::uint32_t kind, std::string_view name_space, std::string_view name) const override;
    void visit(std::uint32_t kind, std::string_view name_space, const Visit &visit) const override;
    std::uint64_t version(std::uint32_t kind) const override;
    bool subscribe(std::uint32_t kind, std::weak_ptr<const void> owner, Changed changed) override;
    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override;
    void requested_field(std::string_view pointer) override;
    void add_column(std::uint32_t kind, std::string_view key);

public:
    /// `services` are those of the stage, from now on with this before them; one at a time.
    RequestListener(Requests &requests, plugin::Services &services);
    ~RequestListener() override;
    RequestListener(const RequestListener &) = delete;
    RequestListener &operator=(const RequestListener &) = delete;
};

}  // namespace berth::verify
