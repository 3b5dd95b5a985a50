// SPDX-License-Identifier: Apache-2.0
// What plugins prepare of objects is made once per version and dropped with it.
#include "fake_plugin.h"
#include "plugin/prepared.h"

using namespace berth;

namespace {

/// Prepares the count of what it has prepared before.
struct Preparer {
    int made = 0, dropped = 0;
    bool fails = false;
    plugin::PreparedObjects objects;

    Preparer() {
        static const berth_plugin_prepare table{sizeof(berth_plugin_prepare), 0,
                                                [](void *self, const berth_object *, void **out, berth_status *status) {
                                                    auto &p = *static_cast<Preparer *>(self);
                                                    if (p.fails) *out = self;  // nobody's to drop
                                                    if (p.fails) return fail_with(status, "no");
                                                    *out = new int(p.made++);
                                                },
                                                [](void *self, void *data) {
                                                    ++static_cast<Preparer *>(self)->dropped;
                                                    delete static_cast<int *>(data);
                                                }};
        objects.begin(&table, this);
    }
    ~Preparer() { objects.end(); }
    Preparer(const Preparer &) = delete;
    Preparer &operator=(const Preparer &) = delete;

    int get(const model::Object &object) {
        void *out = nullptr;
        return objects.get(object, &out) == BERTH_STATUS_SUCCESS ? *static_cast<int *>(out) : -1;
    }
};

}  // namespace

TEST_CASE("prepared: once per version, of which an assumed copy is one", "[plugin]") {
    Preparer p;
    auto a = plain_pod("a"), b = plain_pod("b"), again = plain_pod("a");
    CHECK(p.get(*a) == 0);
    CHECK(p.get(*b) == 1);
    CHECK(p.get(*a) == 0);
    CHECK(p.get(*model::assumed_copy(a, "n1")) == 0);
    CHECK(p.get(*again) == 2);
    p.fails = true;
    auto c = plain_pod("c");
    CHECK(p.get(*c) == -1);
    REQUIRE(p.objects.texts().size() == 1);
    CHECK(text(p.objects.texts()[0]) == "no");
    CHECK(p.dropped == 0);
    CHECK(p.get(*a) == 0);
    CHECK(p.objects.texts().empty());
    p.fails = false;
    CHECK(p.get(*c) == 3);
}

// promise(tenant): The memory for plugins' prepared data of removed pods is bounded by the size of the existing pods.
TEST_CASE("prepared: data of large removed pods are dropped before there are many of them", "[plugin]") {
    Preparer p;
    constexpr std::size_t small_ones = 1000, large_ones = 100, kilobytes = 256;
    std::vector<model::PodPtr> kept;
    for (std::size_t i = 0; i < small_ones; ++i) p.get(*kept.emplace_back(plain_pod("kept")));
    const auto large = ", annotations: {x: " + std::string(kilobytes << 10, 'x') + "}";
    for (std::size_t i = 0; i < large_ones; ++i) p.get(*plain_pod("p", large));
    // At most as many bytes as those that are there have, or a megabyte.
    CHECK(p.objects.size() < small_ones + 50);
    CHECK(p.get(*kept.front()) == 0);
}

TEST_CASE("prepared: what is gone is dropped, and everything at the end", "[plugin]") {
    Preparer p;
    constexpr int many = 5000;
    auto kept = plain_pod("kept");
    CHECK(p.get(*kept) == 0);
    for (int i = 0; i < many; ++i) p.get(*plain_pod("p"));
    constexpr std::size_t few = 100;
    CHECK(p.objects.size() < few);
    CHECK(p.dropped > many - static_cast<int>(few));
    CHECK(p.get(*kept) == 0);
    p.objects.end();
    CHECK(p.dropped == p.made);
    void *out = nullptr;
    CHECK(p.objects.get(*kept, &out) == BERTH_STATUS_UNSUPPORTED);
}
