// SPDX-License-Identifier: Apache-2.0
#include "live/credentials.h"

namespace berth::live {
namespace {

/// `--master` may be an address without a scheme, as for kube-scheduler.
void override_server(kube::Credentials &credentials, std::string address) {
    while (address.ends_with('/')) address.pop_back();
    if (!address.starts_with("https://") && !address.starts_with("http://")) {
        bool secret = !credentials.authority.empty() || !credentials.certificate.empty();
        address.insert(0, secret ? "https://" : "http://");
    }
    credentials.server = std::move(address);
}

}  // namespace

model::Result<kube::Credentials> find_credentials(const RunOptions &options, const config::Configuration &configuration,
                                                  std::vector<IdleFlag> &idle) {
    std::string path = configuration.client_connection.kubeconfig;
    bool ignored = false;
    if (!options.kubeconfig.empty()) {
        ignored = options.as_kube_scheduler && !options.config.empty();
        if (ignored) idle.push_back({"--kubeconfig", options.kubeconfig, file_counts});
        else path = options.kubeconfig;
    }
    // kube-scheduler does not look at $KUBECONFIG, and ~/.kube/config may be of any cluster. In a pod its own account
    // wins: a variable must not lead to another cluster.
    const bool in_pod = kube::is_in_pod() && options.context.empty();
    model::Result<std::vector<std::string>> paths(std::vector<std::string>{path});
    if (path.empty() && (options.as_kube_scheduler || in_pod || !options.master.empty())) paths->clear();
    else if (path.empty()) paths = kube::usual_kubeconfigs(false);
    if (!paths) return model::Error{paths.error().text + "; --kubeconfig names one"};
    constexpr std::string_view beside_config =
        "; --kubeconfig is ignored beside --config, as by kube-scheduler: set clientConnection.kubeconfig in the "
        "configuration, or use berth run";
    if (paths->empty() && !options.context.empty())
        return model::Error{"--context " + options.context + ": there is no kubeconfig that has contexts" +
                            std::string(ignored ? beside_config : "; --kubeconfig names one")};
    auto found = !paths->empty()          ? kube::read_kubeconfigs(*paths, options.context)
                 : options.master.empty() ? kube::in_cluster()
                                          : model::Result<kube::Credentials>(kube::Credentials{});
    if (!found && ignored && paths->empty()) return model::Error{found.error().text + std::string(beside_config)};
    if (found && !options.master.empty()) override_server(*found, options.master);
    return found;
}

}  // namespace berth::live
