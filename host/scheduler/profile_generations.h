// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The generations of profiles: the current one, the next one, and old ones that binding cycles still use.
///
///     replace() ──► next ──swap()──► current ──swap()──► old ──no pod uses it──► (ended)

#include "env/extender.h"
#include "plugin/instance.h"
#include "plugin/profile.h"
#include "queue/queue.h"

#include <memory>
#include <vector>

namespace berth::scheduler {

/// What pods are scheduled by. A binding cycle keeps its generation alive.
struct Generation {
    std::vector<plugin::Profile> profiles;
    std::vector<std::unique_ptr<env::Extender>> extenders;
    queue::Settings settings;

    const plugin::Profile *profile_of(const model::Pod &pod) const;  ///< nullptr: none has the pod's schedulerName
    bool serves(const model::Pod &pod) const { return profile_of(pod) != nullptr; }
};
using GenerationPtr = std::shared_ptr<Generation>;

/// Loop only.
class ProfileGenerations {
public:
    void replace(GenerationPtr next) { next_ = std::move(next); }
    void replace_shadow(GenerationPtr next) { next_shadow_ = std::move(next); }
    bool has_next() const { return next_ != nullptr; }
    bool has_next_shadow() const { return next_shadow_ != nullptr; }
    /// The next generation becomes the current one. Returns the one before; nullptr: there was none.
    GenerationPtr swap();
    void swap_shadow();

    const GenerationPtr &current() const { return current_; }
    const GenerationPtr &shadow() const { return shadow_; }
    /// The next generation, if there is one, else the current one.
    const Generation &newest() const { return next_ ? *next_ : *current_; }
    /// Whether the profiles in force watch the kind.
    bool watches(const model::Kind &kind) const;
    /// Drops what they do not watch of the versions of an object before and after its change.
    void reduce(const model::Kind &kind, model::AnyPtr &before, model::AnyPtr &after) const {
        parts_.reduce(kind, before, after);
    }

    /// Ends the old generations that no pod uses and whose background work has stopped. Whether there was one.
    bool end_unused();
    /// Makes the background work of all instances end. Whether none runs.
    bool wind_down();
    /// Ends it, while everything that its callbacks reach still exists.
    void end_waits();
    /// What the instances of all generations watch, each once.
    std::vector<plugin::Watched> watched_kinds() const;

private:
    template <class Fn>
    void each(Fn &&fn) const;
    void find_kinds();

    std::vector<GenerationPtr> old_;
    GenerationPtr current_, next_, shadow_, next_shadow_;
    std::vector<model::Kind> watched_;  ///< by the profiles in force
    plugin::Selections parts_;          ///< of these kinds, but for those that are watched as a whole
};

}  // namespace berth::scheduler
