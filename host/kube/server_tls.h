// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The TLS of Berth's server: its certificate, and the authorities of clients' certificates.

#include "kube/served.h"
#include "model/result.h"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace berth::kube {

struct ServerTlsSettings {
    std::string certificate_file, key_file;  ///< PEM, both or none
    /// Without these: where a certificate that signs itself is kept, as kube-scheduler.crt and .key; empty: nowhere.
    std::string directory;
    std::vector<std::string> addresses;   ///< that it is for, beside localhost and the loopback ones
    std::string client_authorities_file;  ///< PEM; empty: none of this kind
    bool at_least_1_3 = false;            ///< else TLS 1.2 will do
};

/// The server's certificate and the authorities for those of clients. One thread.
class ServerTls {
public:
    using Context = boost::asio::ssl::context;

    static model::Result<ServerTls> open(ServerTlsSettings settings);

    /// What a new connection begins with.
    const std::shared_ptr<Context> &context() const { return context_; }
    /// Reads files again that have changed. The error says why the earlier ones stay in use.
    model::Result<void> refresh();
    /// The authorities that the cluster names for clients, beside those of the file.
    void trust(std::string cluster_authorities);
    /// Judges what the client showed after the handshake.
    ClientCertificate client(SSL *connection) const;

private:
    /// Counted by OpenSSL.
    struct FreeStore {
        void operator()(X509_STORE *store) const { X509_STORE_free(store); }
    };
    model::Result<void> load();
    void collect_authorities();

    ServerTlsSettings settings_;
    std::string certificate_, key_, file_authorities_, cluster_authorities_;
    std::unique_ptr<X509_STORE, FreeStore> authorities_;  ///< null: there are none
    std::shared_ptr<Context> context_;
};

}  // namespace berth::kube
