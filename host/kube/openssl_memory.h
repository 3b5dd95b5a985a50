// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Owning pointers for OpenSSL's certificates and memory.

#include <openssl/x509_vfy.h>

#include <memory>

namespace berth::kube {

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T *what) const {
        Free(what);
    }
};
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free>>;

}  // namespace berth::kube
