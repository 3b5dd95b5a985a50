// SPDX-License-Identifier: Apache-2.0
// Pods, nodes and selectors, as a tenant writes them.
#include "../../../../plugins/kubernetes/label_selector.h"
#include "shape.h"

#include "decode/document.h"
#include "model/field.h"
#include "model/members.h"
#include "model/node.h"
#include "model/readers.h"
#include "record/tree.h"
#include "sim/patch.h"

#include <berth/node_selector.hpp>
#include <berth/selector.hpp>

namespace berth::attack {
namespace {

/// The document, read once for each input: what is measured is what is done with it.
const decode::Document &document(const std::string &json) {
    static std::string kept;
    static decode::Document out;
    if (kept == json) return out;
    auto read = decode::read_document(json, "f.json");
    if (!read) throw std::runtime_error(read.error().text);
    out = std::move(*read);
    kept = json;
    return out;
}

const model::FaultSink quiet = [](model::Value, const std::string &, const std::string &) {};

void pod(const std::string &json) { (void)model::read_pod(document(json).tree, quiet); }
void pod_again(const std::string &json) {
    model::PodReader reader;
    for (int i = 0; i < 3; ++i) (void)reader.read(document(json).tree, quiet);
}
void node(const std::string &json) { (void)model::read_node(document(json).tree, quiet); }

void select(const std::string &json) {
    const auto root = document(json).value(), selector = root["selector"], labels = root["labels"];
    model::Arena arena;
    model::Faults faults{&quiet, {}};
    const model::Field field(root, faults), map = field["labels"];
    const auto sorted = model::read_labels(arena, map);
    const auto of_sdk = LabelSelector::parse(selector, [](const std::string &, const std::string &) {});
    (void)of_sdk.matches(sorted);
    (void)of_sdk.matches(labels);
    std::string why, text;
    if (const auto of_field = LabelSelector::of_field(selector, &why)) {
        const model::Members members(labels);
        (void)of_field->matches_by([&](std::string_view key) { return LabelSelector::text_of(members[key]); });
        kubernetes::write(*of_field, text);
    }
}

void terms(const std::string &json) {
    const auto root = document(json).value();
    model::Arena arena;
    model::Faults faults{&quiet, {}};
    const model::Field field(root, faults), map = field["labels"];
    const auto sorted = model::read_labels(arena, map);
    auto terms = parse_node_selector(root["selector"], "selector");
    (void)faults_of(terms);
    for (const auto &term : terms) (void)matches_term(term, sorted, "n");
}

void compare(const std::string &json) {
    const auto root = document(json).value();
    (void)model::equal(root["a"], root["b"]);
}
void patch(const std::string &json) {
    const auto root = document(json).value();
    (void)sim::merged(root["a"], root["b"]);
}
void strategic_patch(const std::string &json) {
    const auto root = document(json).value();
    model::Arena arena;
    (void)sim::strategically_merged(arena, root["a"], root["b"]);
}
void recorded(const std::string &json) {
    const auto root = document(json).value();
    std::string bytes;
    record::put_tree(bytes, root["b"], root["a"]);
    model::Arena arena;
    record::Bytes in(bytes);
    (void)record::take_tree(in, root["a"], arena);
}

template <class Each>
std::string list(std::size_t n, Each each) {
    return repeated(n, [&](std::size_t i) { return (i ? "," : "") + std::string(each(i)); });
}
std::string in_pod(const std::string &metadata, const std::string &spec, const std::string &status = "") {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",)" +
           (metadata.empty() ? R"("uid":"u")" : metadata) + R"(},"spec":{)" + spec + R"(},"status":{)" + status + "}}";
}
std::string in_node(const std::string &metadata, const std::string &spec, const std::string &status) {
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n",)" + metadata + R"(},"spec":{)" + spec +
           R"(},"status":{)" + status + "}}";
}
std::string map(std::size_t n) {
    return list(n, [](std::size_t i) { return "\"k" + number(i) + "\":\"v\""; });
}
std::string map_backward(std::size_t n) {
    return list(n, [&](std::size_t i) { return "\"k" + number(n - i) + "\":\"v\""; });
}
std::string resources(std::size_t n, std::string_view prefix = "r") {
    return list(n, [&](std::size_t i) { return "\"example.com/" + std::string(prefix) + number(i) + "\":\"1\""; });
}
std::string container(const std::string &name, const std::string &more) {
    return R"({"name":")" + name + R"(","image":"i")" + (more.empty() ? "" : ",") + more + "}";
}
std::string requests(std::size_t n) {
    return R"("resources":{"requests":{)" + resources(n) + R"(},"limits":{)" + resources(n, "l") + "}}";
}

void add_pods(Shapes &to) {
    const auto add = [&](const char *name, std::size_t n, std::string (*make)(std::size_t)) {
        to.push_back({"pod", name, n, make, pod});
    };
    add("labels", 500, [](std::size_t n) { return in_pod("\"labels\":{" + map(n) + "}", ""); });
    add("labels that are no texts", 300, [](std::size_t n) {
        return in_pod("\"labels\":{" + list(n, [](std::size_t i) { return "\"k" + number(i) + "\":1"; }) + "}", "");
    });
    add("containers", 100, [](std::size_t n) {
        return in_pod("",
                      "\"containers\":[" + list(n, [](std::size_t i) { return container("c" + number(i), ""); }) + "]");
    });
    add("containers with resources", 50, [](std::size_t n) {
        return in_pod("", "\"containers\":[" + list(n, [](std::size_t i) {
                              return container("c" + number(i),
                                               "\"resources\":{\"requests\":{\"example.com/r" + number(i) + "\":1}}");
                          }) + "]");
    });
    add("init containers with resources", 50, [](std::size_t n) {
        return in_pod("",
                      "\"containers\":[" + container("c", "") + "],\"initContainers\":[" + list(n, [](std::size_t i) {
                          return container("c" + number(i),
                                           "\"restartPolicy\":\"Always\",\"resources\":{\"requests\":{\"example.com/r" +
                                               number(i) + "\":1}}");
                      }) + "]");
    });
    add("containers of one name", 100, [](std::size_t n) {
        return in_pod("", "\"containers\":[" + list(n, [](std::size_t) { return container("c", ""); }) + "]");
    });
    add("containers without a name", 100,
        [](std::size_t n) { return in_pod("", "\"containers\":[" + list(n, [](std::size_t) { return "{}"; }) + "]"); });
    add("containers and their statuses", 50, [](std::size_t n) {
        return in_pod("",
                      "\"containers\":[" + list(n, [](std::size_t i) { return container("c" + number(i), ""); }) + "]",
                      "\"containerStatuses\":[" +
                          list(n, [](std::size_t i) { return "{\"name\":\"c" + number(i) + "\"}"; }) + "]");
    });
    add("resources of a container", 100,
        [](std::size_t n) { return in_pod("", "\"containers\":[" + container("c", requests(n)) + "]"); });
    add("resources of several containers", 20, [](std::size_t n) {
        return in_pod("", "\"containers\":[" +
                              list(5, [&](std::size_t i) { return container("c" + number(i), requests(n)); }) + "]");
    });
    add("resources of a pod", 100, [](std::size_t n) {
        return in_pod("",
                      requests(n) + ",\"overhead\":{" + resources(n) + "},\"containers\":[" + container("c", "") + "]");
    });
    add("resources that a hash table has in one bucket", 100, [](std::size_t n) {
        const auto names = of_one_bucket("example.com/", n);
        const auto all = list(n, [&](std::size_t i) { return "\"" + names[i] + "\":\"1\""; });
        return in_pod("", "\"containers\":[" + container("c", R"("resources":{"requests":{)" + all + "}}") + "]");
    });
    add("containers that a hash table has in one bucket", 100, [](std::size_t n) {
        const auto names = of_one_bucket("c", n);
        return in_pod("", "\"containers\":[" + list(n, [&](std::size_t i) { return container(names[i], ""); }) + "]");
    });
    add("wrong quantities", 100, [](std::size_t n) {
        return in_pod(
            "",
            "\"containers\":[" +
                container("c", "\"resources\":{\"requests\":{" +
                                   list(n, [](std::size_t i) { return "\"example.com/r" + number(i) + "\":\"x\""; }) +
                                   "}}") +
                "]");
    });
    add("tolerations", 200, [](std::size_t n) {
        return in_pod(
            "", "\"tolerations\":[" + list(n, [](std::size_t i) { return "{\"key\":\"k" + number(i) + "\"}"; }) + "]");
    });
    add("tolerations that are none", 200, [](std::size_t n) {
        return in_pod("", "\"tolerations\":[" + list(n, [](std::size_t) { return R"({"operator":"x"})"; }) + "]");
    });
    add("ports of the host", 200, [](std::size_t n) {
        return in_pod("", "\"containers\":[" +
                              container("c", "\"ports\":[" +
                                                 list(n,
                                                      [](std::size_t i) {
                                                          return "{\"hostPort\":" + number(i % 60000 + 1) +
                                                                 ",\"containerPort\":1}";
                                                      }) +
                                                 "]") +
                              "]");
    });
    add("ports that are none", 200, [](std::size_t n) {
        return in_pod(
            "", "\"containers\":[" +
                    container("c", "\"ports\":[" + list(n, [](std::size_t) { return R"({"hostPort":"x"})"; }) + "]") +
                    "]");
    });
    add("conditions", 200, [](std::size_t n) {
        return in_pod("", "", "\"conditions\":[" + list(n, [](std::size_t) { return R"({"type":"x"})"; }) + "]");
    });
    add("fields that nobody knows", 500, [](std::size_t n) { return in_pod("", map(n)); });
    to.push_back({"pod", "a spec that comes again", 500, [](std::size_t n) { return in_pod("", map(n)); }, pod_again});
}

void add_nodes(Shapes &to) {
    const auto add = [&](const char *name, std::size_t n, std::string (*make)(std::size_t)) {
        to.push_back({"node", name, n, make, node});
    };
    add("labels and annotations", 500,
        [](std::size_t n) { return in_node("\"labels\":{" + map(n) + "},\"annotations\":{" + map(n) + "}", "", ""); });
    add("taints", 200, [](std::size_t n) {
        return in_node(
            "\"uid\":\"u\"",
            "\"taints\":[" +
                list(n, [](std::size_t i) { return "{\"key\":\"k" + number(i) + "\",\"effect\":\"NoSchedule\"}"; }) +
                "]",
            "");
    });
    add("taints that are none", 200, [](std::size_t n) {
        return in_node("\"uid\":\"u\"", "\"taints\":[" + list(n, [](std::size_t) { return "{}"; }) + "]", "");
    });
    add("images", 100, [](std::size_t n) {
        return in_node("\"uid\":\"u\"", "", "\"images\":[" + list(n, [](std::size_t i) {
                                                return "{\"names\":[\"i" + number(i) + "\",\"j\"],\"sizeBytes\":1}";
                                            }) + "]");
    });
    add("resources", 200,
        [](std::size_t n) { return in_node("\"uid\":\"u\"", "", "\"allocatable\":{" + resources(n) + "}"); });
}

void add_selectors(Shapes &to) {
    const auto add = [&](const char *name, std::size_t n, std::string (*make)(std::size_t),
                         void (*parse)(const std::string &) = select) {
        to.push_back({"selector", name, n, make, parse});
    };
    add("labels", 200, [](std::size_t n) {
        return R"({"selector":{"matchLabels":{)" + map_backward(n) + R"(}},"labels":{)" + map(n) + "}}";
    });
    add("expressions", 100, [](std::size_t n) {
        return R"({"selector":{"matchExpressions":[)" +
               list(n,
                    [](std::size_t i) { return R"({"key":"k)" + number(i) + R"(","operator":"In","values":["v"]})"; }) +
               R"(]},"labels":{)" + map(n) + "}}";
    });
    add("values of an expression", 500, [](std::size_t n) {
        return R"({"selector":{"matchExpressions":[{"key":"k0","operator":"NotIn","values":[)" +
               list(n, [](std::size_t i) { return "\"x" + number(i) + "\""; }) + R"(]}]},"labels":{)" + map(n) + "}}";
    });
    add("expressions that are none", 100, [](std::size_t n) {
        return R"({"selector":{"matchExpressions":[)" +
               list(n,
                    [](std::size_t i) { return R"({"key":"-)" + number(i) + R"(","operator":"In","values":["-"]})"; }) +
               R"(]},"labels":{}})";
    });
    add("a key of slashes", 2000, [](std::size_t n) {
        return R"({"selector":{"matchLabels":{")" + std::string(n, '/') + R"(":"v"}},"labels":{}})";
    });
    add("a key of dots", 2000, [](std::size_t n) {
        return R"({"selector":{"matchLabels":{"a)" + std::string(n, '.') + R"(/b":"v"}},"labels":{}})";
    });
    add(
        "terms", 100,
        [](std::size_t n) {
            return R"({"selector":{"nodeSelectorTerms":[)" +
                   list(n,
                        [](std::size_t i) {
                            return R"({"matchExpressions":[{"key":"k)" + number(i) +
                                   R"(","operator":"In","values":["w"]}]})";
                        }) +
                   R"(]},"labels":{)" + map(n) + "}}";
        },
        terms);
    add(
        "terms that are none", 100,
        [](std::size_t n) {
            return R"({"selector":{"nodeSelectorTerms":[)" +
                   list(n,
                        [](std::size_t i) {
                            return R"({"matchExpressions":[{"key":"k)" + number(i) + R"(","operator":"x"}]})";
                        }) +
                   R"(]},"labels":{}})";
        },
        terms);
    add(
        "fields", 100,
        [](std::size_t n) {
            return R"({"selector":{"nodeSelectorTerms":[{"matchFields":[)" +
                   list(n, [](std::size_t) { return R"({"key":"metadata.name","operator":"In","values":["n"]})"; }) +
                   R"(]}]},"labels":{}})";
        },
        terms);
}

}  // namespace

void add_objects(Shapes &to) {
    add_pods(to);
    add_nodes(to);
    add_selectors(to);
    const auto add = [&](const char *parser, const char *name, std::size_t n, std::string (*make)(std::size_t),
                         void (*parse)(const std::string &)) { to.push_back({parser, name, n, make, parse}); };
    const auto two_maps = [](std::size_t n) { return R"({"a":{)" + map(n) + R"(},"b":{)" + map_backward(n) + "}}"; };
    const auto two_lists = [](std::size_t n) {
        const auto conditions = [n](bool backward) {
            return list(n, [&](std::size_t i) { return "{\"type\":\"t" + number(backward ? n - i : i) + "\"}"; });
        };
        return R"({"a":{"conditions":[)" + conditions(false) + R"(]},"b":{"$setElementOrder/conditions":[)" +
               conditions(true) + R"(],"conditions":[)" + conditions(true) + "]}}";
    };
    add("value", "equal maps in another order", 300, two_maps, compare);
    add("patch", "of a map, in another order", 300, two_maps, patch);
    add("patch", "of new members", 300, [](std::size_t n) { return R"({"a":{},"b":{)" + map(n) + "}}"; }, patch);
    add("strategic patch", "of a map, in another order", 300, two_maps, strategic_patch);
    add("strategic patch", "of a list, in another order", 100, two_lists, strategic_patch);
    add(
        "strategic patch", "that deletes each item", 100,
        [](std::size_t n) {
            return R"({"a":{"conditions":[)" +
                   list(n, [](std::size_t i) { return "{\"type\":\"t" + number(i) + "\"}"; }) +
                   R"(]},"b":{"conditions":[)" +
                   list(n, [](std::size_t i) { return "{\"$patch\":\"delete\",\"type\":\"t" + number(i) + "\"}"; }) +
                   "]}}";
        },
        strategic_patch);
    add(
        "strategic patch", "of finalizers", 100,
        [](std::size_t n) {
            const auto names = [n](const char *prefix) {
                return list(n, [&](std::size_t i) { return "\"" + std::string(prefix) + number(i) + "\""; });
            };
            return R"({"a":{"finalizers":[)" + names("a") + R"(]},"b":{"$deleteFromPrimitiveList/finalizers":[)" +
                   names("a") + R"(],"finalizers":[)" + names("b") + "]}}";
        },
        strategic_patch);
    add(
        "strategic patch", "that retains keys", 300,
        [](std::size_t n) {
            return R"({"a":{)" + map(n) + R"(},"b":{"$retainKeys":[)" +
                   list(n, [](std::size_t i) { return "\"k" + number(i) + "\""; }) + "]}}";
        },
        strategic_patch);
    add("recorded difference", "of a map in another order", 300, two_maps, recorded);
    add("recorded difference", "of lists", 100, two_lists, recorded);
}

}  // namespace berth::attack
