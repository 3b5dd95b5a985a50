// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The PreBind part of VolumeBinding: it writes a pod's volumes and claims, then waits.

#include "cancellation.h"
#include "volume_binder.h"

#include <berth/http_status.hpp>

namespace kubernetes {

/// The binding of one pod's volumes: writes them one after the other, then waits until all claims are bound. Holds no
/// thread: it goes on when an answer or a change of an object arrives. Thread: loop.
class VolumePreBind : public std::enable_shared_from_this<VolumePreBind> {
public:
    /// Pods that wait, by what wakes them: the keys of their claims, and "volume NAME".
    using Waiting = std::multimap<std::string, std::weak_ptr<VolumePreBind>, std::less<>>;

    VolumePreBind(VolumeBinder &binder, Waiting &waiting, std::vector<VolumeWrite> writes, std::string node,
                  KeptLabels labels, berth::Done done)
        : binder_(binder),
          waiting_(waiting),
          writes_(std::move(writes)),
          node_(std::move(node)),
          labels_(std::move(labels)),
          done_(done) {}

    /// `call` is the one that `done` ends.
    void start(berth::Call call, std::int64_t timeout_ns) {
        timeout_ns_ = timeout_ns;
        end_when_cancelled(binder_.host(), call, weak_from_this());
        write_next();
    }
    bool ended() const { return ended_; }
    void cancel() { end(berth::cancelled()); }

    /// The call was cancelled.
    void abandon() {
        ended_ = true;
        forget();
    }

    /// Something that this pod waits for has changed.
    void check() {
        if (ended_) return;
        auto verdict = look();
        if (verdict) end(*verdict);
    }

    const std::vector<VolumeWrite> &writes() const { return writes_; }

    static void wake(Waiting &waiting, const std::string &key) {
        std::vector<std::shared_ptr<VolumePreBind>> found;
        auto [from, to] = waiting.equal_range(key);
        for (auto at = from; at != to; ++at)
            if (auto alive = at->second.lock()) found.push_back(std::move(alive));
        for (const auto &w : found) w->check();
    }

private:
    VolumeBinder &binder_;
    Waiting &waiting_;
    std::vector<VolumeWrite> writes_;
    std::string node_;
    KeptLabels labels_;  ///< the node's when it was chosen
    berth::Done done_;
    std::size_t next_ = 0;
    std::int64_t timeout_ns_ = 0;
    bool ended_ = false;

    void end(const berth::Verdict &verdict) {
        ended_ = true;
        forget();
        done_(verdict);
    }

    void forget() {
        for (const auto &key : keys()) {
            auto [from, to] = waiting_.equal_range(key);
            for (auto at = from; at != to;) at = at->second.lock().get() == this ? waiting_.erase(at) : std::next(at);
        }
    }

    std::vector<std::string> keys() const {
        std::vector<std::string> all;
        for (const auto &w : writes_) {
            all.push_back(full_name(w.name_space, w.claim));
            if (!w.of_claim) all.push_back("volume " + w.volume);
        }
        return all;
    }

    void write_next() {
        if (next_ == writes_.size()) return wait();
        const auto &w = writes_[next_];
        berth::Request request;
        request.verb = BERTH_VERB_UPDATE;
        request.resource = w.of_claim ? "persistentvolumeclaims" : "persistentvolumes";
        if (w.of_claim) request.name_space = w.name_space;
        request.name = w.of_claim ? w.claim : w.volume;
        request.body = w.body;
        binder_.host().send(request, [self = shared_from_this()](int status, std::string_view text) {
            self->written(berth::succeeded(status), text);
        });
    }

    void written(bool well, std::string_view text) {
        if (well) {
            writes_[next_++].written = true;
            if (!ended_) write_next();
            return;
        }
        for (auto i = next_; i < writes_.size(); ++i) binder_.restore(writes_[i]);
        if (!ended_) end(berth::error(text));
    }

    void wait() {
        if (timeout_ns_ <= 0) return end(timed_out());
        for (auto &key : keys()) waiting_.emplace(std::move(key), weak_from_this());
        binder_.host().after(timeout_ns_, [self = weak_from_this()] {
            if (auto alive = self.lock(); alive && !alive->ended_) alive->end(timed_out());
        });
        check();
    }

    static berth::Verdict failed(const std::string &why) { return berth::error("binding volumes: " + why); }
    static berth::Verdict timed_out() { return failed("context deadline exceeded"); }

    /// What one object says: not yet, what is wrong, or neither.
    struct Look {
        bool pending = false;
        std::string fault;
    };

    /// The answer, if there is one yet.
    std::optional<berth::Verdict> look() const {
        const auto &host = binder_.host();
        auto csi_node = host.get(binder_.csi_nodes, "", node_);
        for (const auto &w : writes_) {
            auto claim = host.get(binder_.claims, w.name_space, w.claim);
            auto seen = w.of_claim ? look_at_claim(w, claim, csi_node) : look_at_volume(w, claim, csi_node);
            if (!seen.fault.empty()) return failed(seen.fault);
            if (seen.pending || !fully_bound(claim)) return std::nullopt;
        }
        return berth::ok;
    }

    static std::string claim_missing(const VolumeWrite &w) {
        return not_found("persistentvolumeclaims", full_name(w.name_space, w.claim));
    }

    Look look_at_volume(const VolumeWrite &w, const berth::Object &claim, const berth::Object &csi_node) const {
        auto volume = binder_.table.find(w.volume);
        if (!volume) return {false, "failed to check binding: " + not_found("persistentvolumes", w.volume)};
        if (!claim) return {false, "failed to check binding: " + claim_missing(w)};
        if (w.changes && volume->version == w.version) return {true, {}};
        auto fault = unreachable(*volume, csi_node, "failed to translate pv to csi: ");
        if (fault.empty() && (!volume->claim || volume->claim->uid.empty()))
            fault = "ClaimRef got reset for pv " + berth::json_quote(volume->name);
        return {false, fault};
    }

    Look look_at_claim(const VolumeWrite &w, const berth::Object &claim, const berth::Object &csi_node) const {
        if (!claim) return {false, "failed to check provisioning pvc: " + claim_missing(w)};
        if (w.changes && berth::view(claim.meta().resource_version) == w.version) return {true, {}};
        auto name = berth::json_quote(w.claim);
        if (claim.at("/metadata/annotations").size() == 0)
            return {false, "selectedNode annotation reset for PVC " + name};
        if (annotation(claim, selected_node) != node_) return {false, "provisioning failed for PVC " + name};
        auto volume_name = claim.at("/spec/volumeName").string();
        if (volume_name.empty()) return {};
        auto volume = binder_.table.find(volume_name);
        if (!volume) return {true, {}};  // it will come, or the claim will lose it
        return {false, unreachable(*volume, csi_node, "")};
    }

    std::string unreachable(const Volume &volume, const berth::Object &csi_node, const std::string &before) const {
        auto reached = reach(volume, csi_node, labels_);
        if (!reached.fault.empty()) return before + reached.fault;
        if (reached.reached) return {};
        return "pv " + berth::json_quote(volume.name) + " node affinity doesn't match node " +
               berth::json_quote(node_) + ": no matching NodeSelectorTerms";
    }
};

}  // namespace kubernetes
