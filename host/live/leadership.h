// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Leader election of `berth run`, on a thread and with connections of its own. So nothing that the scheduler is busy
/// with delays a renewal, and nothing that holds it up hides that the lease was lost.

#include "config/configuration.h"
#include "env/loop.h"
#include "kube/election.h"
#include "kube/kubeconfig.h"

#include <memory>
#include <thread>

namespace berth::live {

class Leadership {
    env::Loop loop_;  ///< of the thread
    env::Clock &home_;
    env::Log &log_;
    std::unique_ptr<kube::Transport> transport_;
    kube::Election election_;
    std::atomic<bool> over_ = false;
    std::thread thread_;

public:
    /// `home` is the scheduler's loop; it and the log outlive this. `event_source` is the first profile's name. The
    /// error says what is wrong with the settings or the credentials.
    static model::Result<std::unique_ptr<Leadership>> make(env::Clock &home, env::Log &log,
                                                           const kube::Credentials &credentials,
                                                           const config::LeaderElection &settings,
                                                           std::string event_source, std::uint64_t seed);
    Leadership(env::Clock &home, env::Log &log, std::unique_ptr<kube::Transport> transport,
               kube::ElectionSettings settings);
    ~Leadership();
    Leadership(const Leadership &) = delete;
    Leadership &operator=(const Leadership &) = delete;

    /// Both are called on the scheduler's loop. If that has not ended the process two seconds after the lease was lost,
    /// the process is ended here.
    void start(const std::function<void()> &leads, const std::function<void()> &lost);
    /// Gives the lease back, if we have it; `done` is called on the scheduler's loop.
    void release(std::function<void()> done);

    /// Any thread. Why the API server may not be written to: empty while our lease is certainly ours, because the last
    /// renewal is younger than the renew deadline.
    std::string why_not_write() const;
    /// Any thread. What /healthz has to say: we should have ended long ago, or taken up the lease again.
    std::string fault() const;
    const kube::Election &election() const { return election_; }
};

}  // namespace berth::live
