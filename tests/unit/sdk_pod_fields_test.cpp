// SPDX-License-Identifier: Apache-2.0
// Every field of BERTH_POD_FIELDS, a new one too: read from a document by Berth and by the testing kit, shown by the
// C++ view, copied and spoilt by the strict checks.
#include "plugin/guarded_memory.h"
#include "unit/object_text.h"

#include <berth/plugin.hpp>
#include <berth/testing.hpp>
#include <berth/view/pod_fields.hpp>

using namespace berth;
using berth::detail::each_pod_field, berth::detail::Plain, berth::detail::PodField, berth::detail::PodList;

namespace {

constexpr std::string_view time_text = "2026-01-01T00:00:05Z";

/// What a document says, and the field of it.
std::string text_for(const PodField<berth_str> &) { return "tide"; }
template <class T>
std::string text_for(const PodField<T> &field) {
    return field.is_time() ? '"' + std::string(time_text) + '"' : "41";
}
bool says_so(const PodField<berth_str> &field, const berth_pod &pod) { return view(pod.*field.at) == "tide"; }
template <class T>
bool says_so(const PodField<T> &field, const berth_pod &pod) {
    return pod.*field.at == static_cast<T>(field.is_time() ? parse_time(time_text).value() : 41);
}

/// A pod with `value` at `path`, as in "spec.a.b".
std::string document(std::string_view path, const std::string &value) {
    std::string end, braces;
    const auto part = path.substr(0, path.find('.'));
    for (auto rest = path.substr(part.size() + 1); !rest.empty();) {
        const auto name = rest.substr(0, rest.find('.'));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        end += std::string(name) + ": " + (rest.empty() ? value : "{");
        if (!rest.empty()) braces += '}';
    }
    end += braces;
    std::string out = "apiVersion: v1\nkind: Pod\n";
    for (std::string_view each : {"metadata", "spec", "status"}) {
        out += std::string(each) + ": {" + (each == "metadata" ? "name: web" : "");
        if (each == part) out += std::string(each == "metadata" ? ", " : "") + end;
        out += "}\n";
    }
    return out;
}

/// Calls fn(field) for those that a document gives.
template <class Fn>
void each_with_path(Fn &&fn) {
    const auto plain = [&]<Plain T>(const PodField<T> &field) {
        if (!field.path.empty()) fn(field);
    };
    each_pod_field([&](const auto &field) {
        if constexpr (requires { plain(field); }) plain(field);
    });
}

/// A pod with another value in each field.
struct Filled {
    berth_resources resources[8]{};
    berth_label labels[1]{{BERTH_STR("app"), BERTH_STR("web")}};
    berth_toleration tolerations[1]{{BERTH_STR("k"), BERTH_STR("Equal"), BERTH_STR("v"), BERTH_STR("NoSchedule")}};
    berth_pod_image images[1]{{BERTH_STR("nginx"), BERTH_IMAGE_VOLUME, 0}};
    berth_port ports[1]{{BERTH_STR("TCP"), BERTH_STR("0.0.0.0"), 80, 0}};
    berth_pod pod{};
    int made = 0;

    Filled() {
        pod.struct_size = sizeof pod;
        each_pod_field([&](const auto &field) { fill(field); });
    }
    void fill(const PodField<berth_str> &f) { pod.*f.at = {f.name.data(), f.name.size()}; }
    void fill(const PodField<const berth_resources *> &f) {
        resources[made].cpu = made + 1;
        pod.*f.at = &resources[made++];
    }
    template <class T>
    void fill(const PodField<T> &f) {
        pod.*f.at = static_cast<T>(f.offset);
    }
    void fill(const PodList<berth_label> &f) { fill(f, labels); }
    void fill(const PodList<berth_toleration> &f) { fill(f, tolerations); }
    void fill(const PodList<berth_pod_image> &f) { fill(f, images); }
    void fill(const PodList<berth_port> &f) { fill(f, ports); }
    template <class T>
    void fill(const PodList<T> &f, const T (&list)[1]) {
        pod.*f.at = list;
        pod.*f.size = 1;
    }
};

bool same(std::string_view shown, const berth_str &raw) { return shown == view(raw); }
bool same(const berth_resources &shown, const berth_resources *raw) { return &shown == raw; }
bool same(std::int64_t shown, std::int64_t raw) { return shown == raw; }

bool none(std::string_view shown) { return shown.empty(); }
bool none(const berth_resources &shown) { return shown.cpu == 0 && shown.scalars_len == 0; }
bool none(std::int64_t shown) { return shown == 0; }

}  // namespace

TEST_CASE("pod fields: Berth and the testing kit read each from its place, and Berth refuses another type", "[sdk]") {
    int read = 0;
    each_with_path([&](const auto &field) {
        INFO(std::string(field.name));
        const auto yaml = document(field.path, text_for(field));
        CHECK(says_so(field, pod_of(yaml)->view));
        const testing::Cluster cluster(yaml);
        CHECK(says_so(field, *cluster.pod("web")));

        const auto faults = faults_of(model::read_pod, document(field.path, "[1]"));
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].starts_with(std::string(field.path) + ": expected "));
        const auto absent = pod_of("{apiVersion: v1, kind: Pod, metadata: {name: web}}");
        CHECK_FALSE(says_so(field, absent->view));
        ++read;
    });
    CHECK(read >= 3);
}

TEST_CASE("pod fields: pods of one template have those of its spec", "[sdk]") {
    each_with_path([&](const auto &field) {
        if (!field.path.starts_with("spec.")) return;
        INFO(std::string(field.name));
        const auto tree = tree_of(document(field.path, text_for(field)));
        const auto spec = model::read_pod_spec(tree->value()["spec"]);
        REQUIRE(spec);
        const auto pod = model::read_pod_of(spec.get(), tree, no_faults);
        REQUIRE(pod);
        CHECK(says_so(field, pod->view));
    });
}

TEST_CASE("pod fields: the view shows each, and none that an older host does not have", "[sdk]") {
    Filled filled;
    const Pod pod(&filled.pod, nullptr);
    const auto at_the_end_of = [&](std::size_t size) {
        filled.pod.struct_size = static_cast<std::uint32_t>(size);
        return pod;
    };
#define BERTH_TEST_FIELD(field, accessor, path)                                 \
    CHECK(same(at_the_end_of(sizeof(berth_pod)).accessor(), filled.pod.field)); \
    CHECK(none(at_the_end_of(offsetof(berth_pod, field)).accessor()));
#define BERTH_TEST_LIST(field)                                                        \
    CHECK(at_the_end_of(sizeof(berth_pod)).field().data() == filled.pod.field);       \
    CHECK(at_the_end_of(sizeof(berth_pod)).field().size() == filled.pod.field##_len); \
    CHECK(at_the_end_of(offsetof(berth_pod, field##_len)).field().empty());
#define BERTH_TEST_NONE(field)
    BERTH_POD_FIELDS(BERTH_TEST_FIELD, BERTH_TEST_LIST, BERTH_TEST_NONE)
#undef BERTH_TEST_FIELD
#undef BERTH_TEST_LIST
#undef BERTH_TEST_NONE
}

TEST_CASE("pod fields: the strict checks lend a copy of each, and spoil it after the call", "[sdk]") {
    Filled filled;
    plugin::GuardedMemory memory;
    const berth_pod &copy = *plugin::copy_pod(memory, filled.pod);
    const berth_pod spoilt = plugin::poisoned_pod();
    each_pod_field([&](const auto &field) {
        INFO(std::string(field.name));
        using T = std::remove_cvref_t<decltype(copy.*field.at)>;
        if constexpr (requires { field.size; }) {
            CHECK(memory.holds(copy.*field.at));
            CHECK(copy.*field.size == 1);
            CHECK(spoilt.*field.size == 0);
            CHECK(plugin::is_poison(spoilt.*field.at));
        } else if constexpr (std::is_same_v<T, berth_str>) {
            CHECK(view(copy.*field.at) == view(filled.pod.*field.at));
            CHECK(memory.holds((copy.*field.at).ptr));
            REQUIRE((spoilt.*field.at).len < 100);
            CHECK(view(spoilt.*field.at) == "(kept from an earlier call)");
        } else if constexpr (std::is_pointer_v<T>) {
            CHECK((copy.*field.at)->cpu == (filled.pod.*field.at)->cpu);
            CHECK(memory.holds(copy.*field.at));
            CHECK(plugin::is_poison(spoilt.*field.at));
        } else {
            CHECK(copy.*field.at == filled.pod.*field.at);
            CHECK(spoilt.*field.at != filled.pod.*field.at);
        }
    });
    // And what the items point to.
    CHECK(memory.holds(copy.labels[0].value.ptr));
    CHECK(memory.holds(copy.tolerations[0].effect.ptr));
    CHECK(memory.holds(copy.images[0].name.ptr));
    CHECK(copy.images[0].use == BERTH_IMAGE_VOLUME);
    CHECK(memory.holds(copy.host_ports[0].ip.ptr));
    CHECK(copy.host_ports[0].port == 80);
}
