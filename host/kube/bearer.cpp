// SPDX-License-Identifier: Apache-2.0
#include "kube/bearer.h"

#include "kube/exec_credential.h"

namespace berth::kube {

const std::string &Bearer::token() {
    constexpr std::chrono::seconds token_age{60};  // as often as client-go reads a token file again
    if (exec_) token_ = exec_->answer()->token;
    if (file_.empty()) return token_;
    auto now = std::chrono::steady_clock::now();
    if (!token_.empty() && now - read_ < token_age) return token_;
    read_ = now;
    // A file that cannot be read just now is read again later; the server judges the token that we have.
    if (auto text = read_text_file(file_)) {
        token_ = *text;
        while (!token_.empty() && (token_.back() == '\n' || token_.back() == '\r' || token_.back() == ' '))
            token_.pop_back();
    }
    return token_;
}

}  // namespace berth::kube
