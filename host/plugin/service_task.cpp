// SPDX-License-Identifier: Apache-2.0
// The service berth.host.task/1: its functions, and their variants for the strict checks.
#include "plugin/current_call.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

namespace berth::plugin {
namespace {

std::int32_t submit(const berth_host *host, void (*run)(void *, const std::uint32_t *),
                    void (*done)(void *, std::int32_t), void *ctx) {
    if (!run || !done) return BERTH_STATUS_INVALID;
    auto *context = HostContext::of(host);
    // Every task is ended before the context is.
    return context->tasks->submit(*context->services.workers,
                                  {[context, run, ctx](const std::uint32_t *cancel) {
                                       InCall current_call(context->plugin, BERTH_HOST_TASK_V1,
                                                           context->services.shadow);
                                       run(ctx, cancel);
                                   },
                                   [context, done, ctx](std::int32_t code) {
                                       context->call_back(BERTH_HOST_TASK_V1, [&] { done(ctx, code); });
                                   }});
}

/// A task whose end is watched.
struct Watched {
    Strict &strict;
    void (*run)(void *, const std::uint32_t *);
    void (*done)(void *, std::int32_t);
    void *ctx;

    static void on_run(void *own, const std::uint32_t *cancel) {
        auto &w = *static_cast<Watched *>(own);
        w.run(w.ctx, cancel);
    }
    static void on_done(void *own, std::int32_t code) {
        std::unique_ptr<Watched> w(static_cast<Watched *>(own));
        w->done(w->ctx, code);
        w->strict.calls.callback_ended();
    }
};

std::int32_t checked_submit(const berth_host *host, void (*run)(void *, const std::uint32_t *),
                            void (*done)(void *, std::int32_t), void *ctx) {
    constexpr const char *what = "submit of " BERTH_HOST_TASK_V1;
    Strict &strict = strict_of(host);
    if (strict.creating()) {
        strict.violated("called " + std::string(what) + " during create");
        return BERTH_STATUS_INVALID;
    }
    if (!HostContext::of(host)->tasks->running_here() && !check_loop(strict, what)) return BERTH_STATUS_INVALID;
    if (!run || !done) {
        strict.violated("called " + std::string(what) + " without a function");
        return BERTH_STATUS_INVALID;
    }
    auto watched = std::make_unique<Watched>(Watched{strict, run, done, ctx});
    const auto code = submit(host, Watched::on_run, Watched::on_done, watched.get());
    if (code == BERTH_STATUS_SUCCESS) (void)watched.release();
    return code;
}

constexpr berth_host_task own_table{sizeof(berth_host_task), 0, submit};
constexpr berth_host_task checked_table{sizeof(berth_host_task), 0, checked_submit};

}  // namespace

constinit const ServiceTables task_tables{BERTH_HOST_TASK_V1, &own_table, &checked_table,
                                          [](const Services &s) { return s.workers != nullptr; }};

}  // namespace berth::plugin
