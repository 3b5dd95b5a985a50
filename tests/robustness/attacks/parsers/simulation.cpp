// SPDX-License-Identifier: Apache-2.0
// Files of clusters and scenarios, and what is made of them.
#include "../../fuzz/memory_file.h"
#include "shape.h"

#include "api/added_nodes.h"
#include "report/comparison.h"
#include "report/table.h"
#include "report/what_if.h"
#include "sim/missing_objects.h"
#include "sim/scenario.h"
#include "sim/timeline.h"
#include "sim/virtual_clock.h"
#include "sim/world.h"

#include <array>
#include <filesystem>
#include <stdexcept>

namespace berth::attack {
namespace {

constexpr std::int64_t start_ns = 1'767'225'600'000'000'000;

void input(const std::string &text) {
    const fuzz::MemoryFile file(text);
    (void)sim::read_input({file.path()});
}

/// The bytes as the only file of a folder, from which other things than objects can be left out.
class Folder {
    std::filesystem::path path_;
    fuzz::MemoryFile file_;

public:
    explicit Folder(std::string_view bytes)
        : path_(std::filesystem::temp_directory_path() / ("berth-attack-" + std::to_string(::getpid()))), file_(bytes) {
        std::filesystem::create_directories(path_);
        std::filesystem::create_symlink(file_.path(), path_ / "c.json");
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    std::string path() const { return path_.string(); }
};

/// What is refused fails: there would be nothing to measure.
void incomplete(const std::string &text) {
    static const std::array kinds{model::kind_of("", "v1", "namespaces"),
                                  model::kind_of("", "v1", "persistentvolumeclaims"),
                                  model::kind_of("resource.k8s.io", "v1", "resourceclaims"),
                                  model::kind_of("resource.k8s.io", "v1", "deviceclasses")};
    static const std::array<std::string, 1> profiles{"default-scheduler"};
    const Folder folder(text);
    const auto read = sim::read_input({folder.path()}, {}, kinds, model::Accounting::PerContainer, sim::Unknown::Skip);
    if (!read) throw std::runtime_error("refused: " + read.error().text.substr(0, 200));
    (void)sim::dump_command(*read, sim::missing_objects(*read, profiles));
}

struct Watcher : sim::Controller {};

void scenario(const std::string &text) {
    const auto document = decode::read_document(text, "s.yaml");
    if (!document) return;
    const auto read = sim::read_scenario(*document);
    if (!read) return;
    sim::VirtualClock clock{start_ns};
    sim::World world{clock};
    sim::Operations operations{world.store()};
    sim::Controllers controllers{operations};
    sim::Timeline timeline{operations, controllers};
    const auto objects = sim::read_objects(read->objects, {});
    if (!objects) return;
    Watcher watcher;
    world.start(*objects, watcher);
    clock.run();
    for (const auto &step : read->timeline) {
        clock.advance_to(std::max(clock.now_ns(), start_ns + step.at.count()));
        if (!timeline.play(step)) return;
        clock.run();
    }
}

void added(const std::string &text) {
    const auto document = decode::read_document(text, "changes.json");
    if (!document) return;
    const auto like =
        model::read_node(decode::read_document(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},
        "status":{"allocatable":{"cpu":1,"memory":1,"pods":1}}})",
                                               "n.json")
                             ->tree,
                         {});
    (void)api::added_nodes(
        document->value(), [&](std::string_view name) { return name == "n" ? like : nullptr; }, "addNodes");
}

void compared(const std::string &text) {
    const auto document = decode::read_document(text, "result.json");
    if (!document) return;
    const auto one = report::summary_of(document->value());
    auto other = one;
    for (auto &[pod, node] : other.node_of) node += "x";
    model::Arena arena;
    model::ObjectBuilder out(arena);
    report::add_comparison(arena, out, one, other, 2000);
    (void)report::to_text({{"a", {}, one}, {"b", {}, other}});
}

std::string scenario_of(const std::string &rest) {
    return "apiVersion: berth/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n" + rest;
}
std::string json_pods(std::size_t n) {
    return repeated(n, [](std::size_t i) {
        return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + number(i) + "\"}}\n";
    });
}
std::string objects(std::size_t n, const char *kind, const char *indent) {
    return repeated(n, [&](std::size_t i) {
        return std::string(indent) + "- {apiVersion: v1, kind: " + kind + ", metadata: {name: x" + number(i) +
               "}, spec: {containers: [{name: c}]}}\n";
    });
}

}  // namespace

void add_simulation(Shapes &to) {
    const auto add = [&](const char *name, std::size_t n, std::string (*make)(std::size_t),
                         void (*parse)(const std::string &)) { to.push_back({"simulation", name, n, make, parse}); };
    add("pods", 100, json_pods, input);
    add(
        "pods of one name", 100,
        [](std::size_t n) {
            return repeated(n, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}\n");
        },
        input);
    add(
        "a pod with many faults", 200,
        [](std::size_t n) {
            return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[)" +
                   repeated(n, [](std::size_t i) { return i ? ",1" : "1"; }) + "]}}";
        },
        input);
    add(
        "priority classes", 50,
        [](std::size_t n) {
            return repeated(
                       n,
                       [](std::size_t i) {
                           return R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"c)" +
                                  number(i) + "\"},\"value\":1}\n";
                       }) +
                   repeated(n, [](std::size_t i) {
                       return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + number(i) +
                              R"("},"spec":{"priorityClassName":"c)" + number(i) + "\"}}\n";
                   });
        },
        input);
    add(
        "kinds that nobody knows", 100,
        [](std::size_t n) {
            return repeated(n, [](std::size_t i) {
                return "{\"apiVersion\":\"v1\",\"kind\":\"K" + number(i) + "\",\"metadata\":{\"name\":\"p\"}}\n";
            });
        },
        input);
    add(
        "claims that are missing", 50,
        [](std::size_t n) {
            return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[)" +
                   repeated(n,
                            [](std::size_t i) {
                                return (i ? ",{" : "{") + (R"("persistentVolumeClaim":{"claimName":"c)" + number(i)) +
                                       "\"}}";
                            }) +
                   "]}}";
        },
        incomplete);
    add(
        "pods with a claim of many requests", 50,
        [](std::size_t n) {
            return R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":)"
                   R"({"devices":{"requests":[)" +
                   repeated(n,
                            [](std::size_t i) {
                                return (i ? ",{" : "{") + (R"("exactly":{"deviceClassName":"d)" + number(i)) + "\"}}";
                            }) +
                   "]}}}\n" + repeated(n, [](std::size_t i) {
                       return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + number(i) +
                              R"("},"spec":{"resourceClaims":[{"name":"r","resourceClaimName":"c"}]}})"
                              "\n";
                   });
        },
        incomplete);
    add(
        "pods in many namespaces that select some", 50,
        [](std::size_t n) {
            return repeated(n, [](std::size_t i) {
                return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n)" + number(i) +
                       R"("},"spec":{"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
                       R"([{"topologyKey":"z","namespaceSelector":{"matchLabels":{"a":"b"}}}]}}}})"
                       "\n";
            });
        },
        incomplete);
    add("documents that are left out", 100, [](std::size_t n) { return repeated(n, "{\"a\":1}\n"); }, incomplete);
    add(
        "replica sets", 30,
        [](std::size_t n) {
            return repeated(n, [](std::size_t i) {
                return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r)" + number(i) +
                       R"("},"spec":{"replicas":1,"selector":{"matchLabels":{"a":")" + number(i) +
                       R"("}},"template":{"metadata":{"labels":{"a":")" + number(i) +
                       "\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}\n";
            });
        },
        input);
    add(
        "pods of replica sets", 30,
        [](std::size_t n) {
            return repeated(n,
                            [](std::size_t i) {
                                return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r)" +
                                       number(i) + "\",\"uid\":\"u" + number(i) +
                                       "\"},\"spec\":{\"replicas\":1,\"template\":{\"spec\":{\"containers\":[{\"name\":"
                                       "\"c\",\"image\":\"i\"}]}}}}\n";
                            }) +
                   repeated(n, [](std::size_t i) {
                       return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + number(i) +
                              R"(","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r)" +
                              number(i) + "\",\"uid\":\"u" + number(i) +
                              "\",\"controller\":true}]},\"spec\":{\"nodeName\":\"n\"}}\n";
                   });
        },
        input);
    add(
        "objects of a scenario", 50, [](std::size_t n) { return scenario_of("objects:\n" + objects(n, "Pod", "")); },
        scenario);
    add(
        "objects applied at once", 50,
        [](std::size_t n) { return scenario_of("timeline:\n- at: 1s\n  apply:\n" + objects(n, "Pod", "  ")); },
        scenario);
    add(
        "nodes applied at once", 50,
        [](std::size_t n) { return scenario_of("timeline:\n- at: 1s\n  apply:\n" + objects(n, "Node", "  ")); },
        scenario);
    add(
        "steps", 50,
        [](std::size_t n) {
            return scenario_of("timeline:\n" +
                               repeated(n, [](std::size_t i) { return "- {at: " + number(i) + "s}\n"; }));
        },
        scenario);
    add(
        "steps without a time", 50,
        [](std::size_t n) { return scenario_of("timeline:\n" + repeated(n, "- {apply: []}\n")); }, scenario);
    add(
        "steps that each apply a pod", 50,
        [](std::size_t n) {
            return scenario_of("timeline:\n" + repeated(n, [](std::size_t i) {
                                   return "- {at: " + number(i) +
                                          "s, apply: [{apiVersion: v1, kind: Pod, metadata: {name: x" + number(i) +
                                          "}, spec: {containers: [{name: c}]}}]}\n";
                               }));
        },
        scenario);
    add(
        "patches", 50,
        [](std::size_t n) {
            return scenario_of("objects:\n" + objects(n, "Pod", "") + "timeline:\n- at: 1s\n  patch:\n" +
                               repeated(n, [](std::size_t i) {
                                   return "  - {kind: Pod, name: x" + number(i) +
                                          ", patch: {metadata: {labels: {a: b}}}}\n";
                               }));
        },
        scenario);
    add(
        "deletions", 50,
        [](std::size_t n) {
            return scenario_of(
                "objects:\n" + objects(n, "Pod", "") + "timeline:\n- at: 1s\n  delete:\n" +
                repeated(n, [](std::size_t i) { return "  - {kind: Pod, name: x" + number(i) + "}\n"; }));
        },
        scenario);
    add(
        "names that are none", 50,
        [](std::size_t n) { return scenario_of("timeline:\n- at: 1s\n  finish:\n" + repeated(n, "  - a/b/c\n")); },
        scenario);
    add(
        "expectations", 50,
        [](std::size_t n) {
            return scenario_of("expect:\n" +
                               repeated(n, [](std::size_t i) { return "- {placed: {p" + number(i) + ": n}}\n"; }));
        },
        scenario);
    add(
        "expectations in one", 50,
        [](std::size_t n) {
            return scenario_of("expect:\n- placed:\n" +
                               repeated(n, [](std::size_t i) { return "    p" + number(i) + ": 1\n"; }));
        },
        scenario);
    add(
        "nodes to add", 20,
        [](std::size_t n) {
            return "{\"addNodes\":[" +
                   repeated(n,
                            [](std::size_t i) { return (i ? "," : "") + std::string(R"({"like":"n","count":1})"); }) +
                   "]}";
        },
        [](const std::string &text) {
            const auto document = decode::read_document(text, "changes.json");
            if (document) added(std::string(text.substr(12, text.size() - 13)));
        });
    add(
        "nodes to add that are none", 50,
        [](std::size_t n) {
            return "[" + repeated(n, [](std::size_t i) { return i ? ",{\"x\":1}" : "{\"x\":1}"; }) + "]";
        },
        added);
    add(
        "pods of two outcomes", 100,
        [](std::size_t n) {
            return R"({"summary":{},"nodes":[],"placements":[)" +
                   repeated(n,
                            [](std::size_t i) {
                                return (i ? "," : "") + (R"({"namespace":"a","name":"p)" + number(i)) +
                                       R"(","node":"n"})";
                            }) +
                   "]}";
        },
        compared);
    add(
        "resources of two outcomes", 100,
        [](std::size_t n) {
            const auto of = [n](const char *what) {
                return "\"" + std::string(what) + "\":{" +
                       repeated(n, [](std::size_t i) { return (i ? ",\"r" : "\"r") + number(i) + "\":1"; }) + "}";
            };
            return R"({"summary":{},"nodes":[{)" + of("requested") + "," + of("allocatable") + R"(}],"placements":[]})";
        },
        compared);
    add(
        "rows of a table", 300, [](std::size_t n) { return std::string(n, 'x'); },
        [](const std::string &text) {
            report::Table table({"A", ">B"});
            for (char c : text) table.add({std::string(1, c), "\xe4\xb8\xad"});
            (void)table.text(2);
        });
    add(
        "a long cell of a table", 5000, [](std::size_t n) { return std::string(n, 'x') + std::string(n, '\x01'); },
        [](const std::string &text) {
            report::Table table({"A"});
            table.add({report::printable(text)});
            (void)table.text(2);
        });
}

}  // namespace berth::attack
