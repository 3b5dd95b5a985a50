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
#include <fstream>
#include <iostream>
#include <tuple>
#include <unordered_map>

namespace berth::sim {
namespace {

constexpr std::size_t faults_max = 50;
constexpr const char *may_be_skipped = " (--skip-unknown leaves it out)";

std::string plural(std::uint64_t n, const std::string &noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

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
    Unknown unknown_;
    bool of_directory_ = false;      ///< what is being read
    std::uint64_t taken_ = 0;        ///< objects so far, without those that were left out
    std::vector<RawObject> custom_;  ///< what may be of a wanted custom kind
    struct ClassUsers {
        std::string first;  ///< where, and which pod
        std::uint64_t more = 0;
    };
    std::map<std::string, ClassUsers, std::less<>> unknown_classes_;
    std::string faults_;
    std::size_t fault_count_ = 0;

public:
    /// `makes_pods`: of workloads.
    Reader(const ReadProgress &progress, std::span<const model::Kind> kinds, PriorityClasses classes, bool makes_pods,
           model::Accounting accounting, Unknown unknown)
        : progress_(progress), classes_(std::move(classes)), kinds_(kinds), makes_pods_(makes_pods), unknown_(unknown) {
        input_.kinds.assign(kinds.begin(), kinds.end());
        input_.accounting = accounting;
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
        if (!o.is_object())
            return stranger(doc.where(o),
                            "expected a Kubernetes object with apiVersion and kind, got " + std::string(kind_text(o)));
        auto version = o["apiVersion"].string(), kind = o["kind"].string();
        if (kind.empty() || version.empty())
            return stranger(doc.where(o), "the object has no " + std::string(kind.empty() ? "kind" : "apiVersion") +
                                              "; expected a Kubernetes object as kubectl get -o yaml prints it");
        if (is_scenario(o)) return stranger(doc.where(o), "a scenario is played alone: berth simulate FILE");
        ++taken_;
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
        for (const auto &[name, users] : unknown_classes_)
            fault(users.first + ": spec.priorityClassName: there is no PriorityClass \"" + name +
                  "\" in the input; add it (kubectl get priorityclasses -o yaml) or set spec.priority" +
                  (users.more > 0 ? "; " + plural(users.more, "more pod") + (users.more == 1 ? " names it" : " name it")
                                  : ""));
        finish_objects();
        if (fault_count_ > 0) {
            if (fault_count_ > faults_max) faults_ += "\n… and " + std::to_string(fault_count_ - faults_max) + " more";
            return model::Error{faults_};
        }
        input_.workloads = std::move(workloads_);
        input_.classes = std::move(classes_);
        auto &pods = input_.pods;
        for (const auto &pod : pods)
            if (pod->finished()) input_.finished_pods.emplace(pod->key(), pod->uid());
        std::erase_if(pods, [](const model::PodPtr &pod) { return pod->finished(); });
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
        if (auto text = skipped_text(); !text.empty()) input_.warnings.push_back(std::move(text));
        return std::move(input_);
    }

    model::Result<void> read(const std::string &path, bool of_directory) {
        of_directory_ = of_directory;
        auto receive = [this](const decode::Document &doc) { return this->receive(doc); };
        auto progress = [&](std::uint64_t read, std::uint64_t total) {
            if (progress_) progress_(path, read, total);
        };
        const auto taken = taken_;
        const auto skipped = input_.skipped;
        bool syntax = false;
        auto n = path == "-" ? decode::read_stream(std::cin, "standard input", receive, progress)
                             : decode::read_file(path, receive, progress, &syntax);
        if (n) return {};
        // Objects of the cluster must not be lost without a word.
        if (!syntax || !of_directory || taken_ > taken || may_hold_objects(path)) return n.error();
        if (unknown_ == Unknown::Refuse) return model::Error{n.error().text + may_be_skipped};
        input_.skipped = skipped;
        skip(input_.skipped.files, path);
        return {};
    }

private:
    static std::string_view kind_text(model::Value v) {
        if (v.is_string()) return "a string";
        if (v.is_array()) return "a list";
        return "a number or a boolean";
    }

    /// Has the file lines of an object, or members of one, and nothing of a template?
    static bool may_hold_objects(const std::string &path) {
        constexpr std::size_t at_once = 1 << 16, longest = std::string_view("\"apiVersion\"").size();
        std::ifstream in(path, std::ios::binary);
        bool version = false, kind = false;
        auto text = std::string("\n");
        for (std::string block(at_once, '\0'); in.read(block.data(), at_once), in.gcount() > 0;) {
            text.append(block, 0, static_cast<std::size_t>(in.gcount()));
            const auto has = [&](std::string_view what) { return text.find(what) != text.npos; };
            if (has("{{")) return false;
            version = version || has("\napiVersion:") || has("\"apiVersion\"");
            kind = kind || has("\nkind:") || has("\"kind\"");
            text.erase(0, text.size() - std::min(text.size(), longest));
        }
        return (version && kind) || in.bad();
    }

    void skip(std::uint64_t &count, const std::string &where) {
        ++count;
        if (input_.skipped.first.size() < model::SkippedInput::most) input_.skipped.first.push_back(where);
    }

    /// Takes note of a document that is nothing of a cluster.
    model::Result<void> stranger(const std::string &where, const std::string &text) {
        if (unknown_ == Unknown::Skip && of_directory_) skip(input_.skipped.documents, where);
        else fault(where + ": " + text + (of_directory_ ? may_be_skipped : ""));
        return enough();
    }

    model::Result<void> enough() const {
        if (fault_count_ > faults_max) return model::Error{""};
        return {};
    }

    std::string skipped_text() const {
        const auto &[documents, files, first] = input_.skipped;
        if (documents + files == 0) return {};
        std::string text = "left out ";
        if (documents > 0)
            text += plural(documents, "document") +
                    (documents == 1 ? " that is no Kubernetes object" : " that are no Kubernetes objects");
        if (documents > 0 && files > 0) text += " and ";
        if (files > 0) text += plural(files, "file") + " that cannot be read as YAML or JSON";
        for (const auto &where : first) text += (&where == &first.front() ? ": " : ", ") + where;
        return text + (documents + files > first.size() ? ", …" : "");
    }

    void add_node(const decode::Document &doc) {
        auto node = nodes_.read(doc.tree, sink(doc));
        if (node && first_of_its_name(doc, "Node", "", node->name)) input_.nodes.push_back(std::move(node));
    }

    void add_pod(const decode::Document &doc) {
        auto o = doc.value();
        auto ns = o["metadata"]["namespace"].string();
        if (!first_of_its_name(doc, "Pod", ns.empty() ? "default" : ns, o["metadata"]["name"].string())) return;
        auto pod = pods_.read(doc.tree, sink(doc), input_.accounting);
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
        if (kinds_.define(o)) return input_.has_definitions = true;
        if (kinds_.may_be_custom(o)) return custom_.push_back({doc.tree, doc.where(o)}), true;
        const auto *kind = kinds_.built_in(o);
        if (!kind) return false;
        auto object = read_valid_object(doc.tree, *kind, sink(doc));
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
                auto at = unknown_classes_.find(class_name);
                if (at != unknown_classes_.end()) ++at->second.more;
                else unknown_classes_.emplace(class_name, ClassUsers{raw.where + ": " + name_of(tree->value()), 0});
                return nullptr;
            }
            tree = classes_.admitted(tree);
        }
        const auto report = [&](model::Value, const std::string &path, const std::string &text) {
            fault(raw.where + ": " + name_of(tree->value()) + ": " + path + ": " + text);
        };
        return pods_.read(tree, report, input_.accounting);
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
                                std::span<const model::Kind> kinds, model::Accounting accounting, Unknown unknown) {
    Reader reader(progress, kinds, {}, true, accounting, unknown);
    for (const auto &path : paths) {
        auto files = files_of(path);
        if (!files) {
            reader.fault(files.error().text);
            continue;
        }
        const bool of_directory = *files != std::vector{path};
        for (const auto &file : *files)
            if (auto read = reader.read(file, of_directory); !read && !read.error().text.empty())
                reader.fault(read.error().text);
    }
    return reader.finish();
}

model::Result<Input> read_objects(std::span<const decode::Document> objects, std::span<const model::Kind> kinds,
                                  const PriorityClasses &classes, model::Accounting accounting) {
    const ReadProgress unseen;
    Reader reader(unseen, kinds, classes, false, accounting, Unknown::Refuse);
    for (const auto &object : objects)
        if (!reader.receive(object)) break;
    return reader.finish();
}

}  // namespace berth::sim
