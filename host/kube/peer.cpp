// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/peer.h"

#include <algorithm>

namespace berth::kube {

std::string peer_of(const boost::asio::ip::address &address) {
    namespace ip = boost::asio::ip;
    if (address.is_v4()) return address.to_string();
    auto v6 = address.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    constexpr std::size_t subnet = 8;
    auto bytes = v6.to_bytes();
    std::fill(bytes.begin() + subnet, bytes.end(), 0);
    return ip::address_v6(bytes).to_string() + "/64";
}

}  // namespace berth::kube
