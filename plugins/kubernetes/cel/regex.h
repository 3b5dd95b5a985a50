// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Regular expressions of CEL's matches, bounded in memory.

#include "value.h"

#include <re2/re2.h>

#include <memory>
#include <string>

namespace kubernetes::cel {

/// A compiled regular expression, bounded in memory.
class Regex {
    std::unique_ptr<re2::RE2> compiled_;
    std::size_t size_ = 0;  ///< of the pattern or its program
    std::size_t bytes_ = 0;

public:
    /// With Go's text if it is none.
    static std::string compile(Work &work, const std::string &pattern, Regex &into);
    /// The same of one that is kept, in less memory if its program has room there.
    static std::string compile_to_keep(Work &work, const std::string &pattern, Regex &into);

    /// Of memory, at most: a search adds to it.
    std::size_t bytes() const { return bytes_; }

    bool matches(Work &work, const std::string &text) const;
    std::string find(Work &work, const std::string &text) const;
    std::vector<Value> find_all(Work &work, const std::string &text, std::int64_t most) const;

private:
    static std::string compile(Work &work, const std::string &pattern, Regex &into, std::int64_t memory);
    void charge_search(Work &work, std::size_t bytes) const;
};

}  // namespace kubernetes::cel
