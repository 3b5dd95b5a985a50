// SPDX-License-Identifier: Apache-2.0
#include "kube/client_authorities.h"

#include "decode/document.h"
#include "decode/wire.h"

namespace berth::kube {

void find_client_authorities(Transport &transport, std::function<void(model::Result<std::string>)> done) {
    static constexpr const char *path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    transport.request({"GET", path, {}, {}}, [done = std::move(done)](const HttpAnswer &answer) {
        constexpr int ok = 200;
        if (answer.status != ok)
            return done(model::Error{answer.status == 0 ? answer.body
                                                        : "the API server answered " + std::to_string(answer.status) +
                                                              ": " + decode::status_message(answer.body) +
                                                              "; expected the right to get that ConfigMap: the "
                                                              "RoleBinding extension-apiserver-authentication-reader"});
        auto read = decode::read_document(answer.body, "answer.json");
        if (!read) return done(read.error());
        done(std::string(read->value()["data"]["client-ca-file"].string()));
    });
}

}  // namespace berth::kube
