// SPDX-License-Identifier: Apache-2.0
#include "report/events.h"

#include "decode/write.h"
#include "model/build.h"
#include "model/name.h"
#include "model/time.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace berth::report {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t idle_ns = 360 * second_ns, refresh_ns = 1800 * second_ns, sweep_ns = 60 * second_ns;
constexpr std::int64_t retry_ns = 10 * second_ns;
constexpr int most_tries = 12;
constexpr int ok = 200, refusals = 400, not_found = 404, conflict = 409, busy = 429, failed = 500;

bool good(int status) { return status >= ok && status < refusals; }

std::string hex(std::int64_t n) {
    constexpr int base = 16;
    char text[20];
    auto end = std::to_chars(text, text + sizeof text, static_cast<std::uint64_t>(n), base).ptr;
    return {text, end};
}

env::ApiRequest request_of(env::Verb verb, const std::string &name_space, const std::string &name) {
    env::ApiRequest request;
    request.verb = verb;
    request.group = "events.k8s.io";
    request.version = "v1";
    request.resource = "events";
    request.name_space = name_space;
    request.name = name;
    if (verb == env::Verb::Patch) request.content_type = "application/strategic-merge-patch+json";
    return request;
}

std::string json(berth_value value) { return decode::to_json(model::Value{&value}); }

}  // namespace

std::string cut_note(std::string note) {
    constexpr std::size_t most = 1024;
    constexpr std::string_view mark = " ...";
    if (note.size() <= most) return note;
    std::size_t end = most - mark.size();
    // Bytes 10xxxxxx continue a character.
    while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xc0) == 0x80) --end;
    return note.substr(0, end).append(mark);
}

EventWriter::EventWriter(env::Api &api, env::Clock &clock, env::Log *log, std::string host_name)
    : api_(api), clock_(clock), log_(log), host_name_(std::move(host_name)) {}

void EventWriter::write(const model::Object &about, const ObjectEvent &event) {
    const auto meta = about.meta();
    std::int64_t now = clock_.now_ns();
    std::string key;
    for (std::string_view part : {std::string_view(event.warning ? "Warning" : "Normal"), event.action, event.reason,
                                  event.controller, model::view(meta.uid), model::view(meta.resource_version)})
        key.append(part).push_back('\0');
    auto known = event.once ? series_.end() : series_.find(key);
    if (known == series_.end()) return create(about, event, key, now);
    Series &series = known->second;
    if (now - series.last_ns > idle_ns) {
        // The series is over, but still stored.
        if (series.written && series.sent != series.count) send_series(series, now);
        series_.erase(known);
        return create(about, event, key, now);
    }
    ++series.count;
    series.last_ns = now;
    if (series.body.empty()) series.body = body_of(series, about, event);
    if (series.written && series.sent == 1) send_series(series, now);
}

std::string EventWriter::body_of(const Series &series, const model::Object &about, const ObjectEvent &event) const {
    const auto meta = about.meta();
    const auto object = about.tree->value();
    const auto name_space = model::view(meta.namespace_), name = model::view(meta.name);
    model::Arena arena;
    model::ObjectBuilder metadata(arena), regarding(arena), root(arena);
    metadata.add("name", series.name).add("namespace", series.name_space);
    regarding.add("kind", object["kind"].string());
    if (!name_space.empty()) regarding.add("namespace", name_space);
    regarding.add("name", name).add("uid", model::view(meta.uid)).add("apiVersion", object["apiVersion"].string());
    if (auto version = model::view(meta.resource_version); !version.empty()) regarding.add("resourceVersion", version);
    root.add("apiVersion", "events.k8s.io/v1").add("kind", "Event").add("metadata", metadata);
    root.add("eventTime", model::format_time(series.first_ns)).add("reportingController", event.controller);
    root.add("reportingInstance", std::string(event.controller) + "-" + host_name_);
    root.add("action", event.action).add("reason", event.reason).add("regarding", regarding);
    root.add("note", cut_note(event.note)).add("type", event.warning ? "Warning" : "Normal");
    return json(root.value());
}

void EventWriter::create(const model::Object &about, const ObjectEvent &event, const std::string &key,
                         std::int64_t now) {
    if (waiting_ >= most_waiting) return drop();
    Series series;
    const auto meta = about.meta();
    const auto name_space = model::view(meta.namespace_);
    series.name_space = name_space.empty() ? "default" : name_space;
    series.name = unused_name(model::view(meta.name), now);
    series.first_ns = series.last_ns = series.sent_ns = now;
    auto request = request_of(env::Verb::Create, series.name_space, series.name);
    request.body = body_of(series, about, event);
    if (event.once) return send(std::move(request), 1, [](int) {});
    if (series_.size() >= most_series) drop_oldest(now);
    series_[key] = std::move(series);
    if (!std::exchange(sweeping_, true)) clock_.after(sweep_ns, [this] { sweep(); });
    send(std::move(request), 1, [this, key, name = series_[key].name](int status) {
        auto at = series_.find(key);
        if (at == series_.end() || at->second.name != name) return;
        auto &made = at->second;
        if (!good(status)) return void(series_.erase(at));
        made.written = true;
        if (made.count > 1) send_series(made, clock_.now_ns());
    });
}

void EventWriter::send_series(Series &series, std::int64_t now) {
    if (waiting_ >= most_waiting) return drop();
    series.sent = series.count;
    series.sent_ns = now;
    model::Arena arena;
    model::ObjectBuilder counted(arena), root(arena);
    counted.add("count", series.count).add("lastObservedTime", model::format_time(series.last_ns));
    root.add("series", counted);
    auto request = request_of(env::Verb::Patch, series.name_space, series.name);
    request.body = json(root.value());
    send(request, 1, [this, request, body = series.body](int status) {
        if (status == not_found) create_anew(request, body, request.body);
    });
}

/// The server keeps events for an hour, and people delete them.
void EventWriter::create_anew(env::ApiRequest request, const std::string &body, const std::string &series) {
    request.verb = env::Verb::Create;
    request.content_type.clear();
    request.body = body.substr(0, body.size() - 1) + "," + series.substr(1);
    send(std::move(request), 1, [](int) {});
}

namespace {

/// Of a request that is on its way, and of the copy that is kept to try again.
std::size_t bytes_of(const env::ApiRequest &request) {
    return 2 * (sizeof request + request.body.size() + request.name.size());
}

}  // namespace

void EventWriter::begin_waiting(const env::ApiRequest &request) {
    ++waiting_;
    waiting_bytes_ += bytes_of(request);
}

void EventWriter::end_waiting(const env::ApiRequest &request) {
    --waiting_;
    waiting_bytes_ -= bytes_of(request);
}

std::size_t EventWriter::bytes() const {
    constexpr std::size_t of_map = 32;
    std::size_t out = waiting_bytes_ + series_.bucket_count() * sizeof(void *);
    for (const auto &[key, series] : series_)
        out += sizeof(std::string) + sizeof(Series) + of_map + key.capacity() + series.name.capacity() +
               series.body.capacity();
    return out;
}

/// Tries until the server has answered, as long as it is only away or busy.
void EventWriter::send(env::ApiRequest request, int tries, Done done) {
    begin_waiting(request);
    auto again = request;
    api_.send(std::move(request),
              [this, again = std::move(again), tries, done = std::move(done)](const env::ApiAnswer &a) {
                  end_waiting(again);
                  // The try before, of which nothing was heard, had come through.
                  if (a.http_status == conflict && again.verb == env::Verb::Create && tries > 1) return done(ok);
                  bool away = a.http_status == 0 || a.http_status == busy || a.http_status >= failed;
                  if (away && tries < most_tries) {
                      begin_waiting(again);
                      return clock_.after(retry_ns, [this, again, tries, done] {
                          end_waiting(again);
                          send(again, tries + 1, done);
                      });
                  }
                  const bool forgotten = a.http_status == not_found && again.verb == env::Verb::Patch;
                  if (!good(a.http_status) && !forgotten) refuse(again, a.body);
                  done(a.http_status);
              });
}

/// A namespace that is being deleted takes no events; that is not logged.
void EventWriter::refuse(const env::ApiRequest &request, const std::string &why) {
    ++refused_;
    if (log_)
        log_->write(env::Severity::Info, 1, "The API server did not take an event",
                    {{"event", request.name_space + "/" + request.name}, {"err", why}});
}

void EventWriter::drop() {
    if (dropped_++ == 0 && log_)
        log_->write(env::Severity::Warning, 0,
                    "Too many events are waiting for the API server; some are thrown away "
                    "(berth_events_lost_total counts them)",
                    {{"waiting", std::to_string(waiting_)}});
}

/// Brings long series up to date, and forgets those that are over.
void EventWriter::sweep() {
    std::int64_t now = clock_.now_ns();
    for (auto at = series_.begin(); at != series_.end();) {
        Series &series = at->second;
        bool over = now - series.last_ns > idle_ns;
        bool due = over || now - series.sent_ns > refresh_ns;
        if (series.written && due && series.sent != series.count) send_series(series, now);
        at = over ? series_.erase(at) : std::next(at);
    }
    sweeping_ = !series_.empty();
    if (sweeping_) clock_.after(sweep_ns, [this] { sweep(); });
}

void EventWriter::drop_oldest(std::int64_t now) {
    std::vector<std::int64_t> ages;
    for (const auto &[key, series] : series_) ages.push_back(series.last_ns);
    auto quarter = ages.begin() + static_cast<std::ptrdiff_t>(ages.size() / 4);
    std::ranges::nth_element(ages, quarter);
    for (auto at = series_.begin(); at != series_.end();) {
        Series &series = at->second;
        const bool over = series.last_ns <= *quarter;
        if (over && series.written && series.sent != series.count) send_series(series, now);
        at = over ? series_.erase(at) : std::next(at);
    }
}

/// The object's name, cut if need be, and the time. Each part between dots must end in a letter or a digit. Not every
/// object has a name that an Event may have: then it is the time alone.
std::string EventWriter::unused_name(std::string_view object, std::int64_t now) {
    constexpr std::size_t most = 253;
    last_name_ns_ = std::max(now, last_name_ns_ + 1);
    std::string suffix = "." + hex(last_name_ns_);
    if (!model::dns_subdomain(object)) return suffix.substr(1);
    std::string name(object.substr(0, std::min(object.size(), most - suffix.size())));
    while (name.ends_with('-') || name.ends_with('.')) name.pop_back();
    return name + suffix;
}

}  // namespace berth::report
