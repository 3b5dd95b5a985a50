// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/server_tls.h"

#include "kube/kubeconfig.h"
#include "kube/openssl_memory.h"
#include "kube/self_signed.h"

#include <boost/asio/buffer.hpp>

#include <openssl/pem.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace berth::kube {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

using Store = std::unique_ptr<X509_STORE, Freed<X509_STORE_free>>;
using Judgement = std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>>;

/// Adds each certificate of a PEM text; answers how many there were.
int add(X509_STORE &store, const std::string &pem) {
    Memory memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    int count = 0;
    while (Certificate one{PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr)}) {
        X509_STORE_add_cert(&store, one.get());
        ++count;
    }
    ERR_clear_error();
    return count;
}

constexpr int longest_chain = 8;

/// Whether a client's certificates can be looked at without much effort: keys no longer than Go takes them, in a short
/// chain. No certificate is trusted here. OpenSSL's own judgement at this place, which would try every signature of a
/// stranger, is left out.
int is_cheap(X509_STORE_CTX *shown, void *) {
    constexpr int longest_key = 8192;
    const auto *chain = X509_STORE_CTX_get0_untrusted(shown);
    if (sk_X509_num(chain) > longest_chain) return 0;
    for (int i = 0; i < sk_X509_num(chain); ++i) {
        const EVP_PKEY *key = X509_get0_pubkey(sk_X509_value(chain, i));
        if (!key || EVP_PKEY_get_bits(key) > longest_key) return 0;
    }
    return 1;
}

/// No unknown client can choose an expensive handshake: groups of finite fields (the key exchange of ffdhe8192
/// costs two hundred times that of X25519), renegotiation, long chains of certificates.
void limit_cost(SSL_CTX &context) {
    constexpr long certificate_bytes = 32 << 10;
    if (SSL_CTX_set1_groups_list(&context, "X25519:P-256:P-384:P-521") != 1)
        throw std::runtime_error("OpenSSL does not know the usual groups");
    SSL_CTX_set_options(&context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_max_cert_list(&context, certificate_bytes);
    SSL_CTX_set_cert_verify_callback(&context, is_cheap, nullptr);
    SSL_CTX_set_mode(&context, SSL_MODE_RELEASE_BUFFERS);
}

std::vector<std::string> names(const X509 &certificate, int kind) {
    std::vector<std::string> out;
    const X509_NAME *subject = X509_get_subject_name(&certificate);
    for (int at = X509_NAME_get_index_by_NID(subject, kind, -1); at >= 0;
         at = X509_NAME_get_index_by_NID(subject, kind, at)) {
        unsigned char *text = nullptr;
        int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
        if (size >= 0) out.emplace_back(reinterpret_cast<char *>(text), static_cast<std::size_t>(size));
        OPENSSL_free(text);
    }
    return out;
}

/// Writes a file that only its owner can read.
bool write_private(const fs::path &path, const std::string &text) {
    std::ofstream(path, std::ios::app).close();
    std::error_code error;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, error);
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    return out.flush().good() && !error;
}

/// The pair that the directory holds, or a new one that is put there.
model::Result<void> keep_pair(ServerTlsSettings &settings) {
    const fs::path directory = settings.directory;
    settings.certificate_file = directory / "kube-scheduler.crt";
    settings.key_file = directory / "kube-scheduler.key";
    std::error_code error;
    if (fs::exists(settings.certificate_file, error) && fs::exists(settings.key_file, error)) return {};
    fs::create_directories(directory, error);
    auto made = make_self_signed(settings.addresses);
    if (!made) return made.error();
    if (!write_private(settings.key_file, made->key) || !write_private(settings.certificate_file, made->certificate))
        return model::Error{"--cert-dir " + settings.directory +
                            ": kube-scheduler.crt and kube-scheduler.key cannot be " +
                            "written there: expected a directory that this user may write"};
    return {};
}

}  // namespace

model::Result<ServerTls> ServerTls::open(ServerTlsSettings settings) {
    ServerTls out;
    if (settings.certificate_file.empty() && !settings.directory.empty())
        if (auto kept = keep_pair(settings); !kept) return kept.error();
    out.settings_ = std::move(settings);
    if (out.settings_.certificate_file.empty()) {
        auto made = make_self_signed(out.settings_.addresses);
        if (!made) return made.error();
        out.certificate_ = made->certificate;
        out.key_ = made->key;
    }
    if (auto loaded = out.refresh(); !loaded) return loaded.error();
    if (!out.context_)
        if (auto loaded = out.load(); !loaded) return loaded.error();
    return out;
}

model::Result<void> ServerTls::refresh() {
    if (!settings_.client_authorities_file.empty()) {
        auto text = read_text_file(settings_.client_authorities_file);
        if (!text) return text.error();
        Store store(X509_STORE_new());
        if (*text != file_authorities_ && add(*store, *text) == 0)
            return model::Error{settings_.client_authorities_file +
                                ": expected certificates in PEM, of the authorities that sign those of clients"};
        if (*text != file_authorities_) {
            file_authorities_ = std::move(*text);
            collect_authorities();
        }
    }
    if (settings_.certificate_file.empty()) return {};
    auto certificate = read_text_file(settings_.certificate_file);
    if (!certificate) return certificate.error();
    auto key = read_text_file(settings_.key_file);
    if (!key) return key.error();
    if (context_ && *certificate == certificate_ && *key == key_) return {};
    std::swap(certificate_, *certificate);
    std::swap(key_, *key);
    auto loaded = load();
    if (loaded) return {};
    std::swap(certificate_, *certificate);
    std::swap(key_, *key);
    return loaded;
}

model::Result<void> ServerTls::load() {
    try {
        auto context = std::make_shared<Context>(Context::tls_server);
        context->set_options(Context::default_workarounds | Context::no_tlsv1 | Context::no_tlsv1_1 |
                             (settings_.at_least_1_3 ? Context::no_tlsv1_2 : 0));
        context->use_certificate_chain(asio::buffer(certificate_));
        context->use_private_key(asio::buffer(key_), Context::pem);
        // A client certificate is checked after the handshake: requests that need none are answered anyway.
        context->set_verify_mode(asio::ssl::verify_peer);
        limit_cost(*context->native_handle());
        // Sessions are not resumed: a resumed one would not show the client's certificate again.
        SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_OFF);
        SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_TICKET);
        SSL_CTX_set_num_tickets(context->native_handle(), 0);
        context_ = std::move(context);
        return {};
    } catch (const std::exception &e) {
        return model::Error{settings_.certificate_file + " and " + settings_.key_file +
                            ": expected a certificate and its private key in PEM: " + e.what()};
    }
}

void ServerTls::trust(std::string cluster_authorities) {
    if (cluster_authorities == cluster_authorities_) return;
    cluster_authorities_ = std::move(cluster_authorities);
    collect_authorities();
}

void ServerTls::collect_authorities() {
    authorities_.reset(X509_STORE_new());
    if (add(*authorities_, file_authorities_) + add(*authorities_, cluster_authorities_) == 0) authorities_.reset();
}

ClientCertificate ServerTls::client(SSL *connection) const {
    ClientCertificate out;
    Certificate certificate(SSL_get_peer_certificate(connection));
    if (!certificate) return out;
    out.state = ClientCertificate::State::Refused;
    if (!authorities_) return out;
    Judgement judgement(X509_STORE_CTX_new());
    if (X509_STORE_CTX_init(judgement.get(), authorities_.get(), certificate.get(),
                            SSL_get_peer_cert_chain(connection)) != 1)
        return out;
    X509_STORE_CTX_set_depth(judgement.get(), longest_chain);
    X509_STORE_CTX_set_purpose(judgement.get(), X509_PURPOSE_SSL_CLIENT);
    const bool trusted = X509_verify_cert(judgement.get()) == 1;
    ERR_clear_error();
    auto common_names = names(*certificate, NID_commonName);
    if (!trusted || common_names.empty()) return out;
    out.state = ClientCertificate::State::Trusted;
    out.user.name = common_names.back();
    out.user.groups = names(*certificate, NID_organizationName);
    return out;
}

}  // namespace berth::kube
