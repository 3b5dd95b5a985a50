// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The address of a connection's peer, for limits per peer.

#include <boost/asio/ip/address.hpp>

#include <string>

namespace berth::kube {

/// An IPv4 address as it is, also where IPv6 wraps it; of an IPv6 address its first 64 bits, because one machine may
/// use all the others ("2001:db8:0:1::/64"). What a proxy says in a header does not count.
std::string peer_of(const boost::asio::ip::address &address);

}  // namespace berth::kube
