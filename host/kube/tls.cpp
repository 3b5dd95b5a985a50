// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/tls.h"

#include "kube/exec_credential.h"

#include <openssl/err.h>
#include <openssl/pemerr.h>
#include <boost/asio/buffer.hpp>

namespace berth::kube {

std::string authority_fault(const std::string &pem) {
    const std::string expected = "; expected in PEM the certificates of the authority that signed the server's";
    if (pem.empty()) return "is empty" + expected;
    try {
        boost::asio::ssl::context probe(boost::asio::ssl::context::tls_client);
        probe.add_certificate_authority(boost::asio::buffer(pem));
        return {};
    } catch (const boost::system::system_error &wrong) {
        if (ERR_GET_REASON(static_cast<unsigned long>(wrong.code().value())) == PEM_R_NO_START_LINE)
            return "holds no certificate" + expected;
        return "holds a certificate that cannot be read (" + std::string(wrong.what()) + ")" + expected;
    }
}

void set_up_tls(boost::asio::ssl::context &context, const Credentials &credentials) {
    if (!credentials.authority.empty()) context.add_certificate_authority(boost::asio::buffer(credentials.authority));
    if (credentials.system_authorities) context.set_default_verify_paths();
    if (credentials.certificate.empty()) return;
    context.use_certificate_chain(boost::asio::buffer(credentials.certificate));
    context.use_private_key(boost::asio::buffer(credentials.key), boost::asio::ssl::context::pem);
}

std::optional<Credentials> renewed(const Credentials &credentials) {
    Credentials out = credentials;
    auto reread = [](const std::string &file, std::string &into) {
        if (file.empty()) return;
        if (auto text = read_text_file(file)) into = std::move(*text);
    };
    reread(out.certificate_file, out.certificate);
    reread(out.key_file, out.key);
    if (out.exec) {
        const auto answer = out.exec->answer();
        out.certificate = answer->certificate;
        out.key = answer->key;
    }
    if (out.certificate == credentials.certificate && out.key == credentials.key) return std::nullopt;
    try {
        boost::asio::ssl::context probe(boost::asio::ssl::context::tls_client);
        set_up_tls(probe, out);
    } catch (const std::exception &) {
        return std::nullopt;
    }
    return out;
}

model::Result<Credentials> started(Credentials credentials) {
    if (!credentials.exec) return credentials;
    if (auto given = credentials.exec->start(); !given) return given.error();
    const auto answer = credentials.exec->answer();
    credentials.certificate = answer->certificate;
    credentials.key = answer->key;
    constexpr std::chrono::seconds look_again{1};
    credentials.reread = look_again;
    return credentials;
}

model::Error unusable(const Credentials &credentials, const std::string &why) {
    return {credentials.where + ": the server's address, certificate-authority, client-certificate or " +
            "client-key cannot be used: " + why};
}

}  // namespace berth::kube
