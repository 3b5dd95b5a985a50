// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interfaces behind the handles of a call into a plugin (berth_status, berth_call, sinks, …). Each is a class,
/// whose functions are those of berth.host.call/1, berth.host.sinks/1, berth.host.remedies/draft1 and
/// berth.host.victims/draft1. The strict layer puts its own in between.

#include "model/handle.h"

#include <berth/berth.h>
#include <berth/draft/remedy.h>
#include <berth/draft/selective_watches.h>

namespace berth::plugin {

class GivenStatus {
public:
    virtual ~GivenStatus() = default;
    virtual void set_error(berth_str text) = 0;
    virtual void set_reasons(const berth_str *reasons, std::uint64_t n) = 0;
};

class CallContext;

/// Whether scratch memory can be aligned so.
constexpr bool may_align(std::uint64_t align) { return align != 0 && align <= 64 && (align & (align - 1)) == 0; }

class GivenCall {
public:
    virtual ~GivenCall() = default;
    virtual CallContext &context() = 0;  ///< of the attempt
    virtual std::uint32_t intern_reasons(const berth_str *texts, std::uint64_t n) = 0;
    virtual void *scratch(std::uint64_t size, std::uint64_t align) = 0;  ///< NULL as berth_host_call.scratch
};

class GivenDone {
public:
    virtual ~GivenDone() = default;
    virtual void complete(berth_status *status) = 0;  ///< any thread
};

class GivenOutcome {
public:
    virtual ~GivenOutcome() = default;
    virtual std::uint64_t reasons(std::uint32_t slot, const berth_str **texts) = 0;
    virtual berth_str plugin(std::uint32_t slot) = 0;
    virtual std::uint64_t slots_with(std::int32_t code, const std::uint32_t **slots) = 0;
};

inline GivenStatus &behind(const berth_status &status) { return *model::from_handle<GivenStatus>(status.handle); }
inline GivenCall &behind(const berth_call &call) { return *model::from_handle<GivenCall>(call.handle); }
inline GivenDone &behind(const berth_done &done) { return *model::from_handle<GivenDone>(done.handle); }
inline GivenOutcome &behind(const berth_outcome &outcome) { return *model::from_handle<GivenOutcome>(outcome.handle); }

class Restrict : public model::Opaque<berth_restrict, Restrict> {
public:
    virtual ~Restrict() = default;
    virtual void slots(const std::uint32_t *slots, std::uint64_t n) = 0;
    virtual void names(const berth_str *names, std::uint64_t n) = 0;
};

class Nomination : public model::Opaque<berth_nomination, Nomination> {
public:
    virtual ~Nomination() = default;
    virtual void nominate(berth_str node) = 0;
    virtual std::int32_t name_victims(const std::uint32_t *rows, std::uint64_t n, berth_str reason) = 0;
};

class TextSink : public model::Opaque<berth_text_sink, TextSink> {
public:
    virtual ~TextSink() = default;
    virtual void write(berth_str text) = 0;
};

class ErrorSink : public model::Opaque<berth_error_sink, ErrorSink> {
public:
    virtual ~ErrorSink() = default;
    virtual void add(berth_str path, berth_str text) = 0;
};

class DeclareSink : public model::Opaque<berth_declare_sink, DeclareSink> {
public:
    virtual ~DeclareSink() = default;
    virtual void watch(berth_str group, berth_str version, berth_str resource) = 0;
    virtual void write(std::uint32_t verb, berth_str group, berth_str version, berth_str resource) = 0;
    virtual void read(std::uint32_t verb, berth_str group, berth_str version, berth_str resource) = 0;
    virtual void select(const berth_watch *watch) = 0;  ///< nullptr: one that cannot be read
};

class EventSink : public model::Opaque<berth_event_sink, EventSink> {
public:
    virtual ~EventSink() = default;
    virtual void add(berth_str resource, std::uint64_t actions, std::uint32_t has_hint) = 0;
};

class RemedySink : public model::Opaque<berth_remedy_sink, RemedySink> {
public:
    virtual ~RemedySink() = default;
    virtual void add(std::uint64_t i, const berth_change *changes, std::uint64_t n) = 0;
};

}  // namespace berth::plugin
