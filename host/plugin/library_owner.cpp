// SPDX-License-Identifier: Apache-2.0
#include "plugin/library_owner.h"

#include "plugin/fault.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

namespace berth::plugin {
namespace {

using env::Descriptor;

std::string system_text() { return std::generic_category().message(errno); }
std::string link_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

/// The C library's users and groups lie in memory that all threads share.
std::mutex &accounts() {
    static std::mutex mutex;
    return mutex;
}

std::string user_text(uid_t uid) {
    const std::scoped_lock lock(accounts());
    const auto *user = ::getpwuid(uid);
    return (user ? std::string(user->pw_name) + " (uid " : "a user without a name (uid ") + std::to_string(uid) + ")";
}

std::string group_text(gid_t gid) {
    const std::scoped_lock lock(accounts());
    const auto *group = ::getgrgid(gid);
    return group ? group->gr_name : "gid " + std::to_string(gid);
}

/// Whether the owner's group is the owner alone, as where every user has a group of the same name. Root's is not
/// counted: on some systems programs of other users run in it.
bool is_private_group(const struct stat &facts) {
    const std::scoped_lock lock(accounts());
    const auto *owner = facts.st_uid ? ::getpwuid(facts.st_uid) : nullptr;
    if (!owner || owner->pw_gid != facts.st_gid) return false;
    std::string name = owner->pw_name;
    const auto *group = ::getgrgid(facts.st_gid);
    if (!group || name != group->gr_name) return false;
    for (char **member = group->gr_mem; *member; ++member)
        if (name != *member) return false;
    return true;
}

/// With an access control list the group's bits are the most that anybody on it may do.
bool has_access_list(int fd) { return ::getxattr(link_of(fd).c_str(), "system.posix_acl_access", nullptr, 0) > 0; }

enum class What { File, Directory, Link };

/// One thing on the way to a file.
struct Step {
    What what;
    std::string path;
    int fd;
    struct stat facts{};

    std::string text() const {
        if (what == What::File) return "the file";
        return (what == What::Directory ? "its directory " : "the symbolic link ") + path;
    }
};

model::Result<void> check(const std::string &file, const Step &step) {
    const auto &facts = step.facts;
    const std::string instead = step.path + "), pin the file's SHA-256, or accept it with --insecure-plugins";
    if (const auto self = ::geteuid(); facts.st_uid != 0 && facts.st_uid != self)
        return fault(file, step.text() + " belongs to " + user_text(facts.st_uid) +
                               ", who could put other code into this process; expected root" +
                               (self == 0 ? "" : " or " + user_text(self)) + " as its owner: take it over (chown " +
                               (step.what == What::Link ? "-h " : "") + "root " + instead);
    if (step.what == What::Link || (step.what == What::Directory && (facts.st_mode & S_ISVTX))) return {};
    const bool everybody = facts.st_mode & S_IWOTH;
    if (!everybody && (!(facts.st_mode & S_IWGRP) || (is_private_group(facts) && !has_access_list(step.fd)))) return {};
    return fault(file, step.text() + " can be written by " +
                           (everybody ? "everybody" : "its group " + group_text(facts.st_gid)) +
                           ", so others can put their code into this process; remove the right (chmod go-w " + instead);
}

/// The components of a path, the last one first.
std::vector<std::string> components_of(std::string_view path) {
    std::vector<std::string> out;
    while (!path.empty()) {
        const auto slash = path.rfind('/');
        const auto name = slash == path.npos ? path : path.substr(slash + 1);
        if (!name.empty() && name != ".") out.emplace_back(name);
        path = slash == path.npos ? std::string_view{} : path.substr(0, slash);
    }
    return out;
}

/// The way to one file, from `/`.
class Walk {
    const std::string &file_;
    Descriptor at_;                   ///< the directory that was reached
    std::vector<std::string> above_;  ///< the names that lead to it
    std::vector<std::string> ahead_;  ///< what is left to go, the next one last
    int links_ = 0;

    model::Error failed() const { return fault(file_, "cannot be opened: " + system_text()); }

    std::string path(const std::string &name = {}) const {
        std::string out;
        for (const auto &one : above_) out += "/" + one;
        if (!name.empty()) out += "/" + name;
        return out.empty() ? "/" : out;
    }

    model::Result<void> enter(Descriptor directory, const std::string &name) {
        Step step{What::Directory, {}, directory.get()};
        if (!directory || ::fstat(directory.get(), &step.facts) != 0) return failed();
        if (name == "/") above_.clear();
        else if (name != "..") above_.push_back(name);
        else if (!above_.empty()) above_.pop_back();
        step.path = path();
        at_ = std::move(directory);
        return check(file_, step);
    }
    model::Result<void> enter_root() { return enter(Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)), "/"); }

    /// What the link says takes its place.
    model::Result<void> follow(const Step &link) {
        constexpr int most = 40;  // as many as the kernel follows
        std::array<char, PATH_MAX> target{};
        const auto size = ::readlinkat(link.fd, "", target.data(), target.size());
        if (size <= 0) return failed();
        errno = ++links_ > most ? ELOOP : static_cast<std::size_t>(size) == target.size() ? ENAMETOOLONG : 0;
        if (errno) return failed();
        const std::string_view text(target.data(), static_cast<std::size_t>(size));
        for (auto &name : components_of(text)) ahead_.push_back(std::move(name));
        return text.front() == '/' ? enter_root() : model::Result<void>{};
    }

    model::Result<Descriptor> open(const std::string &name) {
        // A pipe must not make the scheduler wait.
        Descriptor out(::openat(at_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
        Step step{What::File, path(name), out.get()};
        if (!out || ::fstat(out.get(), &step.facts) != 0) return failed();
        if (!S_ISREG(step.facts.st_mode)) return fault(file_, "is no regular file, expected a plugin library");
        if (auto ok = check(file_, step); !ok) return ok.error();
        return out;
    }

public:
    explicit Walk(const std::string &file) : file_(file) {}

    model::Result<Descriptor> go() {
        std::error_code error;
        const auto absolute = std::filesystem::absolute(file_, error);
        if (error) return fault(file_, "cannot be opened: " + error.message());
        ahead_ = components_of(absolute.string());
        if (auto ok = enter_root(); !ok) return ok.error();
        while (!ahead_.empty()) {
            const auto name = std::move(ahead_.back());
            ahead_.pop_back();
            Descriptor next(::openat(at_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
            Step step{What::Link, path(name), next.get()};
            if (!next || ::fstat(next.get(), &step.facts) != 0) return failed();
            model::Result<void> ok;
            if (S_ISLNK(step.facts.st_mode)) {
                ok = check(file_, step);
                if (ok) ok = follow(step);
            } else if (S_ISDIR(step.facts.st_mode)) {
                ok = enter(std::move(next), name);
            } else if (ahead_.empty()) {
                return open(name);
            } else {
                errno = ENOTDIR;
                return failed();
            }
            if (!ok) return ok.error();
        }
        return fault(file_, "is a directory, expected a plugin library");
    }
};

}  // namespace

model::Result<Descriptor> open_library(const std::string &file) {
    // A pipe must not make the scheduler wait.
    Descriptor out(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!out) return fault(file, "cannot be opened: " + system_text());
    struct stat facts{};
    if (::fstat(out.get(), &facts) != 0) return fault(file, "cannot be read: " + system_text());
    if (S_ISDIR(facts.st_mode)) return fault(file, "is a directory, expected a plugin library");
    if (!S_ISREG(facts.st_mode)) return fault(file, "is no regular file, expected a plugin library");
    return out;
}

model::Result<Descriptor> open_owned_library(const std::string &file) { return Walk(file).go(); }

std::string real_path(int fd, const std::string &otherwise) {
    std::error_code error;
    auto path = std::filesystem::read_symlink(link_of(fd), error);
    return error ? otherwise : path.string();
}

}  // namespace berth::plugin
