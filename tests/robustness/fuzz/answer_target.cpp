// SPDX-License-Identifier: Apache-2.0
// A whole HTTP answer; its body is read as everything that Berth asks for.
#include "target.h"

#include "decode/document.h"
#include "decode/wire.h"
#include "decode/write.h"
#include "kube/answer_parser.h"
#include "kube/extender_json.h"
#include "kube/lease.h"

#include <boost/asio/buffer.hpp>

namespace berth::fuzz {
namespace {

void as_lease(const std::string &body) {
    const kube::LeaseName name{"kube-system", "berth"};
    const auto lease = kube::read_lease(body);
    if (!lease) return promise(!lease.error().text.empty(), "a refusal says why");
    const auto again = kube::read_lease(kube::lease_json(name, lease->record, lease->object));
    promise(again.ok() && again->record == lease->record, "a lease that was written is read again");
    (void)kube::leader_event_json(name, lease->object, "m", "berth", 0);
}

template <class T>
void check(const model::Result<T> &result) {
    promise(result.ok() || !result.error().text.empty(), "a refusal says why");
}

void as_everything(const std::string &body) {
    as_lease(body);
    check(kube::read_filter_result(body, true));
    check(kube::read_filter_result(body, false));
    check(kube::read_host_priorities(body));
    check(kube::read_preemption_result(body));
    check(kube::read_binding_result(body));
    (void)decode::status_message(body);
    const auto page = decode::WireReader().list_page(body, "v1", "Pod");
    check(page);
    if (!page) return;
    for (const auto &item : page->items) {
        if (!item.fault.empty()) continue;
        const auto json = decode::to_json(item.tree->value());
        const auto again = decode::read_api_json(json);
        promise(again.ok(), "what was written is read again");
        promise(decode::to_json((*again)->value()) == json, "and is the same");
    }
}

/// What has been read of an answer.
struct Reading {
    kube::HttpAnswer answer;
    std::string streamed;
    bool head = false, done = false, failed = false;

    /// The body, wherever it went: of a stream that is an answer 200 into the stream, else into the answer.
    const std::string &body(bool stream) const { return stream && answer.status == 200 ? streamed : answer.body; }
};

/// Gives the parser the bytes in pieces of that size.
Reading read(std::string_view left, std::size_t piece, bool stream) {
    Reading out;
    const kube::Transport::Data data = [&](std::string_view more) { out.streamed += more; };
    const kube::Transport::Data none;
    kube::AnswerParser parser(out.answer, stream ? data : none);
    boost::system::error_code error;
    for (std::size_t given = 0; !parser.is_done() && !error && given < left.size();) {
        given = std::min(left.size(), given + piece);
        const auto taken = parser.put(boost::asio::buffer(left.data(), given), error);
        if (error == boost::beast::http::error::need_more) error = {};
        left.remove_prefix(taken);
        given -= taken;
    }
    out.head = parser.is_header_done();
    out.done = parser.is_done();
    out.failed = static_cast<bool>(error);
    return out;
}

/// However it arrives and wherever it goes, it is the same answer.
void same(const Reading &whole, const Reading &other, bool stream) {
    promise(other.failed == whole.failed, "in pieces it is refused as at once");
    if (whole.failed) return;
    promise(other.head == whole.head && other.done == whole.done, "in pieces it ends as at once");
    // Of a head that is cut off, more or less has been read by then: nothing is made of it.
    if (!whole.head) return;
    promise(other.answer.status == whole.answer.status, "in pieces it has the same status");
    promise(other.answer.retry_after_s == whole.answer.retry_after_s, "in pieces it asks for the same patience");
    promise(other.body(stream) == whole.answer.body, "in pieces and streamed it has the same body");
    promise(!stream || whole.answer.status != 200 || other.answer.body.empty(),
            "a stream leaves nothing in the answer");
}

}  // namespace

void answer(std::string_view bytes) {
    if (bytes.starts_with("{") || bytes.starts_with("[")) return as_everything(std::string(bytes));
    const auto whole = read(bytes, bytes.size(), false);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()})
        for (const bool stream : {false, true}) same(whole, read(bytes, piece, stream), stream);
    as_everything(whole.answer.body);
}

}  // namespace berth::fuzz
