// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "env/sha256.h"

#include <sys/mman.h>
#include <unistd.h>
#include <string>

namespace env = berth::env;

namespace {

std::string digest_of(const std::string &content) {
    int fd = ::memfd_create("content", MFD_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    auto digest = env::sha256_of(fd);
    CHECK(::lseek(fd, 0, SEEK_CUR) == static_cast<off_t>(content.size()));
    ::close(fd);
    REQUIRE(digest);
    return *digest;
}

}  // namespace

TEST_CASE("sha256: the digests of FIPS 180-4's examples", "[env]") {
    CHECK(digest_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(digest_of(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: what cannot be read is an error", "[env]") {
    auto digest = env::sha256_of(-1);
    REQUIRE_FALSE(digest);
    CHECK(digest.error().text == "Bad file descriptor");
}
