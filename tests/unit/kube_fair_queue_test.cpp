// SPDX-License-Identifier: Apache-2.0
#include "kube/fair_queue.h"

#include "catch.h"
#include "kube/peer.h"

using namespace berth;

TEST_CASE("fair queue: whoever has the most makes room, with their oldest", "[kube]") {
    kube::FairQueue<int> queue(4);
    CHECK_FALSE(queue.add("few", 1));
    for (int i = 2; i <= 4; ++i) CHECK_FALSE(queue.add("many", i));
    CHECK(queue.add("many", 5) == 2);
    CHECK(queue.add("late", 6) == 3);
    // All have less than two now but "many".
    CHECK(queue.add("later", 7) == 4);
    // Of those with equally many it is the one whose item is the oldest.
    CHECK(queue.add("last", 8) == 1);
    CHECK(queue.size() == 4);
    CHECK(queue.oldest() == 5);
    CHECK(queue.remove(7));
    CHECK_FALSE(queue.remove(7));
    CHECK(queue.size() == 2);
    CHECK(kube::FairQueue<int>(0).add("x", 1) == 1);
}

TEST_CASE("fair queue: the next is the newest or oldest of the owner that was served least of late", "[kube]") {
    using Queue = kube::FairQueue<int>;
    constexpr auto newest = Queue::Order::NewestFirst, oldest = Queue::Order::OldestFirst;
    Queue queue(10, 4);
    for (int i = 1; i <= 3; ++i) queue.add("a", i);
    CHECK(queue.next(newest) == 3);
    CHECK(queue.next(newest) == 2);
    queue.add("b", 4);
    queue.add("a", 5);
    CHECK(queue.next(newest) == 4);
    CHECK(queue.next(newest) == 5);
    CHECK(queue.next(newest) == 1);
    CHECK_FALSE(queue.next(newest));
    // Of the last four "a" had three, "b" one; once four others have come, both count as new.
    for (int i = 0; i < 4; ++i) {
        queue.add("c", 10 + i);
        queue.next(newest);
    }
    queue.add("c", 20);
    queue.add("a", 21);
    CHECK(queue.next(newest) == 21);

    Queue fifo(10);
    for (int i = 1; i <= 3; ++i) fifo.add("a", i);
    fifo.add("b", 4);
    fifo.add("b", 5);
    for (int wanted : {1, 4, 2, 5, 3}) CHECK(fifo.next(oldest) == wanted);
    CHECK_FALSE(fifo.next(oldest));
}

TEST_CASE("fair queue: what is unwanted goes, and is nobody's share any more", "[kube]") {
    kube::FairQueue<int> queue(3);
    for (int i = 1; i <= 3; ++i) queue.add("a", i);
    queue.remove_if([](int i) { return i != 1; });
    CHECK(queue.size() == 1);
    for (int i = 5; i <= 6; ++i) CHECK_FALSE(queue.add("b", i));
    CHECK(queue.add("a", 7) == 1);
}

TEST_CASE("peer: an IPv4 address, or the network of an IPv6 one", "[kube]") {
    auto peer = [](const char *address) { return kube::peer_of(boost::asio::ip::make_address(address)); };
    CHECK(peer("10.1.2.3") == "10.1.2.3");
    CHECK(peer("::ffff:10.1.2.3") == "10.1.2.3");
    CHECK(peer("2001:db8:0:1:2:3:4:5") == "2001:db8:0:1::/64");
    CHECK(peer("2001:db8:0:1:ffff::") == "2001:db8:0:1::/64");
    CHECK(peer("::1") == "::/64");
}
