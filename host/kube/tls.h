// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The TLS of a client: trusted authorities and the client certificate.

#include "kube/kubeconfig.h"

#include <boost/asio/ssl/context.hpp>

#include <optional>

namespace berth::kube {

/// Why no server could be verified with `pem`: it holds no certificate, or one that cannot be read. Empty: it is
/// usable.
std::string authority_fault(const std::string &pem);

/// Trusts the authority and shows the client certificate. Throws boost::system::system_error when they are unusable.
void set_up_tls(boost::asio::ssl::context &context, const Credentials &credentials);

/// `credentials` with the client certificate and key that their files have now, or their program gave. Nothing if these
/// are the same, or do not belong together: then somebody is just writing them.
std::optional<Credentials> renewed(const Credentials &credentials);

/// `credentials` with what the program that they name answered at first.
model::Result<Credentials> started(Credentials credentials);

/// What to say of certificates or keys that cannot be used.
model::Error unusable(const Credentials &credentials, const std::string &why);

/// What to say after a handshake that failed.
inline constexpr const char *expected_certificate =
    ": expected a certificate that the certificate-authority signed for the server's name";

}  // namespace berth::kube
