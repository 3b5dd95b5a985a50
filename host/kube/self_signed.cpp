// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/self_signed.h"

#include "kube/openssl_memory.h"

#include <boost/asio/ip/address.hpp>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace berth::kube {
namespace {

using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

std::string text_of(const Memory &memory) {
    char *bytes = nullptr;
    auto size = BIO_get_mem_data(memory.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

bool extend(X509 &certificate, int kind, const std::string &value) {
    Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
    return extension && X509_add_ext(&certificate, extension.get(), -1) == 1;
}

}  // namespace

model::Result<SelfSigned> make_self_signed(const std::vector<std::string> &addresses) {
    constexpr long version_3 = 2, hour = 3600, ten_years = 10L * 365 * 24 * hour;
    std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
    for (const auto &address : addresses) {
        boost::system::error_code no_address;
        boost::asio::ip::make_address(address, no_address);
        // Nothing that would end the name in OpenSSL's little language.
        if (address.find_first_of(",:\n") != address.npos && no_address) continue;
        names += (no_address ? ",DNS:" : ",IP:") + address;
    }
    Key key(EVP_EC_gen("P-256"));
    Certificate certificate(X509_new());
    std::uint64_t serial = 0;
    RAND_bytes(reinterpret_cast<unsigned char *>(&serial), sizeof serial);
    X509_NAME *name = X509_get_subject_name(certificate.get());
    const bool made = key && X509_set_version(certificate.get(), version_3) == 1 &&
                      ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1) == 1 &&
                      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -hour) &&
                      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), ten_years) &&
                      X509_set_pubkey(certificate.get(), key.get()) == 1 &&
                      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                                 reinterpret_cast<const unsigned char *>("berth"), -1, -1, 0) == 1 &&
                      X509_set_issuer_name(certificate.get(), name) == 1 &&
                      extend(*certificate, NID_subject_alt_name, names) &&
                      extend(*certificate, NID_ext_key_usage, "serverAuth") &&
                      X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0;
    Memory pem(BIO_new(BIO_s_mem())), key_pem(BIO_new(BIO_s_mem()));
    if (!made || PEM_write_bio_X509(pem.get(), certificate.get()) != 1 ||
        PEM_write_bio_PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
        ERR_clear_error();
        return model::Error{"a certificate for HTTPS cannot be made for \"" + names +
                            "\": give one with --tls-cert-file and --tls-private-key-file"};
    }
    return SelfSigned{text_of(pem), text_of(key_pem)};
}

}  // namespace berth::kube
