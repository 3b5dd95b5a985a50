// SPDX-License-Identifier: Apache-2.0
#include "env/memory.h"

#include "test_directory.h"

using namespace berth;

namespace {

struct System : TestDirectory {
    void put(const std::string &name, const std::string &text) const {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream(path / name) << text;
    }
    std::optional<env::GroupMemory> memory() const { return env::group_memory(path.string()); }
};

void check(const std::optional<env::GroupMemory> &memory, std::uint64_t limit, std::uint64_t used, std::uint64_t free) {
    REQUIRE(memory);
    CHECK(memory->limit == limit);
    CHECK(memory->used == used);
    CHECK(memory->free == free);
}

}  // namespace

TEST_CASE("memory: a container with cgroup v2 sees its own group at the mount", "[env]") {
    System system;
    system.put("proc/self/cgroup", "0::/\n");
    system.put("proc/self/mountinfo",
               "1 0 0:1 / / rw - overlay overlay rw\n"
               "31 23 0:28 / /sys/fs/cgroup ro,nosuid shared:9 master:3 - cgroup2 cgroup rw,nsdelegate\n");
    CHECK_FALSE(system.memory());
    system.put("sys/fs/cgroup/memory.max", "max\n");
    system.put("sys/fs/cgroup/memory.current", "300\n");
    CHECK_FALSE(system.memory());
    system.put("sys/fs/cgroup/memory.max", "1000\n");
    check(system.memory(), 1000, 300, 700);
    system.put("sys/fs/cgroup/memory.stat", "anon 150\ninactive_file 120\nactive_file 30\n");
    check(system.memory(), 1000, 180, 820);
    // More than the limit may be in use for a moment, and the files are not read at the same instant.
    system.put("sys/fs/cgroup/memory.current", "1200\n");
    system.put("sys/fs/cgroup/memory.stat", "inactive_file 0\n");
    check(system.memory(), 1000, 1200, 0);
    system.put("sys/fs/cgroup/memory.stat", "inactive_file 5000\n");
    check(system.memory(), 1000, 0, 1000);
}

TEST_CASE("memory: groups above count too, the narrowest limit and the least that is left", "[env]") {
    System system;
    system.put("proc/self/cgroup", "0::/system.slice/berth.service/worker\n");
    system.put("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    const std::string slice = "sys/fs/cgroup/system.slice/", service = slice + "berth.service/";
    system.put(service + "worker/memory.max", "max\n");
    system.put(service + "worker/memory.current", "100\n");
    system.put(service + "memory.max", "1000\n");
    system.put(service + "memory.current", "400\n");
    check(system.memory(), 1000, 400, 600);
    system.put(slice + "memory.max", "5000\n");
    system.put(slice + "memory.current", "4800\n");
    check(system.memory(), 1000, 400, 200);
}

TEST_CASE("memory: cgroup v1, in the host's namespace, in a container's, and beside an empty v2", "[env]") {
    System system;
    const std::string pod = "/kubepods/pod1/ctr";
    system.put("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:" + pod + "\n3:cpuset:/\n0::/\n");
    system.put("proc/self/mountinfo",
               "33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
               "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,cpu,memory\n"
               "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
    const std::string top = "sys/fs/cgroup/memory";
    auto group = [&](const std::string &folder, const char *limit, const char *usage) {
        system.put(folder + "/memory.limit_in_bytes", limit);
        system.put(folder + "/memory.usage_in_bytes", usage);
        system.put(folder + "/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n");
    };
    group(top, "9223372036854771712\n", "100000\n");
    CHECK_FALSE(system.memory());
    group(top + pod, "1000\n", "250\n");
    check(system.memory(), 1000, 200, 800);
    // A container's mount shows its own group.
    system.put("proc/self/mountinfo", "35 31 0:32 " + pod + " /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    group(top, "700\n", "150\n");
    check(system.memory(), 700, 100, 600);
    // Of a sibling nothing is seen there.
    system.put("proc/self/cgroup", "4:memory:" + pod + "-other/below\n");
    check(system.memory(), 700, 100, 600);
    // Or the path is seen from a namespace below.
    system.put("proc/self/cgroup", "4:memory:/../other\n");
    check(system.memory(), 700, 100, 600);
}

TEST_CASE("memory: what this process has", "[env]") {
    CHECK(env::process_memory().resident > 1 << 20);
    CHECK(env::process_memory(TestDirectory{}.path.string()).resident == 0);
    System system;
    system.put("proc/self/statm", "5000 300 200 100 0 400 0\n");
    const auto memory = env::process_memory(system.path.string());
    CHECK(memory.resident / memory.files * 2 == 2);
    CHECK(memory.resident % 300 == 0);
    CHECK(memory.files * 3 == memory.resident * 2);
}
