// SPDX-License-Identifier: Apache-2.0
#include "sim/requests.h"

#include "decode/document.h"
#include "decode/wire.h"
#include "decode/write.h"
#include "model/build.h"
#include "model/time.h"
#include "sim/patch.h"
#include "sim/scenario.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace berth::sim {
namespace {

using model::Value;

constexpr int bad_request = 400, not_found = 404, conflict = 409, unsupported_media = 415, invalid = 422,
              not_simulated = 501;
constexpr std::int64_t second_ns = 1'000'000'000, default_grace_s = 30;

/// A tree of the members that `fill` adds to an object.
template <class Fill>
model::TreePtr object_of(Fill fill) {
    auto tree = std::make_shared<model::Tree>();
    model::ObjectBuilder out(tree->arena);
    fill(out, tree->arena);
    tree->root = out.value();
    return tree;
}

/// One request about one object.
class Request {
    Store &store_;
    const model::Kind &kind_;
    const env::ApiRequest &request_;
    std::string key_ = Store::key(request_.name_space, request_.name);
    model::TreePtr body_;

    bool pods() const { return kind_ == pod_kind; }
    std::string what() const {
        return kind_.resource + (kind_.group.empty() ? "" : "." + kind_.group) + " \"" + request_.name + "\"";
    }

    /// The object as errors.NewInvalid and its like name it.
    std::string named() const {
        return (kind_.name.empty() ? kind_.resource : kind_.name) + (kind_.group.empty() ? "" : "." + kind_.group) +
               " \"" + request_.name + "\"";
    }

    env::ApiAnswer refuse(int status, std::string text, std::string_view field = {},
                          std::string_view reason = {}) const {
        return sim::refuse(status, std::move(text), {kind_.group, kind_.resource, request_.name, field, reason});
    }
    env::ApiAnswer not_here(const std::string &which) const {
        return refuse(not_simulated, "the simulated API server does not serve " + which);
    }
    env::ApiAnswer answer(int status, const model::Tree &tree) const { return {status, decode::to_json(tree.value())}; }
    env::ApiAnswer stored(int status, const model::Tree &tree) {
        auto put = store_.put(kind_, tree);
        if (!put) return refuse(invalid, named() + " is invalid: " + put.error().text);
        return answer(status, **put);
    }

    /// As an API server says it: rest.BeforeDelete, ValidateObjectMetaAccessorUpdate, storage.Preconditions.
    env::ApiAnswer other_uid(std::string_view wanted, std::string_view own) const {
        std::string given(wanted), has(own);
        if (request_.verb == env::Verb::Patch)
            return refuse(invalid,
                          named() + " is invalid: metadata.uid: Invalid value: \"" + given + "\": field is immutable",
                          "metadata.uid");
        if (request_.verb == env::Verb::Delete)
            return refuse(conflict, "Operation cannot be fulfilled on " + named() + ": the UID in the precondition (" +
                                        given + ") does not match the UID in record (" + has +
                                        "). The object might have been deleted and then recreated");
        return refuse(conflict, "Operation cannot be fulfilled on " + what() +
                                    ": Precondition failed: UID in precondition: " + given +
                                    ", UID in object meta: " + has);
    }

    /// The uid and version that the writer wants the object to have are those it has; or the refusal.
    std::optional<env::ApiAnswer> broken_precondition(Value before, Value wanted) const {
        const auto metadata = before["metadata"];
        // A pod of a file without uids has one that only its decoded form knows.
        const auto own = pods() ? std::string(store_.pod(key_)->uid()) : std::string(metadata["uid"].string());
        const auto uid = wanted["uid"].string(), version = wanted["resourceVersion"].string();
        if (!uid.empty() && uid != own) return other_uid(uid, own);
        if (!version.empty() && version != metadata["resourceVersion"].string())
            return refuse(conflict, "Operation cannot be fulfilled on " + what() +
                                        ": the object has been modified; please apply your changes to the latest "
                                        "version and try again");
        return std::nullopt;
    }

    /// `after` with what a writer cannot change taken from `before`: its identity, and its status or all but it.
    model::TreePtr with_fixed_parts(Value before, Value after) const {
        const bool status = request_.subresource == "status";
        const auto &rest = status ? before : after;
        const auto own = before["metadata"];
        return object_of([&](model::ObjectBuilder &out, model::Arena &arena) {
            for (std::size_t i = 0; i < rest.size(); ++i) {
                if (rest.key(i) == "status" && (status || !kind_.custom)) continue;
                if (rest.key(i) != "metadata") {
                    out.add(rest.key(i), rest.member(i));
                    continue;
                }
                model::ObjectBuilder metadata(arena);
                const auto given = rest["metadata"];
                for (std::size_t m = 0; m < given.size(); ++m)
                    if (!fixed(given.key(m))) metadata.add(given.key(m), given.member(m));
                for (std::size_t m = 0; m < own.size(); ++m)
                    if (fixed(own.key(m))) metadata.add(own.key(m), own.member(m));
                out.add("metadata", metadata);
            }
            const auto kept = status ? after["status"] : !kind_.custom ? before["status"] : Value{};
            if (kept) out.add("status", kept);
        });
    }
    static bool fixed(std::string_view key) {
        return key == "name" || key == "namespace" || key == "uid" || key == "creationTimestamp" ||
               key == "deletionTimestamp" || key == "deletionGracePeriodSeconds" || key == "generation";
    }

    /// Of a pod little may change once it is there (pkg/apis/core/validation, ValidatePodUpdate; of what it allows, the
    /// rest is not simulated).
    static bool only_gates_go(Value before, Value after) {
        const auto old_spec = before["spec"], new_spec = after["spec"];
        auto same_but_gates = [](Value a, Value b) {
            for (std::size_t i = 0; i < a.size(); ++i)
                if (a.key(i) != "schedulingGates" && !model::equal(a.member(i), b[a.key(i)])) return false;
            return true;
        };
        if (!same_but_gates(old_spec, new_spec) || !same_but_gates(new_spec, old_spec)) return false;
        const auto gates = new_spec["schedulingGates"], old_gates = old_spec["schedulingGates"];
        for (std::size_t i = 0; i < gates.size(); ++i) {
            bool known = false;
            for (std::size_t k = 0; k < old_gates.size(); ++k) known |= model::equal(gates.at(i), old_gates.at(k));
            if (!known) return false;
        }
        return true;
    }

    env::ApiAnswer change(Value before, Value after) {
        auto made = with_fixed_parts(before, after);
        if (pods() && !only_gates_go(before, made->value()))
            return refuse(invalid,
                          "Pod \"" + request_.name +
                              "\" is invalid: spec: Forbidden: pod updates may not change fields; the simulated "
                              "API server lets scheduling gates go and nothing else");
        // With its last finalizer an object goes that was deleted before.
        const auto metadata = made->value()["metadata"];
        if (metadata["deletionTimestamp"] && !pods() && metadata["finalizers"].size() == 0) {
            store_.remove(kind_, key_);
            return answer(200, *made);
        }
        if (model::equal(before, made->value())) return answer(200, *made);
        return stored(200, *made);
    }

public:
    Request(Store &store, const model::Kind &kind, const env::ApiRequest &request)
        : store_(store), kind_(kind), request_(request) {}

    env::ApiAnswer serve() {
        if (!request_.subresource.empty() && request_.subresource != "status")
            return not_here("writes to " + kind_.resource + "/" + request_.subresource);
        if (!request_.body.empty()) {
            auto body = read_body();
            if (!body) return refuse(bad_request, "body.json: " + body.error().text);
            if (!(*body)->value().is_object()) return refuse(bad_request, "the body is no JSON object");
            body_ = std::move(*body);
        }
        if (request_.verb == env::Verb::Create) return create();
        const auto before = store_.find(kind_, key_);
        if (!before) return refuse(not_found, what() + " not found");
        if (request_.verb == env::Verb::Delete) return remove(*before);
        if (!body_) return refuse(bad_request, "the request has no body");
        if (auto broken = broken_precondition(before->value(), body_->value()["metadata"])) return *broken;
        return request_.verb == env::Verb::Update ? update(before->value()) : patch(before->value());
    }

private:
    /// As an API server does; a patch is what a plugin wrote, and merging goes down as far as that does.
    model::Result<model::TreePtr> read_body() const {
        if (request_.verb != env::Verb::Patch) return decode::read_api_json(request_.body);
        auto patch = decode::read_document(request_.body, "the patch");
        if (!patch) return patch.error();
        return patch->tree;
    }

    env::ApiAnswer create() {
        if (pods()) return not_here("the creation of pods");
        if (!request_.subresource.empty() || !body_) return refuse(bad_request, "expected an object to create");
        const auto metadata = body_->value()["metadata"];
        const bool namespaced = kind_.scope == model::Scope::Namespaced || !request_.name_space.empty();
        const std::string_view name_space = namespaced ? std::string_view(request_.name_space) : std::string_view{};
        std::string name(metadata["name"].string());
        if (const auto base = metadata["generateName"].string(); name.empty() && !base.empty())
            name = generated_name(store_, kind_, name_space, base);
        key_ = Store::key(name_space, name);
        if (store_.find(kind_, key_))
            return refuse(
                conflict,
                kind_.resource + (kind_.group.empty() ? "" : "." + kind_.group) + " \"" + name + "\" already exists",
                {}, "AlreadyExists");
        return stored(201, *created(store_, body_->value(), name_space, name));
    }

    env::ApiAnswer update(Value before) {
        if (body_->value()["metadata"]["name"].string() != request_.name)
            return refuse(bad_request, "the name of the object (" +
                                           std::string(body_->value()["metadata"]["name"].string()) +
                                           ") does not match the name on the URL (" + request_.name + ")");
        return change(before, body_->value());
    }

    env::ApiAnswer patch(Value before) {
        const auto given = body_->value();
        const bool status = request_.subresource == "status";
        for (std::size_t i = 0; i < given.size(); ++i) {
            const auto part = given.key(i);
            const bool taken =
                part == "metadata" || part == "apiVersion" || part == "kind" || (part == "status") == status;
            if (!taken || (part == "status" && !status && !kind_.custom))
                return refuse(invalid, "the simulated API server takes no " + std::string(part) + " in a patch of " +
                                           kind_.resource + (status ? "/status" : ""));
        }
        if (request_.content_type == "application/merge-patch+json")
            return change(before, merged(before, given)->value());
        if (request_.content_type == "application/strategic-merge-patch+json" && !kind_.custom) {
            model::Arena arena;
            const auto after = strategically_merged(arena, before, given);
            if (!after) return refuse(bad_request, after.error().text);
            return change(before, Value{&*after});
        }
        return refuse(unsupported_media, "the simulated API server takes merge patches" +
                                             std::string(kind_.custom ? "" : " and strategic merge patches") +
                                             ", not " + request_.content_type);
    }

    env::ApiAnswer remove(const model::Tree &before) {
        const auto options = body_ ? body_->value() : Value{};
        if (auto broken = broken_precondition(before.value(), options["preconditions"])) return *broken;
        if (pods()) return remove_pod(before, options);
        if (before.value()["metadata"]["finalizers"].size() == 0) {
            store_.remove(kind_, key_);
            return answer(200, before);
        }
        if (before.value()["metadata"]["deletionTimestamp"]) return answer(200, before);
        return stored(200, *deleted(before, store_.clock().now_ns(), 0));
    }

    static model::TreePtr deleted(const model::Tree &before, std::int64_t when, std::int64_t grace_s) {
        const auto change = object_of([&](model::ObjectBuilder &out, model::Arena &arena) {
            model::ObjectBuilder metadata(arena);
            metadata.add("deletionTimestamp", time_text(when)).add("deletionGracePeriodSeconds", grace_s);
            out.add("metadata", metadata);
        });
        return merged(before.value(), change->value());
    }

    /// pkg/registry/core/pod/strategy.go, CheckGracefulDelete, and a kubelet that lets a pod have all its grace. What
    /// never ran on its node is gone at once; so are finalizers, which in a cluster their controllers take off.
    env::ApiAnswer remove_pod(const model::Tree &before, Value options) {
        const auto pod = before.value(), status = pod["status"], metadata = pod["metadata"];
        const auto phase = status["phase"].string();
        std::int64_t grace = options["gracePeriodSeconds"].integer().value_or(
            pod["spec"]["terminationGracePeriodSeconds"].integer().value_or(default_grace_s));
        if (grace < 0) grace = 1;
        const bool ran = !pod["spec"]["nodeName"].string().empty() && (phase.empty() || phase == "Running");
        if (!ran) grace = 0;
        const auto left = metadata["deletionGracePeriodSeconds"].integer();
        if (grace > 0 && left && *left <= grace) return answer(200, before);
        if (grace == 0) {
            store_.remove(kind_, key_);
            return answer(200, before);
        }
        const auto now = store_.clock().now_ns();
        // A grace period of centuries would overflow the clock.
        constexpr std::int64_t longest_s = std::chrono::seconds(longest_scenario).count();
        const auto grace_ns = std::min(grace, longest_s) * second_ns;
        auto marked = deleted(before, now + grace_ns, grace);
        auto put = store_.put(kind_, *marked);
        if (!put) return refuse(invalid, named() + " is invalid: " + put.error().text);
        const std::string uid(store_.pod(key_)->uid()), due(marked->value()["metadata"]["deletionTimestamp"].string());
        store_.clock().after(grace_ns, [&store = store_, key = key_, uid, due] {
            const auto pod_now = store.pod(key);
            if (!pod_now || pod_now->uid() != uid) return;
            if (pod_now->tree->value()["metadata"]["deletionTimestamp"].string() == due) store.remove(pod_kind, key);
        });
        return answer(200, **put);
    }
};

}  // namespace

std::string time_text(std::int64_t ns) {
    auto text = model::format_time(ns);
    return text.substr(0, text.find('.')) + "Z";
}

std::string generated_name(const Store &store, const model::Kind &kind, std::string_view name_space,
                           std::string_view base) {
    constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
    constexpr std::size_t digits = 5, longest = 63;
    // Names that are taken often follow each other: tries are far apart, and reach every name.
    constexpr std::uint64_t names = 14'348'907, step = 8'868'113;
    const auto start = store.next_version();
    for (std::uint64_t i = 0; i < names; ++i) {
        std::string name(base.substr(0, longest - digits));
        auto serial = start + i * step;
        name.resize(name.size() + digits);
        for (auto at = name.rbegin(); at != name.rbegin() + digits; ++at, serial /= letters.size())
            *at = letters[serial % letters.size()];
        if (!store.find(kind, Store::key(name_space, name))) return name;
    }
    return {};
}

model::TreePtr created(const Store &store, Value object, std::string_view name_space, std::string_view name) {
    constexpr std::size_t digits = 12;
    const auto serial = std::to_string(store.next_version());
    const auto change = object_of([&](model::ObjectBuilder &out, model::Arena &arena) {
        model::ObjectBuilder own(arena);
        own.add("name", name).add("creationTimestamp", time_text(store.clock().now_ns()));
        own.add("uid",
                "00000000-0000-8000-8000-" + std::string(digits - std::min(digits, serial.size()), '0') + serial);
        if (!name_space.empty()) own.add("namespace", name_space);
        out.add("metadata", own);
    });
    return merged(object, change->value());
}

env::ApiAnswer serve_object(Store &store, const model::Kind &kind, const env::ApiRequest &request) {
    return Request(store, kind, request).serve();
}

}  // namespace berth::sim
