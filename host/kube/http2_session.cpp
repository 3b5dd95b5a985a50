// SPDX-License-Identifier: Apache-2.0
#include "kube/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <unordered_map>
#include <utility>

namespace berth::kube {
namespace {

/// At a time; a server may allow fewer. A busy server serves its connections in turn, so a scheduler with a single
/// connection for all its requests would wait behind every other client.
constexpr std::uint32_t most_streams = 8;
/// What a server may send of one answer, and of all, before it must hear that some was read: pages of lists are large.
constexpr std::int32_t window = 1 << 20, all_windows = 4 << 20;

/// Bytes that are ready to be sent. What is more waits with nghttp2, which refuses a server that asks for a thousand
/// acknowledgements (SETTINGS, PING) or resets and takes none.
constexpr std::size_t most_ready = 64 << 10;

void check(int result) {
    if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
}

nghttp2_nv field(std::string_view name, std::string_view value) {
    auto bytes = [](std::string_view text) {
        return const_cast<std::uint8_t *>(reinterpret_cast<const std::uint8_t *>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

struct Http2Session::Stream {
    Exchange exchange;
    Clock::time_point last_sign;
    std::size_t sent = 0;   ///< bytes of the body
    std::size_t head = 0;   ///< bytes of the answer's headers, so far
    bool whole = false;     ///< the answer
    std::string why_not{};  ///< the rest of the body may not be sent; empty: it may
    HttpAnswer answer{};
};

/// What nghttp2 calls, and what it knows of streams.
struct Http2Session::Frames {
    const ServerAddress &server;
    nghttp2_session *session = nullptr;
    std::vector<Stream> submitted;  ///< no byte of them is made yet
    std::unordered_map<std::int32_t, Stream> streams;
    std::vector<Answered> answered;
    std::string out;         ///< to be sent
    const char *fault = "";  ///< what nghttp2 has against the server; empty: nothing

    explicit Frames(const ServerAddress &where) : server(where) {
        nghttp2_session_callbacks *callbacks = nullptr;
        check(nghttp2_session_callbacks_new(&callbacks));
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
        int made = nghttp2_session_client_new(&session, callbacks, this);
        nghttp2_session_callbacks_del(callbacks);
        check(made);
        const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                                   {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window}};
        check(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings)));
        check(nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, all_windows));
    }
    ~Frames() { nghttp2_session_del(session); }
    Frames(const Frames &) = delete;
    Frames &operator=(const Frames &) = delete;

    static Frames &of(void *self) { return *static_cast<Frames *>(self); }
    Stream *find(std::int32_t id) {
        auto at = streams.find(id);
        return at == streams.end() ? nullptr : &at->second;
    }
    void write() {
        const std::uint8_t *bytes = nullptr;
        for (ssize_t size = 0; out.size() < most_ready && (size = nghttp2_session_mem_send(session, &bytes)) > 0;)
            out.append(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(size));
    }
    void begin(Stream stream);
    void finish(std::int32_t id, HttpAnswer answer) {
        auto stream = streams.extract(id);
        answered.push_back({std::move(stream.mapped().exchange.done), std::move(answer)});
    }

    static int on_header(nghttp2_session *, const nghttp2_frame *frame, const std::uint8_t *name, std::size_t name_size,
                         const std::uint8_t *value, std::size_t size, std::uint8_t, void *self) {
        auto *stream = of(self).find(frame->hd.stream_id);
        if (!stream) return 0;
        stream->head += name_size + size;
        if (stream->head > most_of_head) {
            of(self).finish(frame->hd.stream_id,
                            {0, too_large(of(self).server.authority, "headers", most_of_head), false, 0});
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
        }
        const std::string_view key(reinterpret_cast<const char *>(name), name_size);
        const auto *text = reinterpret_cast<const char *>(value);
        if (key == ":status") std::from_chars(text, text + size, stream->answer.status);
        if (key == "retry-after") std::from_chars(text, text + size, stream->answer.retry_after_s);
        return 0;
    }
    static int on_data(nghttp2_session *session, std::uint8_t, std::int32_t id, const std::uint8_t *bytes,
                       std::size_t size, void *self) {
        auto *stream = of(self).find(id);
        if (!stream) return 0;
        if (const auto most = stream->exchange.request.most_bytes; stream->answer.body.size() + size > most) {
            of(self).finish(id, {0, too_large(of(self).server.authority, "an answer", most), false, 0, true});
            check(nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL));
            return 0;
        }
        stream->last_sign = Clock::now();
        stream->answer.body.append(reinterpret_cast<const char *>(bytes), size);
        return 0;
    }
    static int on_frame(nghttp2_session *, const nghttp2_frame *frame, void *self) {
        const bool ends = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                          (frame->hd.flags & NGHTTP2_FLAG_END_STREAM);
        if (auto *stream = ends ? of(self).find(frame->hd.stream_id) : nullptr) stream->whole = true;
        return 0;
    }
    static int on_close(nghttp2_session *, std::int32_t id, std::uint32_t code, void *self) {
        auto *stream = of(self).find(id);
        if (!stream) return 0;
        // Without the end of its body no server carries a request out.
        if (!stream->why_not.empty()) of(self).finish(id, {0, stream->why_not, true, 0});
        else if (code == NGHTTP2_NO_ERROR && stream->whole) of(self).finish(id, std::move(stream->answer));
        // RFC 9113, 8.7: such a request was not looked at. A server that has begun to answer has processed it.
        else if (code == NGHTTP2_REFUSED_STREAM && stream->answer.status == 0)
            of(self).finish(id, {0, "the server refused the stream", true, 0});
        else
            of(self).finish(
                id, {0, std::string("the server broke the stream off: ") + nghttp2_http2_strerror(code), false, 0});
        return 0;
    }
    /// We go away when the server says what it may not.
    static int on_sent(nghttp2_session *, const nghttp2_frame *frame, void *self) {
        if (frame->hd.type == NGHTTP2_GOAWAY) of(self).fault = nghttp2_http2_strerror(frame->goaway.error_code);
        return 0;
    }
    static ssize_t read_body(nghttp2_session *, std::int32_t id, std::uint8_t *to, std::size_t room,
                             std::uint32_t *flags, nghttp2_data_source *, void *self) {
        auto *stream = of(self).find(id);
        if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        // It may have waited until the server took more.
        stream->why_not = stream->exchange.why_not();
        if (!stream->why_not.empty()) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        const std::string &body = stream->exchange.request.body;
        auto size = body.copy(reinterpret_cast<char *>(to), room, stream->sent);
        stream->sent += size;
        if (stream->sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(size);
    }
};

Http2Session::Http2Session(const ServerAddress &server) : frames_(std::make_unique<Frames>(server)) {}
Http2Session::~Http2Session() = default;

std::size_t Http2Session::room() const {
    if (!nghttp2_session_check_request_allowed(frames_->session)) return 0;
    auto limit = std::min(
        most_streams, nghttp2_session_get_remote_settings(frames_->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS));
    return limit - std::min<std::size_t>(limit, under_way());
}

std::size_t Http2Session::under_way() const { return frames_->streams.size() + frames_->submitted.size(); }

void Http2Session::submit(Exchange exchange, Clock::time_point now) {
    frames_->submitted.push_back({std::move(exchange), now});
}

void Http2Session::Frames::begin(Stream stream) {
    auto &exchange = stream.exchange;
    if (auto why = exchange.why_not(); !why.empty()) {
        answered.push_back({std::move(exchange.done), {0, std::move(why), true, 0}});
        return;
    }
    const auto &request = exchange.request;
    const std::string path = server.path + request.path;
    const std::string length = std::to_string(request.body.size());
    const std::string bearer = exchange.token.empty() ? "" : "Bearer " + exchange.token;
    std::vector<nghttp2_nv> head{field(":method", request.method),      field(":scheme", "https"),
                                 field(":authority", server.authority), field(":path", path),
                                 field("accept", request.accept),       field("user-agent", "berth")};
    if (!bearer.empty()) head.push_back(field("authorization", bearer));
    if (!request.body.empty() || request.method != "GET") {
        if (!request.content_type.empty()) head.push_back(field("content-type", request.content_type));
        head.push_back(field("content-length", length));
    }
    const nghttp2_data_provider body{{}, Frames::read_body};
    auto id = nghttp2_submit_request(session, nullptr, head.data(), head.size(), request.body.empty() ? nullptr : &body,
                                     nullptr);
    check(id);
    if (id > 0) streams.emplace(id, std::move(stream));
    else answered.push_back({std::move(exchange.done), {0, nghttp2_strerror(id), true, 0}});
}

model::Result<void> Http2Session::put(std::string_view bytes) {
    auto read =
        nghttp2_session_mem_recv(frames_->session, reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
    auto is_none = [](const char *why) {
        return model::Error{std::string("the server's answer is not HTTP/2: ") + why};
    };
    if (read == NGHTTP2_ERR_FLOODED)
        return model::Error{"the server " + frames_->server.authority +
                            " asked for more than 1000 acknowledgements and took none"};
    if (read < 0) return is_none(nghttp2_strerror(static_cast<int>(read)));
    frames_->write();
    if (*frames_->fault) return is_none(frames_->fault);
    if (!nghttp2_session_want_read(frames_->session)) return model::Error{"the server asked for it"};
    return {};
}

void Http2Session::take(std::string &out) {
    for (auto &stream : std::exchange(frames_->submitted, {})) frames_->begin(std::move(stream));
    frames_->write();
    out.swap(frames_->out);  // so that both keep their room
    frames_->out.clear();
}

std::vector<Http2Session::Answered> Http2Session::answered() { return std::exchange(frames_->answered, {}); }

void Http2Session::ping() { check(nghttp2_submit_ping(frames_->session, NGHTTP2_FLAG_NONE, nullptr)); }

void Http2Session::give_up(Clock::time_point now, const std::string &why) {
    auto is_old = [&](const Stream &stream) {
        return now - stream.last_sign > stream.exchange.request.patience || stream.exchange.is_late(now);
    };
    for (auto &stream : frames_->submitted)
        if (is_old(stream)) frames_->answered.push_back({std::move(stream.exchange.done), {0, why, true, 0}});
    std::erase_if(frames_->submitted, is_old);
    std::vector<std::int32_t> old;
    for (const auto &[id, stream] : frames_->streams)
        if (is_old(stream)) old.push_back(id);
    for (auto id : old) {
        check(nghttp2_submit_rst_stream(frames_->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL));
        frames_->finish(id, {0, why, false, 0});
    }
}

}  // namespace berth::kube
