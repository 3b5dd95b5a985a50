// SPDX-License-Identifier: Apache-2.0
#include "plugin/at_hand.h"

namespace berth::plugin {
namespace {

constinit thread_local AtHand at_hand;

}  // namespace

AtHand &AtHand::mine() { return at_hand; }

}  // namespace berth::plugin
