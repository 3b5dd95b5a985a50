// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The swap of profiles between two scheduling cycles, after a reload.

#include "scheduler/event_handlers.h"

#include <functional>

namespace berth::scheduler {

/// Puts new profiles (profile_generations.h) in the place of those in force, between two scheduling cycles. Loop only.
class ProfileSwap {
public:
    ProfileSwap(Core &core, EventHandlers &handlers) : core_(core), handlers_(handlers) {}
    /// `callback` is called when replaced profiles have ended.
    void on_retired(std::function<void()> callback) { on_retired_ = std::move(callback); }

    /// From the next cycle on. The first ones at once.
    void replace(GenerationPtr next);
    /// The same for the shadow; at once between two cycles.
    void replace_shadow(GenerationPtr next, const ShadowSettings &settings);
    /// Swaps in what is next, if there is anything, and ends what no pod uses any more.
    void when_due();

private:
    void swap();
    void swap_shadow();

    Core &core_;
    EventHandlers &handlers_;
    ShadowSettings next_shadow_settings_;
    std::function<void()> on_retired_;
};

}  // namespace berth::scheduler
