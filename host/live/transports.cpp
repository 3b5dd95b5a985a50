// SPDX-License-Identifier: Apache-2.0
#include "live/transports.h"

#include "kube/beast_transport.h"
#include "kube/cpprest_transport.h"

namespace berth::live {

model::Result<Transports> make_transports(env::Loop &loop, TransportKind kind, const kube::Credentials &credentials) {
    Transports out;
    if (kind != TransportKind::Beast) {
        auto made = kube::make_cpprest_transport(credentials);
        if (!made) return made.error();
        out.reads = out.writes = std::move(*made);
    }
    if (kind != TransportKind::Cpprest) {
        auto made = kube::make_beast_transport_on(loop.context(), credentials);
        if (!made) return made.error();
        out.writes = std::move(*made);
        if (!out.reads) out.reads = out.writes;
    }
    return out;
}

}  // namespace berth::live
