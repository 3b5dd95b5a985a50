// SPDX-License-Identifier: Apache-2.0
// What a person with rights writes: configurations, kubeconfigs, arguments.
#include "../../fuzz/memory_file.h"
#include "shape.h"

#include "api/changed_config.h"
#include "config/defaults.h"
#include "config/dump.h"
#include "config/read.h"
#include "decode/base64.h"
#include "decode/did_you_mean.h"
#include "kube/kubeconfig.h"
#include "plugin/note.h"

namespace berth::attack {
namespace {

void configuration(const std::string &text) {
    const auto reading = config::read_all(text, "f.yaml");
    if (!reading.configuration) return;
    const config::ArgsOf args = [&](std::size_t profile, std::string_view plugin) {
        return config::legacy_args(*reading.configuration, profile, plugin);
    };
    (void)config::dump(*reading.configuration, config::defaults_v1(), args);
}

void kubeconfig(const std::string &text) {
    const fuzz::MemoryFile file(text);
    (void)kube::read_kubeconfig(file.path());
}

void what_if(const std::string &text) {
    static const auto present = config::built_in();
    const auto document = decode::read_document(text, "changes.json");
    if (document) (void)api::changed_config(present, document->value());
}

std::string of(const char *version, const std::string &rest) {
    return "apiVersion: kubescheduler.config.k8s.io/" + std::string(version) + "\nkind: KubeSchedulerConfiguration\n" +
           rest;
}
std::string json(const std::string &rest) {
    return R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration",)" + rest + "}";
}
std::string names(std::size_t n, const char *indent, const char *prefix = "x") {
    return repeated(n, [&](std::size_t i) { return indent + std::string("- name: ") + prefix + number(i) + "\n"; });
}
std::string json_names(std::size_t n) {
    return "[" +
           repeated(n, [](std::size_t i) { return (i ? ",{\"name\":\"x" : "{\"name\":\"x") + number(i) + "\"}"; }) +
           "]";
}

}  // namespace

void add_configuration(Shapes &to) {
    const auto add = [&](const char *name, std::size_t n, std::string (*make)(std::size_t),
                         void (*parse)(const std::string &) = configuration) {
        to.push_back({"configuration", name, n, make, parse});
    };
    add("unknown fields", 100,
        [](std::size_t n) { return of("v1", repeated(n, [](std::size_t i) { return "x" + number(i) + ": 1\n"; })); });
    add("unknown fields in JSON", 100, [](std::size_t n) {
        return json(repeated(n, [](std::size_t i) { return (i ? ",\"x" : "\"x") + number(i) + "\":1"; }));
    });
    add("profiles", 20, [](std::size_t n) {
        return of("v1",
                  "profiles:\n" + repeated(n, [](std::size_t i) { return "- schedulerName: s" + number(i) + "\n"; }));
    });
    add("profiles of one name", 20,
        [](std::size_t n) { return of("v1", "profiles:\n" + repeated(n, "- schedulerName: s\n")); });
    add("profiles of one name with an unknown field each", 20, [](std::size_t n) {
        return of("v1",
                  "profiles:\n" + repeated(n, "- {schedulerName: s, x: 1}\n") + repeated(n, "- {schedulerName: s}\n"));
    });
    add("plugins", 50, [](std::size_t n) {
        return of("v1", "profiles:\n- plugins:\n    multiPoint:\n      enabled:\n" + names(n, "      "));
    });
    add("plugins of a point", 50, [](std::size_t n) {
        return of("v1", "profiles:\n- plugins:\n    score:\n      enabled:\n" + names(n, "      ") +
                            "      disabled:\n" + names(n, "      "));
    });
    add("plugins in JSON", 50, [](std::size_t n) {
        return json(R"("profiles":[{"plugins":{"multiPoint":{"enabled":)" + json_names(n) + R"(,"disabled":)" +
                    json_names(n) + "}}}]");
    });
    add("plugins' arguments", 50, [](std::size_t n) {
        return of("v1", "profiles:\n- pluginConfig:\n" + repeated(n, [](std::size_t i) {
                            return "  - name: x" + number(i) + "\n    args: {a: 1}\n";
                        }));
    });
    add("arguments of plugins of one name", 50, [](std::size_t n) {
        return of("v1", "profiles:\n- pluginConfig:\n" + repeated(n, "  - name: NodeAffinity\n    args: {a: 1}\n"));
    });
    add("extenders", 50, [](std::size_t n) {
        return of("v1", "extenders:\n" + repeated(n, "- urlPrefix: http://x\n  filterVerb: f\n"));
    });
    add("resources of an extender", 50, [](std::size_t n) {
        return of("v1", "extenders:\n- urlPrefix: http://x\n  managedResources:\n" + names(n, "  ", "example.com/x"));
    });
    add("plugins of v1beta3", 50, [](std::size_t n) {
        return of("v1beta3", "profiles:\n- plugins:\n    multiPoint:\n      enabled:\n" + names(n, "      "));
    });
    add("plugins of v1beta1", 50, [](std::size_t n) {
        return of("v1beta1", "profiles:\n- plugins:\n    score:\n      enabled:\n" + names(n, "      ") +
                                 "      disabled:\n" + names(n, "      "));
    });
    add("profiles of v1beta1", 20, [](std::size_t n) {
        return of("v1beta1",
                  "profiles:\n" + repeated(n, [](std::size_t i) { return "- schedulerName: s" + number(i) + "\n"; }));
    });
    add("plugins of v1alpha1", 50,
        [](std::size_t n) { return of("v1alpha1", "plugins:\n  score:\n    enabled:\n" + names(n, "    ")); });
    add("unknown fields of v1alpha1", 100, [](std::size_t n) {
        return of("v1alpha1", repeated(n, [](std::size_t i) { return "x" + number(i) + ": 1\n"; }));
    });
    add(
        "a kubeconfig with many users", 100,
        [](std::size_t n) {
            return "kind: Config\ncurrent-context: c" + number(n - 1) + "\ncontexts:\n" +
                   repeated(n,
                            [](std::size_t i) {
                                return "- {name: c" + number(i) + ", context: {cluster: c" + number(i) + ", user: u" +
                                       number(i) + "}}\n";
                            }) +
                   "clusters:\n" +
                   repeated(
                       n,
                       [](std::size_t i) { return "- {name: c" + number(i) + ", cluster: {server: 'http://x'}}\n"; }) +
                   "users:\n" +
                   repeated(n, [](std::size_t i) { return "- {name: u" + number(i) + ", user: {token: t}}\n"; });
        },
        kubeconfig);
    add(
        "a kubeconfig of what is none", 100,
        [](std::size_t n) { return "kind: Config\ncurrent-context: c\ncontexts:\n" + repeated(n, "- 1\n"); },
        kubeconfig);
    add(
        "a kubeconfig with a program's variables", 100,
        [](std::size_t n) {
            return "kind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: c}}]\n"
                   "clusters: [{name: c, cluster: {server: 'http://x'}}]\nusers:\n- name: c\n  user:\n    exec:\n"
                   "      apiVersion: client.authentication.k8s.io/v1\n      command: x\n      interactiveMode: "
                   "Never\n      env:\n" +
                   repeated(n, [](std::size_t i) { return "      - {name: '', value: v" + number(i) + "}\n"; });
        },
        kubeconfig);
    add(
        "changed weights", 50,
        [](std::size_t n) {
            return R"({"profiles":[{"name":"default-scheduler","weights":{)" +
                   repeated(n, [](std::size_t i) { return (i ? ",\"x" : "\"x") + number(i) + "\":1"; }) + "}}]}";
        },
        what_if);
    add(
        "plugins enabled by a change", 50,
        [](std::size_t n) {
            return R"({"profiles":[{"name":"default-scheduler","enable":[)" +
                   repeated(n, [](std::size_t i) { return (i ? ",\"x" : "\"x") + number(i) + "\""; }) + "]}]}";
        },
        what_if);
    add(
        "plugins disabled by a change", 50,
        [](std::size_t n) {
            return R"({"profiles":[{"name":"default-scheduler","disable":[)" +
                   repeated(n, [](std::size_t i) { return (i ? ",\"x" : "\"x") + number(i) + "\""; }) + "]}]}";
        },
        what_if);
    add(
        "profiles of a change", 50,
        [](std::size_t n) {
            return R"({"profiles":[)" +
                   repeated(
                       n, [](std::size_t i) { return (i ? ",{\"name\":\"x" : "{\"name\":\"x") + number(i) + "\"}"; }) +
                   "]}";
        },
        what_if);
    add(
        "a long name and what was meant", 2000, [](std::size_t n) { return std::string(n, 'x'); },
        [](const std::string &name) { (void)decode::did_you_mean(name, {std::string(name.size(), 'y'), "z"}); });
    add(
        "a name and long names that may be meant", 2000, [](std::size_t n) { return std::string(n, 'x'); },
        [](const std::string &name) { (void)decode::did_you_mean(name.substr(0, 64), {name, name + "y", "z"}); });
    add(
        "a note with many plugins", 100,
        [](std::size_t n) {
            return R"({"abi":1,"plugins":[)" +
                   repeated(n,
                            [](std::size_t i) {
                                return (i ? ",{\"name\":\"x" : "{\"name\":\"x") + number(i) +
                                       R"(","interfaces":["berth.filter/1"]})";
                            }) +
                   "]}";
        },
        [](const std::string &text) { (void)plugin::parse_note(text, "f"); });
    add(
        "a note with many interfaces", 100,
        [](std::size_t n) {
            return R"({"abi":1,"plugins":[{"name":"x","interfaces":[)" +
                   repeated(n, [](std::size_t i) { return (i ? ",\"berth.x" : "\"berth.x") + number(i) + "/1\""; }) +
                   "]}]}";
        },
        [](const std::string &text) { (void)plugin::parse_note(text, "f"); });
    add(
        "Base64", 20000, [](std::size_t n) { return repeated(n, "AAAA\n"); },
        [](const std::string &text) {
            std::string out;
            (void)decode::decode_base64(text, out);
        });
}

}  // namespace berth::attack
