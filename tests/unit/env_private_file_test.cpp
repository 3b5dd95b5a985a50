// SPDX-License-Identifier: Apache-2.0
#include "env/private_file.h"
#include "report/decision_log.h"
#include "test_directory.h"

#include <sys/stat.h>

using namespace berth;

namespace {

/// Everybody may do everything with what is made meanwhile.
struct LooseUmask {
    mode_t before = ::umask(0);
    LooseUmask() = default;
    ~LooseUmask() { ::umask(before); }
    LooseUmask(const LooseUmask &) = delete;
    LooseUmask &operator=(const LooseUmask &) = delete;
};

unsigned mode_of(const std::string &file) {
    constexpr unsigned permissions = 07777;
    struct stat facts{};
    REQUIRE(::stat(file.c_str(), &facts) == 0);
    return facts.st_mode & permissions;
}

}  // namespace

// promise(user): A file with complete objects (a log of decisions, a saved scenario) is readable by its owner only,
// regardless of the umask.
TEST_CASE("private file: only its owner can read what is made, whatever the umask", "[env]") {
    const LooseUmask loose;
    const TestDirectory dir;
    {
        auto file = env::open_private(dir.file("made"));
        REQUIRE(file);
        *file << "secret";
    }
    CHECK(mode_of(dir.file("made")) == 0600);
    CHECK(content_of(dir.file("made")) == "secret");
    std::filesystem::create_symlink(dir.file("behind"), dir.path / "link");
    CHECK(env::open_private(dir.file("link")));
    CHECK(mode_of(dir.file("behind")) == 0600);
    report::DecisionLog log;
    REQUIRE(log.open(dir.file("decisions"), model::Detail::Events));
    REQUIRE(log.finish());
    CHECK(mode_of(dir.file("decisions")) == 0600);
}

TEST_CASE("private file: one that is there is replaced and keeps its mode; one that cannot be made says why", "[env]") {
    const TestDirectory dir;
    const auto there = dir.write("there", "something longer");
    {
        auto file = env::open_private(there);
        REQUIRE(file);
        *file << "short";
    }
    CHECK(mode_of(there) == 0755);
    CHECK(content_of(there) == "short");
    auto nowhere = env::open_private(dir.file("nowhere/file"));
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().text == "No such file or directory");
    CHECK_FALSE(env::open_private(dir.path.string()));
}
