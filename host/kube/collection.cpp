// SPDX-License-Identifier: Apache-2.0
#include "kube/collection.h"

#include "model/readers.h"

#include <memory>
#include <mutex>

namespace berth::kube {
namespace {

/// Adapts model's readers: the faults of an object as one line.
template <class Read>
auto reader(const Read &read) {
    return [read](const model::TreePtr &tree, std::string &faults) -> ObjectPtr {
        return read(tree, [&](model::Value, const std::string &path, const std::string &text) {
            faults += (faults.empty() ? "" : "; ") + path + ": " + text;
        });
    };
}

/// One of model's readers, which keep once what many objects have alike. A collection is read by one thread of the
/// transport at a time, save when a stream is given up while its last bytes are being read.
template <class Reader>
class CollectionReader {
    struct State {
        std::mutex mutex;
        Reader objects;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();

public:
    template <class... Args>
    auto read(const model::TreePtr &tree, const model::FaultSink &fault, Args... args) const {
        const std::scoped_lock lock(state_->mutex);
        return state_->objects.read(tree, fault, args...);
    }
};

template <class T>
std::shared_ptr<const T> as(const ObjectPtr &object) {
    return std::static_pointer_cast<const T>(object);
}

}  // namespace

Collection nodes_for(env::Observer &observer) {
    Collection c;
    c.resource = "nodes";
    c.path = "/api/v1/nodes";
    c.api_version = "v1";
    c.kind = "Node";
    c.read = reader([nodes = CollectionReader<model::NodeReader>()](
                        const model::TreePtr &tree, const model::FaultSink &fault) { return nodes.read(tree, fault); });
    c.added = [&](const ObjectPtr &o) { observer.node_added(as<model::Node>(o)); };
    c.updated = [&](const ObjectPtr &a, const ObjectPtr &b) {
        observer.node_updated(as<model::Node>(a), as<model::Node>(b));
    };
    c.deleted = [&](const ObjectPtr &o) { observer.node_deleted(as<model::Node>(o)); };
    return c;
}

Collection pods_for(env::Observer &observer, model::Accounting accounting) {
    Collection c;
    c.resource = "pods";
    c.path = "/api/v1/pods";
    c.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
    c.api_version = "v1";
    c.kind = "Pod";
    c.read = reader(
        [pods = CollectionReader<model::PodReader>(), accounting](
            const model::TreePtr &tree, const model::FaultSink &fault) { return pods.read(tree, fault, accounting); });
    c.added = [&](const ObjectPtr &o) { observer.pod_added(as<model::Pod>(o)); };
    c.updated = [&](const ObjectPtr &a, const ObjectPtr &b) {
        observer.pod_updated(as<model::Pod>(a), as<model::Pod>(b));
    };
    c.deleted = [&](const ObjectPtr &o) { observer.pod_deleted(as<model::Pod>(o)); };
    return c;
}

Collection objects_for(env::Observer &observer, const model::Kind &kind) {
    Collection c;
    c.resource = kind.text();
    c.path = kind.path();
    c.api_version = kind.api_version();
    c.kind = kind.name;
    c.read = reader([kind](model::TreePtr tree, const model::FaultSink &fault) {
        return model::read_object(std::move(tree), kind, fault);
    });
    c.added = [&observer, kind](const ObjectPtr &o) {
        observer.object_changed(kind, nullptr, as<model::AnyObject>(o));
    };
    c.updated = [&observer, kind](const ObjectPtr &a, const ObjectPtr &b) {
        observer.object_changed(kind, as<model::AnyObject>(a), as<model::AnyObject>(b));
    };
    c.deleted = [&observer, kind](const ObjectPtr &o) {
        observer.object_changed(kind, as<model::AnyObject>(o), nullptr);
    };
    return c;
}

}  // namespace berth::kube
