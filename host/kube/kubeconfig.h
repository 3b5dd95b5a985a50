// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API server's address and credentials, from a kubeconfig file or as a pod in the cluster.

#include "decode/text_file.h"

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace berth::kube {

class ExecCredential;

struct Credentials {
    std::string server;            ///< "https://127.0.0.1:6443", maybe with a path; no slash at the end
    std::string authority;         ///< PEM of those who vouch for the server
    std::string server_name;       ///< the name to verify instead of the server's; empty: that one
    std::string certificate, key;  ///< PEM, both or none
    /// Where they were read from, to be read again and again; empty: they stay as they are.
    std::string certificate_file, key_file;
    std::chrono::milliseconds reread{60'000};  ///< so often
    std::string token, token_file;             ///< a bearer token; the file wins and is read again and again
    std::shared_ptr<ExecCredential> exec;      ///< gives token or certificate if nothing above does
    std::string where;                         ///< what was read, for messages
    std::string context, name_space;           ///< of the kubeconfig; empty: none
    bool system_authorities = false;           ///< without an authority: those of the system verify the server
    bool insecure = false;                     ///< the server is not verified, since somebody has said so
};

/// Reads the current context of a kubeconfig file, or `context` if it is not empty: server, certificate-authority,
/// tls-server-name, insecure-skip-tls-verify, client-certificate, client-key (each also as -data), token, tokenFile,
/// exec (which is not run yet). Paths in it are relative to its folder. Refused with a text that says so: users with
/// auth-provider, username or impersonation (`as`), and clusters with proxy-url.
model::Result<Credentials> read_kubeconfig(const std::string &path, const std::string &context = {});

/// The same of several files, merged as kubectl does: of a context, cluster or user that several files have, and of
/// current-context, the first file's counts.
model::Result<Credentials> read_kubeconfigs(std::span<const std::string> paths, const std::string &context = {});

/// The files that $KUBECONFIG names and that are there; without it, and if `home`, ~/.kube/config if it is there. It is
/// an error if $KUBECONFIG names files and none is there.
model::Result<std::vector<std::string>> usual_kubeconfigs(bool home);

/// As the environment says that the kubelet gives each pod.
bool is_in_pod();
/// What Kubernetes gives each pod: KUBERNETES_SERVICE_HOST and _PORT, and the service account's token and authority in
/// `folder`.
model::Result<Credentials> in_cluster(const std::string &folder = "/var/run/secrets/kubernetes.io/serviceaccount");

using decode::read_text_file;

}  // namespace berth::kube
