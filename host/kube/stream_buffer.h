// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A stream buffer of cpprestsdk that passes each piece of a body to a function.

#include <cpprest/astreambuf.h>

#include <functional>
#include <string_view>

namespace berth::kube {

/// Write-only. cpprestsdk ends the process over an exception that leaves a stream buffer, so a write never throws:
/// `take` is noexcept.
class StreamBuffer : public concurrency::streams::details::streambuf_state_manager<std::uint8_t> {
    using Base = concurrency::streams::details::streambuf_state_manager<std::uint8_t>;
    using Take = std::function<void(std::string_view)>;
    Take take_;

public:
    explicit StreamBuffer(Take take) : Base(std::ios_base::out), take_(std::move(take)) {}

    bool can_seek() const override { return false; }
    bool has_size() const override { return false; }
    std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
    void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
    std::size_t in_avail() const override { return 0; }
    pos_type getpos(std::ios_base::openmode) const override { return static_cast<pos_type>(traits::eof()); }
    pos_type seekpos(pos_type, std::ios_base::openmode) override { return static_cast<pos_type>(traits::eof()); }
    pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
        return static_cast<pos_type>(traits::eof());
    }
    bool acquire(std::uint8_t *&, std::size_t &) override { return false; }
    void release(std::uint8_t *, std::size_t) override {}

protected:
    pplx::task<int_type> _putc(std::uint8_t c) override {
        give(&c, 1);
        return pplx::task_from_result<int_type>(c);
    }
    pplx::task<std::size_t> _putn(const std::uint8_t *bytes, std::size_t n) override {
        give(bytes, n);
        return pplx::task_from_result<std::size_t>(n);
    }
    pplx::task<int_type> _bumpc() override { return nothing(); }
    int_type _sbumpc() override { return traits::eof(); }
    pplx::task<int_type> _getc() override { return nothing(); }
    int_type _sgetc() override { return traits::eof(); }
    pplx::task<int_type> _nextc() override { return nothing(); }
    pplx::task<int_type> _ungetc() override { return nothing(); }
    pplx::task<std::size_t> _getn(std::uint8_t *, std::size_t) override {
        return pplx::task_from_result<std::size_t>(0);
    }
    std::size_t _scopy(std::uint8_t *, std::size_t) override { return 0; }
    pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
    std::uint8_t *_alloc(std::size_t) override { return nullptr; }
    void _commit(std::size_t) override {}

private:
    void give(const std::uint8_t *bytes, std::size_t n) noexcept { take_({reinterpret_cast<const char *>(bytes), n}); }
    static pplx::task<int_type> nothing() { return pplx::task_from_result<int_type>(traits::eof()); }
};

}  // namespace berth::kube
