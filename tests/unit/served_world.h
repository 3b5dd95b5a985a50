// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The simulated API server, asked as plugins ask it; what its watch says is written down.

#include "object_text.h"
#include "sim/controllers.h"
#include "sim/virtual_clock.h"
#include "sim/world.h"

namespace berth {

struct Served : sim::Controller {
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    sim::World world{clock};
    sim::Input input;
    std::string said;

    void start() {
        world.start(input, *this);
        clock.run();
        said.clear();
    }
    void pod_updated(model::PodPtr, model::PodPtr p) override {
        say("~", p->key() + (p->terminating() ? "!" : "") + (p->nominated_node().empty() ? "" : "?"));
    }
    void pod_deleted(model::PodPtr p) override { say("-", p->key()); }
    void object_changed(const model::Kind &, model::AnyPtr before, model::AnyPtr after) override {
        if (!before || !after) return say(after ? "+" : "-", (after ? after : before)->key());
        say("~", after->key());
        CHECK(model::resource_version(*before) != model::resource_version(*after));
    }
    void say(const std::string &what, const std::string &key) { said += what + key + " "; }
    std::string heard() { return std::exchange(said, {}); }

    void object(const model::Kind &kind, const std::string &yaml) {
        input.objects.push_back({kind, any_object(kind, yaml)});
    }

    /// The answer to a request, once the world is quiet.
    std::string ask(env::Verb verb, const model::Kind &kind, const std::string &key, const std::string &body,
                    const std::string &sub = "", const std::string &type = "application/merge-patch+json") {
        env::ApiRequest r;
        r.verb = verb, r.group = kind.group, r.version = kind.version, r.resource = kind.resource;
        auto slash = key.find('/');
        r.name_space = slash == std::string::npos ? "" : key.substr(0, slash);
        r.name = slash == std::string::npos ? key : key.substr(slash + 1);
        r.subresource = sub, r.body = body, r.content_type = type;
        std::string text = "no answer";
        world.send(r, [&](const env::ApiAnswer &a) {
            text = std::to_string(a.http_status) + (a.http_status < 400 ? "" : " " + a.body);
            refusal = a.refusal;
        });
        clock.run();
        return text;
    }
    std::string patch(const model::Kind &kind, const std::string &key, const std::string &body,
                      const std::string &sub = "", const std::string &type = "application/merge-patch+json") {
        return ask(env::Verb::Patch, kind, key, body, sub, type);
    }
    std::string remove(const std::string &key, const std::string &body = "") {
        return ask(env::Verb::Delete, sim::pod_kind, key, body);
    }
    model::Value at(const model::Kind &kind, const std::string &key) {
        tree = world.store().find(kind, key);
        return tree ? tree->value() : model::Value{};
    }
    model::TreePtr tree;
    std::string refusal;  ///< of the last request
};

}  // namespace berth
