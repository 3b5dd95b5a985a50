// SPDX-License-Identifier: Apache-2.0
#include "kube/reflector.h"

#include "decode/wire.h"
#include "env/random.h"
#include "kube/url.h"

#include <algorithm>

namespace berth::kube {

namespace {

constexpr int http_ok = 200, http_forbidden = 403, http_not_found = 404, http_gone = 410, http_too_many = 429,
              http_server_error = 500;
/// A server that has just started refuses what it will allow as soon as it has read its own rules.
constexpr std::int64_t refusal_patience_ns = 5'000'000'000;

std::string reason_of(const HttpAnswer &answer) {
    std::string text = decode::status_message(answer.body);
    if (answer.status == 0) return text;
    return "HTTP " + std::to_string(answer.status) + (text.empty() ? "" : ": " + text);
}

/// The server no longer has that version of the collection, or not yet: then it is not the server that we knew, or its
/// data are older.
bool too_old_or_new(int status, std::string_view text) {
    return status == http_gone || (status >= http_server_error && text.find("Too large resource version") != text.npos);
}

std::string_view uid_of(const ObjectPtr &object) {
    return object->tree ? model::at_pointer(object->tree->value(), "/metadata/uid").string() : std::string_view{};
}

std::string_view version_of(const ObjectPtr &object) {
    return object->tree ? model::at_pointer(object->tree->value(), "/metadata/resourceVersion").string()
                        : std::string_view{};
}

/// The name in a list of an object that says none.
std::string nameless(std::size_t before) { return "(object " + std::to_string(before + 1) + " of the list)"; }

}  // namespace

std::int64_t Backoff::next(std::int64_t monotonic_ns) {
    if (last_failure_ns_ != 0 && monotonic_ns - last_failure_ns_ > quiet_ns) next_ns_ = first_ns;
    last_failure_ns_ = monotonic_ns;
    std::int64_t wait = next_ns_;
    next_ns_ = std::min(next_ns_ * 2, most_ns);
    return wait +
           static_cast<std::int64_t>(env::random_value(seed_, 0, ++drawn_, 0, 0) % static_cast<std::uint64_t>(wait));
}

Reflector::Reflector(Transport &transport, env::Clock &clock, env::Log *log, Collection collection, std::uint64_t seed,
                     std::shared_ptr<LeftOut> left_out)
    : transport_(transport),
      clock_(clock),
      log_(log),
      collection_(std::move(collection)),
      backoff_(env::mix(seed) ^ env::text_hash(collection_.path)),
      seed_(env::mix(seed ^ env::text_hash(collection_.path))),
      left_out_(std::move(left_out)),
      protobuf_(decode::reads_protobuf(collection_.api_version, collection_.kind)) {}

Reflector::~Reflector() = default;

void Reflector::start(std::function<void()> synced) {
    synced_ = std::move(synced);
    refused_since_ns_.reset();
    list();
}

void Reflector::refresh(std::function<void()> fresh) {
    fresh_ = std::move(fresh);
    version_.clear();  // With one, a server may answer from a memory that lags behind.
    list();
}

void Reflector::stop() {
    ++generation_;
    if (stream_) transport_.cancel(*stream_);
    stream_.reset();
}

void Reflector::forget() {
    stop();
    synced_ = fresh_ = nullptr;
    objects_.clear();
    listing_.clear();
    streamed_.clear();
    left_out_->keep(collection_.resource, {});
}

void Reflector::resync() {
    std::vector<std::pair<std::string_view, ObjectPtr>> all(objects_.begin(), objects_.end());
    std::ranges::sort(all, {}, [](const auto &one) { return one.first; });
    for (auto &[key, object] : all) collection_.added(std::move(object));
}

std::size_t Reflector::bytes() const {
    constexpr std::size_t of_map = 112;  // a node, a bucket, a key beyond what a string has in itself
    constexpr std::size_t of_texts = 128;
    return objects_.size() * of_map + (listing_.size() + streamed_.size()) * (sizeof(Change) + of_texts);
}

void Reflector::list() {
    stop();
    if (streams_lists_) list_as_stream();
    else list_in_pages();
}

/// Not older than what we know, so that a server that lags behind does not take us back.
void Reflector::list_as_stream() {
    streamed_.clear();
    listing_as_stream_ = true;
    std::string query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    if (!version_.empty()) query += "&resourceVersion=" + percent_encoded(version_);
    open_stream(query);
}

void Reflector::streamed(Change change) {
    switch (change.type) {
        case Change::Type::Gone: streamed_.erase(change.key); return;
        case Change::Type::Present:
        case Change::Type::Garbled: {
            if (change.key.empty()) change.key = nameless(streamed_.size());
            auto key = change.key;
            streamed_.insert_or_assign(std::move(key), std::move(change));
            return;
        }
        default: break;
    }
    if (!change.list_ends) return;
    listing_as_stream_ = false;
    watch_said_something_ = true;
    version_ = std::move(change.version);
    listing_.clear();
    // In the order of their names, as a list has them: a server streams them in any.
    for (auto &[key, one] : std::exchange(streamed_, {})) listing_.push_back(std::move(one));
    replace();
    begun();
}

void Reflector::stream_list_ended(const HttpAnswer &answer) {
    constexpr int bad_request = 400, unprocessable = 422;
    listing_as_stream_ = false;
    streamed_.clear();
    if (too_old_or_new(answer.status, answer.body) && !version_.empty()) {
        version_.clear();
        return list();
    }
    if (answer.status == 0 || answer.status == http_too_many) return retry(&Reflector::list, reason_of(answer));
    // A server that is too old for it says so; with any other answer a list in pages makes progress at least.
    if (answer.status == bad_request || answer.status == unprocessable) streams_lists_ = false;
    list_in_pages();
}

/// Always the newest state, in pages: a page has a bounded size, and since Kubernetes 1.31 the server answers such a
/// list from memory too.
void Reflector::list_in_pages() {
    stop();
    listing_.clear();
    listing_version_.clear();
    request_page({});
}

void Reflector::request_page(const std::string &next) {
    constexpr std::string_view page_size = "500";
    std::string query;
    if (!whole_list_) query.append("limit=").append(page_size);
    if (!next.empty()) query += "&continue=" + percent_encoded(next);
    HttpRequest request;
    request.path = collection_.path + with_selector(std::move(query));
    request.accept = accepted();
    request.most_bytes = most_of_list;
    transport_.request(std::move(request), [this, generation = generation_](HttpAnswer answer) {
        Page page;
        if (answer.status == http_ok) page = read_page(collection_, std::exchange(answer.body, {}));
        clock_.post([this, generation, answer = std::move(answer), page = std::move(page)]() mutable {
            if (generation != generation_) return;
            if (answer.status != http_ok) list_failed(answer);
            else listed(std::move(page));
        });
    });
}

void Reflector::listed(Page page) {
    if (protobuf_ && !page.lacking.empty()) return go_on_in_json(page.lacking);
    if (!page.error.empty()) return retry(&Reflector::list, page.error);
    if (listing_version_.empty()) listing_version_ = std::move(page.version);
    for (auto &change : page.changes) {
        if (change.key.empty()) change.key = nameless(listing_.size());
        listing_.push_back(std::move(change));
    }
    if (!page.next.empty()) return request_page(page.next);
    version_ = std::move(listing_version_);
    whole_list_ = false;
    replace();
    begun();
    watch();
}

void Reflector::begun() {
    if (auto synced = std::exchange(synced_, nullptr)) synced();
    if (auto fresh = std::exchange(fresh_, nullptr)) fresh();
}

void Reflector::list_failed(const HttpAnswer &answer) {
    // The server forgot the state that the pages were taken from.
    if (answer.status == http_gone && !listing_version_.empty() && !whole_list_) {
        whole_list_ = true;
        return list_in_pages();
    }
    const bool no_right = answer.status == http_forbidden || answer.status == http_not_found;
    if (no_right && synced_ && collection_.refused) {
        const auto now = clock_.monotonic_ns();
        if (!refused_since_ns_) refused_since_ns_ = now;
        if (now - *refused_since_ns_ >= refusal_patience_ns)
            return collection_.refused(answer.status, reason_of(answer));
    }
    retry(&Reflector::list, reason_of(answer));
}

/// Notifies of the differences between the new list and the known objects, in the order of the list, so that the same
/// cluster always gives the same notifications.
void Reflector::replace() {
    model::KeyedSet listed, unreadable;
    for (const auto &one : listing_) {
        listed.insert(one.key);
        if (!one.object) unreadable.insert(one.key);
    }
    std::vector<std::string> gone;
    for (const auto &[key, object] : objects_)
        if (!listed.contains(key)) gone.push_back(key);
    std::sort(gone.begin(), gone.end());
    for (const auto &key : gone) remove(key, nullptr);
    left_out_->keep(collection_.resource, unreadable);
    for (auto &one : std::exchange(listing_, {})) present(std::move(one));
}

void Reflector::present(Change change) {
    if (!change.object) return unreadable(std::move(change));
    if (left_out_->remove(collection_.resource, change.key) && log_)
        log_->write(env::Severity::Info, 0, "An object can be read again",
                    {{"resource", collection_.resource}, {"object", change.key}});
    apply(change.key, std::move(change.object));
}

/// Keeps an object of which an earlier version is known as it was. To drop it would free its resources (a pod's
/// requests on its node, the devices of a claim, the domain of a node), although it has only changed. At worst, the
/// earlier version is out of date, as if the watch were late; then the server refuses a write that depends on it. An
/// object with another uid is another object, so the known one no longer exists.
void Reflector::unreadable(Change change) {
    auto known = objects_.find(change.key);
    if (known != objects_.end() && !change.uid.empty() && uid_of(known->second) != change.uid) {
        remove(change.key, nullptr);
        known = objects_.end();
    }
    LeftOut::One one{collection_.resource, std::move(change.key), std::move(change.version),
                     LeftOut::shortened(std::move(change.text)), known != objects_.end()};
    if (left_out_->add(one)) name(one);
}

/// Each change of an object that cannot be read is a line, but at most a thousand at once and one a second: a tenant
/// that writes objects must not fill the log.
void Reflector::name(const LeftOut::One &one) {
    constexpr std::int64_t second_ns = 1'000'000'000, most_at_once = 1000;
    const auto now = clock_.monotonic_ns();
    names_until_ns_ = std::max(names_until_ns_, now) + second_ns;
    if (names_until_ns_ - now > most_at_once * second_ns) {
        names_until_ns_ -= second_ns;
        return;
    }
    if (log_)
        log_->write(env::Severity::Warning, 0,
                    one.kept ? "An object cannot be read; what was known of it stays in force"
                             : "An object cannot be read and is left out",
                    {{"resource", one.resource}, {"object", one.key}, {"err", one.why}});
}

void Reflector::apply(const std::string &key, ObjectPtr object) {
    auto at = objects_.find(key);
    if (at != objects_.end() && uid_of(at->second) != uid_of(object)) {
        remove(key, nullptr);  // deleted and made anew while there was no watch
        at = objects_.end();
    }
    if (at == objects_.end()) {
        objects_.emplace(key, object);
        return collection_.added(std::move(object));
    }
    if (version_of(at->second) == version_of(object)) return;
    ObjectPtr before = std::exchange(at->second, object);
    collection_.updated(std::move(before), std::move(object));
}

void Reflector::remove(const std::string &key, ObjectPtr last) {
    auto known = objects_.extract(key);
    if (known.empty()) return;
    bool same = last && uid_of(last) == uid_of(known.mapped());
    collection_.deleted(same ? std::move(last) : std::move(known.mapped()));
}

void Reflector::watch() {
    if (version_.empty()) return list();
    stop();
    listing_as_stream_ = false;
    open_stream("resourceVersion=" + percent_encoded(version_));
}

void Reflector::open_stream(const std::string &query) {
    constexpr std::uint64_t least_s = 300;
    auto timeout = least_s + env::random_value(seed_, 0, ++watches_, 0, 0) % (least_s + 1);
    HttpRequest request;
    request.path = collection_.path + with_selector("watch=true&allowWatchBookmarks=true&" + query +
                                                    "&timeoutSeconds=" + std::to_string(timeout));
    request.accept = accepted();
    watch_began_ns_ = last_sign_ns_ = clock_.monotonic_ns();
    watch_said_something_ = false;
    listen(longest_silence_ns);
    auto events = std::make_shared<WatchEvents>(collection_, listing_as_stream_);
    auto data = [this, generation = generation_, events = std::move(events)](std::string_view bytes) {
        auto changes = events->take(bytes, clock_.monotonic_ns());
        if (changes.empty()) return;
        clock_.post([this, generation, changes = std::move(changes)]() mutable {
            if (generation == generation_) changed(std::move(changes));
        });
    };
    stream_ =
        transport_.stream(std::move(request), std::move(data), [this, generation = generation_](HttpAnswer answer) {
            clock_.post([this, generation, answer = std::move(answer)] {
                if (generation == generation_) ended(answer);
            });
        });
}

/// The server, or a component between, may have disappeared silently.
void Reflector::listen(std::int64_t ns) {
    constexpr std::int64_t second_ns = 1'000'000'000;
    clock_.after(ns, [this, generation = generation_] {
        if (generation != generation_ || !stream_) return;
        const auto silence = clock_.monotonic_ns() - last_sign_ns_;
        if (silence < longest_silence_ns) return listen(longest_silence_ns - silence);
        const auto why = "nothing came for " + std::to_string(silence / second_ns) + " s";
        if (!listing_as_stream_) {
            warn("The watch is silent; it is taken up again where it was", why);
            return watch();
        }
        stop();
        stream_list_ended({0, why, false, 0});
    });
}

void Reflector::changed(std::vector<Change> changes) {
    last_sign_ns_ = clock_.monotonic_ns();
    for (auto &change : changes) {
        if (protobuf_ && !change.lacking.empty()) return go_on_in_json(change.lacking);
        if (change.type == Change::Type::Error) {
            if (listing_as_stream_) {
                stop();
                return stream_list_ended({change.code, change.text, false, 0});
            }
            if (too_old_or_new(change.code, change.text)) {
                version_.clear();
                return list();
            }
            return retry(&Reflector::list, change.text.empty() ? "the watch broke off" : change.text);
        }
        if (listing_as_stream_) {
            streamed(std::move(change));
            continue;
        }
        watch_said_something_ = true;
        // Only a list can say what the event was about.
        if (change.key.empty() && change.type != Change::Type::Bookmark)
            return retry(&Reflector::list, "an event cannot be read: " + change.text);
        auto version = change.version;
        if (change.type == Change::Type::Gone) {
            left_out_->remove(collection_.resource, change.key);
            remove(change.key, std::move(change.object));
        } else if (change.type == Change::Type::Present) {
            present(std::move(change));
        }
        if (!version.empty()) version_ = std::move(version);
    }
}

void Reflector::ended(const HttpAnswer &answer) {
    constexpr std::int64_t early_ns = 1'000'000'000;
    stream_.reset();
    if (listing_as_stream_) return stream_list_ended(answer);
    if (too_old_or_new(answer.status, answer.body)) {
        version_.clear();
        return list();
    }
    // A stream that broke off after it had spoken is no failure of the server: it goes on where it was.
    bool began = answer.status == http_ok || watch_said_something_;
    bool early = clock_.monotonic_ns() - watch_began_ns_ < early_ns && !watch_said_something_;
    if (began && !early) return watch();
    if (began) return retry(&Reflector::watch, "the watch ended at once, without an event");
    if (answer.status == 0 || answer.status == http_too_many || answer.status >= http_server_error)
        return retry(&Reflector::watch, reason_of(answer));
    retry(&Reflector::list, reason_of(answer));
}

void Reflector::retry(void (Reflector::*step)(), const std::string &why) {
    stop();
    std::int64_t wait = backoff_.next(clock_.monotonic_ns());
    bool listing = step == &Reflector::list;
    warn(listing ? "Cannot list; trying again" : "Watch failed; trying again", why);
    clock_.after(wait, [this, step, generation = generation_] {
        if (generation == generation_) (this->*step)();
    });
}

std::string_view Reflector::accepted() const {
    return protobuf_ ? "application/vnd.kubernetes.protobuf, application/json" : "application/json";
}

/// JSON has the names of fields, so that plugins can read those that are newer than this program.
void Reflector::go_on_in_json(const std::string &why) {
    protobuf_ = false;
    if (log_)
        log_->write(env::Severity::Info, 0, "What the API server sends in protobuf cannot be read whole: JSON instead",
                    {{"resource", collection_.resource}, {"err", why}});
    version_.clear();
    list();
}

void Reflector::warn(std::string_view message, const std::string &why) const {
    if (log_) log_->write(env::Severity::Warning, 0, message, {{"resource", collection_.resource}, {"err", why}});
}

std::string Reflector::with_selector(std::string query) const {
    for (const auto &[option, selector] :
         {std::pair{"fieldSelector=", &collection_.field_selector}, {"labelSelector=", &collection_.label_selector}}) {
        if (selector->empty()) continue;
        if (!query.empty()) query += '&';
        query += option + percent_encoded(*selector);
    }
    return query.empty() ? query : "?" + query;
}

}  // namespace berth::kube
