// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A server's side of HTTP/2 for tests: bytes come in and go out, requests are handed out, answers given.

#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

/// Has a server's context choose HTTP/2 where the client offers it.
inline void offer_http2(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(
        context,
        [](SSL *, const unsigned char **out, unsigned char *size, const unsigned char *in, unsigned in_size, void *) {
            const auto *chosen = reinterpret_cast<const unsigned char *>("\x02h2");
            return SSL_select_next_proto(const_cast<unsigned char **>(out), size, chosen, 3, in, in_size) ==
                           OPENSSL_NPN_NEGOTIATED
                       ? SSL_TLSEXT_ERR_OK
                       : SSL_TLSEXT_ERR_NOACK;
        },
        nullptr);
}

class Http2Peer {
public:
    struct Request {
        std::int32_t stream = 0;
        std::string method, path;
        std::string head;  ///< the other headers, each as "name: value\r\n"
        std::string body;
    };

    /// `most`: requests at a time; 0 does not say.
    explicit Http2Peer(std::uint32_t most = 0) : state_(std::make_unique<State>()) {
        nghttp2_session_callbacks *callbacks = nullptr;
        nghttp2_session_callbacks_new(&callbacks);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
        nghttp2_session_server_new(&state_->session, callbacks, state_.get());
        nghttp2_session_callbacks_del(callbacks);
        const nghttp2_settings_entry limit{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, most};
        nghttp2_submit_settings(state_->session, NGHTTP2_FLAG_NONE, &limit, most > 0 ? 1 : 0);
    }

    /// False: this is not HTTP/2, or the connection is over.
    bool put(std::string_view bytes) {
        auto taken = nghttp2_session_mem_recv(state_->session, reinterpret_cast<const std::uint8_t *>(bytes.data()),
                                              bytes.size());
        return taken >= 0 && nghttp2_session_want_read(state_->session);
    }
    std::string take() {
        std::string out;
        const std::uint8_t *bytes = nullptr;
        for (ssize_t n = 0; (n = nghttp2_session_mem_send(state_->session, &bytes)) > 0;)
            out.append(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(n));
        return out;
    }
    std::optional<Request> next() {
        if (state_->whole.empty()) return std::nullopt;
        auto request = std::move(state_->whole.front());
        state_->whole.pop_front();
        return request;
    }
    void answer(std::int32_t stream, int status, const std::string &body, const std::string &retry_after = {}) {
        const std::string code = std::to_string(status);
        std::vector<nghttp2_nv> head{field(":status", code)};
        if (!retry_after.empty()) head.push_back(field("retry-after", retry_after));
        state_->answers[stream] = body;
        const nghttp2_data_provider data{{}, read_answer};
        nghttp2_submit_response(state_->session, stream, head.data(), head.size(), &data);
    }
    /// The head and the first of the body, and no end of it.
    void begin_answer(std::int32_t stream, int status, const std::string &part) {
        state_->unfinished.insert(stream);
        answer(stream, status, part);
    }
    void reset(std::int32_t stream, std::uint32_t code) {
        nghttp2_submit_rst_stream(state_->session, NGHTTP2_FLAG_NONE, stream, code);
    }
    /// Says that it looks at nothing after this stream.
    void go_away(std::int32_t last) {
        nghttp2_submit_goaway(state_->session, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0);
    }
    /// Streams that the client gave up, and its pings.
    const std::vector<std::int32_t> &given_up() const { return state_->given_up; }
    int pings() const { return state_->pings; }

private:
    struct State {
        nghttp2_session *session = nullptr;
        std::map<std::int32_t, Request> begun;
        std::deque<Request> whole;
        std::map<std::int32_t, std::string> answers;
        std::set<std::int32_t> unfinished;  ///< answers without an end
        std::vector<std::int32_t> given_up;
        int pings = 0;
        ~State() { nghttp2_session_del(session); }
    };
    std::unique_ptr<State> state_;

    static State &of(void *self) { return *static_cast<State *>(self); }
    static nghttp2_nv field(std::string_view name, std::string_view value) {
        auto bytes = [](std::string_view text) {
            return const_cast<std::uint8_t *>(reinterpret_cast<const std::uint8_t *>(text.data()));
        };
        return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
    }
    static int on_header(nghttp2_session *, const nghttp2_frame *frame, const std::uint8_t *name, std::size_t name_size,
                         const std::uint8_t *value, std::size_t size, std::uint8_t, void *self) {
        auto &request = of(self).begun[frame->hd.stream_id];
        const std::string key(reinterpret_cast<const char *>(name), name_size),
            text(reinterpret_cast<const char *>(value), size);
        if (key == ":method") request.method = text;
        else if (key == ":path") request.path = text;
        else request.head += key + ": " + text + "\r\n";
        return 0;
    }
    static int on_data(nghttp2_session *, std::uint8_t, std::int32_t id, const std::uint8_t *bytes, std::size_t size,
                       void *self) {
        of(self).begun[id].body.append(reinterpret_cast<const char *>(bytes), size);
        return 0;
    }
    static int on_frame(nghttp2_session *, const nghttp2_frame *frame, void *self) {
        auto &state = of(self);
        if (frame->hd.type == NGHTTP2_PING && !(frame->hd.flags & NGHTTP2_FLAG_ACK)) ++state.pings;
        if (frame->hd.type == NGHTTP2_RST_STREAM) state.given_up.push_back(frame->hd.stream_id);
        const bool whole = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                           (frame->hd.flags & NGHTTP2_FLAG_END_STREAM);
        if (!whole) return 0;
        auto request = std::move(state.begun[frame->hd.stream_id]);
        request.stream = frame->hd.stream_id;
        state.begun.erase(frame->hd.stream_id);
        state.whole.push_back(std::move(request));
        return 0;
    }
    static int on_close(nghttp2_session *, std::int32_t id, std::uint32_t, void *self) {
        of(self).answers.erase(id);
        return 0;
    }
    static ssize_t read_answer(nghttp2_session *, std::int32_t id, std::uint8_t *to, std::size_t room,
                               std::uint32_t *flags, nghttp2_data_source *, void *self) {
        auto &left = of(self).answers[id];
        const bool ends = !of(self).unfinished.contains(id);
        if (left.empty() && !ends) return NGHTTP2_ERR_DEFERRED;
        auto size = std::min(room, left.size());
        std::memcpy(to, left.data(), size);
        left.erase(0, size);
        if (left.empty() && ends) *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(size);
    }
};

}  // namespace berth
