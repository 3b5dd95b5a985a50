// SPDX-License-Identifier: Apache-2.0
#include "sim/input.h"

#include "decode/stream.h"
#include "model/readers.h"
#include "sim/input_objects.h"
#include "sim/priority_classes.h"
#include "sim/scenario.h"
#include "sim/workloads.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <tuple>
#include <unordered_map>

namespace berth::sim {
namespace {

constexpr std::size_t faults_max = 50;

class Reader {
    struct RawObject {
        model::TreePtr tree;
        std::string where;
    };
    const ReadProgress &progress_;
    Input input_;
    std::vector<Workload> workloads_;
    /// Pods without a priority, by their place in the input's: their class may come later in the files.
    std::vector<std::pair<std::size_t, std::string>> without_priority_;
    std::unordered_map<std::string, std::string> seen_;  ///< "kind namespace/name" → where
    model::PodReader pods_;
    model::NodeReader nodes_;
    PriorityClasses classes_;
    InputKinds kinds_;
    bool makes_pods_;
    std::vector<RawObject> custom_;  ///< what may be of a wanted custom kind
    std::string faults_;
    std::size_t fault_count_ = 0;

public:
    /// `makes_pods`: of workloads.
    Reader(const ReadProgress &progress, std::span<const model::Kind> kinds, PriorityClasses classes, bool makes_pods)
        : progress_(progress), classes_(std::move(classes)), kinds_(kinds), makes_pods_(makes_pods) {
        input_.kinds.assign(kinds.begin(), kinds.end());
    }

    void fault(const std::string &text) {
        if (++fault_count_ <= faults_max) faults_ += (faults_.empty() ? "" : "\n") + text;
    }

    model::FaultSink sink(const decode::Document &doc) {
        return [this, &doc](model::Value at, const std::string &path, const std::string &text) {
            auto root = doc.value();
            auto where = at ? doc.where(at) : doc.where(root);
            fault(where + ": " + name_of(root) + ": " + path + ": " + text);
        };
    }

    static std::string name_of(model::Value o) {
        std::string text(o["kind"].is_string() ? o["kind"].string() : "object");
        auto ns = o["metadata"]["namespace"].string(), name = o["metadata"]["name"].string();
        if (!name.empty()) text += " " + (ns.empty() ? "" : std::string(ns) + "/") + std::string(name);
        return text;
    }

    bool first_of_its_name(const decode::Document &doc, std::string_view kind, std::string_view ns,
                           std::string_view name) {
        auto key = std::string(kind) + " " + (ns.empty() ? "" : std::string(ns) + "/") + std::string(name);
        auto [at, fresh] = seen_.emplace(key, doc.where(doc.value()));
        if (!fresh)
            fault(doc.where(doc.value()) + ": " + key + " is already defined at " + at->second +
                  "; keep one of the two");
        return fresh;
    }

    model::Result<void> receive(const decode::Document &doc) {
        auto o = doc.value();
        if (o.is_null()) return {};  // an empty document between two separators
        if (!o.is_object()) {
            fault(doc.where(o) + ": expected a Kubernetes object with apiVersion and kind, got " +
                  std::string(kind_text(o)));
            return enough();
        }
        auto version = o["apiVersion"].string(), kind = o["kind"].string();
        if (kind.empty() || version.empty()) {
            fault(doc.where(o) + ": the object has no " + (kind.empty() ? "kind" : "apiVersion") +
                  "; expected a Kubernetes object as kubectl get -o yaml prints it");
            return enough();
        }
        if (is_scenario(o)) {
            fault(doc.where(o) + ": a scenario is played alone: berth simulate FILE");
            return enough();
        }
        const bool wanted = add_object(doc);
        if (version == "v1" && kind == "Node") add_node(doc);
        else if (version == "v1" && kind == "Pod") add_pod(doc);
        else if (is_workload(version, kind)) add_workload(doc, kind);
        else if (is_priority_class(o)) classes_.add(o);
        else if (!wanted) pass_over(o);
        return enough();
    }

    model::Result<Input> finish() {
        for (const auto &[index, where] : without_priority_) {
            auto tree = input_.pods[index]->tree;
            if (classes_.of(tree->value()["spec"]["priorityClassName"].string()) == 0) continue;
            if (auto pod = prioritized({std::move(tree), where})) input_.pods[index] = std::move(pod);
        }
        std::sort(input_.nodes.begin(), input_.nodes.end(),
                  [](const auto &a, const auto &b) { return a->name < b->name; });
        auto created =
            expand(workloads_, input_.pods, input_.nodes,
                   [this](const std::string &where, const std::string &text) { fault(where + ": " + text); });
        for (auto &tree : created) {
            auto where = "pod of " + name_of(tree->value());
            auto pod = prioritized({std::move(tree), where});
            if (pod && makes_pods_) input_.pods.push_back(std::move(pod));
        }
        finish_objects();
        if (fault_count_ > 0) {
            if (fault_count_ > faults_max) faults_ += "\n… and " + std::to_string(fault_count_ - faults_max) + " more";
            return model::Error{faults_};
        }
        input_.workloads = std::move(workloads_);
        input_.classes = std::move(classes_);
        auto &pods = input_.pods;
        auto finished = [](const model::PodPtr &p) { return p->finished(); };
        input_.finished_pods = static_cast<std::uint64_t>(std::count_if(pods.begin(), pods.end(), finished));
        std::erase_if(pods, finished);
        std::stable_sort(pods.begin(), pods.end(), [](const model::PodPtr &a, const model::PodPtr &b) {
            if (a->view.creation_time_ns != b->view.creation_time_ns)
                return a->view.creation_time_ns < b->view.creation_time_ns;
            if (a->name_space() != b->name_space()) return a->name_space() < b->name_space();
            return a->name() < b->name();
        });
        for (const auto &[kind, n] : input_.passed_over) {
            if (kind == "v1/Event" || kind == "v1/Namespace") continue;
            input_.warnings.push_back("passed over " + std::to_string(n) + " × " + kind +
                                      ": a simulation does not use it");
        }
        return std::move(input_);
    }

    model::Result<void> read(const std::string &path) {
        auto receive = [this](const decode::Document &doc) { return this->receive(doc); };
        auto progress = [&](std::uint64_t read, std::uint64_t total) {
            if (progress_) progress_(path, read, total);
        };
        auto n = path == "-" ? decode::read_stream(std::cin, "standard input", receive, progress)
                             : decode::read_file(path, receive, progress);
        if (!n) return n.error();
        return {};
    }

private:
    static std::string_view kind_text(model::Value v) {
        if (v.is_string()) return "a string";
        if (v.is_array()) return "a list";
        return "a number or a boolean";
    }

    model::Result<void> enough() const {
        if (fault_count_ > faults_max) return model::Error{""};
        return {};
    }

    void add_node(const decode::Document &doc) {
        auto node = nodes_.read(doc.tree, sink(doc));
        if (node && first_of_its_name(doc, "Node", "", node->name)) input_.nodes.push_back(std::move(node));
    }

    void add_pod(const decode::Document &doc) {
        auto o = doc.value();
        auto ns = o["metadata"]["namespace"].string();
        if (!first_of_its_name(doc, "Pod", ns.empty() ? "default" : ns, o["metadata"]["name"].string())) return;
        auto pod = pods_.read(doc.tree, sink(doc));
        if (!pod) return;
        if (o["spec"]["priority"].is_null()) without_priority_.emplace_back(input_.pods.size(), doc.where(o));
        input_.pods.push_back(std::move(pod));
    }

    void add_workload(const decode::Document &doc, std::string_view kind) {
        auto meta = doc.value()["metadata"];
        auto ns = meta["namespace"].string();
        if (meta["name"].string().empty())
            return fault(doc.where(doc.value()) + ": " + std::string(kind) + ": metadata.name: required");
        if (first_of_its_name(doc, kind, ns.empty() ? "default" : ns, meta["name"].string()))
            workloads_.push_back({doc.tree, doc.where(doc.value())});
    }

    void pass_over(model::Value o) {
        ++input_.passed_over[std::string(o["apiVersion"].string()) + "/" + std::string(o["kind"].string())];
    }

    /// Takes an object of a kind that is wanted; whether it may be one.
    bool add_object(const decode::Document &doc) {
        auto o = doc.value();
        if (kinds_.define(o)) return true;
        if (kinds_.may_be_custom(o)) return custom_.push_back({doc.tree, doc.where(o)}), true;
        const auto *kind = kinds_.built_in(o);
        if (!kind) return false;
        auto object = model::read_object(doc.tree, *kind, sink(doc));
        // Of those that make pods, the workload's reader says that one is there twice.
        if (object && (is_workload(kind->api_version(), kind->name) ||
                       first_of_its_name(doc, kind->name, object->name_space, object->name)))
            input_.objects.push_back({*kind, std::move(object)});
        return true;
    }

    void finish_objects() {
        std::map<std::string, std::string> indices;
        for (const auto &[tree, where] : custom_) {
            auto kind = kinds_.custom(tree->value());
            if (!kind) {
                pass_over(tree->value());
                continue;
            }
            const auto what = where + ": " + name_of(tree->value());
            auto object =
                model::read_object(tree, *kind, [&](model::Value, const std::string &path, const std::string &text) {
                    fault(what + ": " + path + ": " + text);
                });
            if (!object) continue;
            auto [at, fresh] = indices.emplace(kind->text() + " " + object->key(), where);
            if (fresh) input_.objects.push_back({*kind, std::move(object)});
            else fault(what + " is already defined at " + at->second + "; keep one of the two");
        }
        for (auto &kind : input_.kinds) kind = kinds_.defined(std::move(kind));
        if (std::ranges::count(input_.kinds, model::kind_of("", "v1", "namespaces")) > 0) complete_namespaces(input_);
        std::ranges::sort(input_.objects, {}, [](const InputObject &o) {
            return std::tuple(o.kind.text(), o.object->name_space, o.object->name);
        });
    }

    /// The pod with spec.priority as admission would write it; nullptr after a fault.
    model::PodPtr prioritized(const RawObject &raw) {
        auto tree = raw.tree;
        auto spec = tree->value()["spec"];
        if (spec["priority"].is_null()) {
            auto class_name = spec["priorityClassName"].string();
            auto priority = classes_.of(class_name);
            if (!priority) {
                fault(raw.where + ": " + name_of(tree->value()) + ": spec.priorityClassName: there is no " +
                      "PriorityClass \"" + std::string(class_name) + "\" in the input; add it or set " +
                      "spec.priority");
                return nullptr;
            }
            tree = classes_.admitted(tree);
        }
        return pods_.read(tree, [&](model::Value, const std::string &path, const std::string &text) {
            fault(raw.where + ": " + name_of(tree->value()) + ": " + path + ": " + text);
        });
    }
};

bool readable_name(const std::filesystem::path &p) {
    auto e = p.extension();
    return e == ".yaml" || e == ".yml" || e == ".json";
}

/// The files that a path stands for.
model::Result<std::vector<std::string>> files_of(const std::string &path) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) return std::vector<std::string>{path};
    std::vector<std::string> files;
    fs::recursive_directory_iterator it(path, error), end;
    while (!error && it != end) {
        if (it->is_regular_file(error) && readable_name(it->path())) files.push_back(it->path().string());
        it.increment(error);
    }
    if (error) return model::Error{path + ": cannot be read: " + error.message()};
    if (files.empty())
        return model::Error{path + ": the directory holds no file whose name ends in .yaml, .yml or .json"};
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

model::Result<Input> read_input(const std::vector<std::string> &paths, const ReadProgress &progress,
                                std::span<const model::Kind> kinds) {
    Reader reader(progress, kinds, {}, true);
    for (const auto &path : paths) {
        auto files = files_of(path);
        if (!files) {
            reader.fault(files.error().text);
            continue;
        }
        for (const auto &file : *files)
            if (auto read = reader.read(file); !read && !read.error().text.empty()) reader.fault(read.error().text);
    }
    return reader.finish();
}

model::Result<Input> read_objects(std::span<const decode::Document> objects, std::span<const model::Kind> kinds,
                                  const PriorityClasses &classes) {
    const ReadProgress unseen;
    Reader reader(unseen, kinds, classes, false);
    for (const auto &object : objects)
        if (!reader.receive(object)) break;
    return reader.finish();
}

}  // namespace berth::sim
