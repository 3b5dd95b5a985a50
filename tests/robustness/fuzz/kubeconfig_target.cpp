// SPDX-License-Identifier: Apache-2.0
#include "memory_file.h"

#include "kube/kubeconfig.h"
#include "kube/url.h"

namespace berth::fuzz {

void kubeconfig(std::string_view bytes) {
    const MemoryFile file(bytes);
    const auto credentials = kube::read_kubeconfig(file.path());
    if (!credentials)
        return promise(credentials.error().text.starts_with(file.path()), "a refusal begins with the file");
    const auto server = kube::parse_server(credentials->server);
    promise(server || !server.error().text.empty(), "a refusal says why");
}

}  // namespace berth::fuzz
