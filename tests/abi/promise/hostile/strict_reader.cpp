// SPDX-License-Identifier: Apache-2.0
// One library per case of a plugin that reads at the wrong time, or wrongly.
#include "case_name.h"

#include <berth/plugin.hpp>

#include <memory>
#include <string_view>
#include <thread>

namespace {

class Strict {
    const berth::Host &host_;
    const berth_host_reader *table_;

    void read(const std::function<void(const berth::Answer &)> &then = {}) const {
        try {
            host_.read(berth::Get{.resource = "configmaps", .name_space = "default", .name = "tea"}, then);
        } catch (const std::exception &) {  // it was told
        }
    }

public:
    static constexpr std::array reads{"get v1/configmaps"};

    explicit Strict(const berth::Host &host)
        : host_(host),
          table_(static_cast<const berth_host_reader *>(
              host.raw()->get_service(host.raw(), berth::to_str(BERTH_HOST_READER_DRAFT1)))) {}
    ~Strict() {
        if (is("reader_at_destroy")) read();
    }
    Strict(const Strict &) = delete;
    Strict &operator=(const Strict &) = delete;

    void declare(berth::Declare d) const {
        d.read(BERTH_READ_GET, "", "v1", "configmaps");
        if (is("reader_without_sink"))
            table_->declare(host_.raw(), nullptr, BERTH_READ_GET, {}, berth::to_str("v1"), berth::to_str("pods"));
    }

    berth::Verdict pre_filter(berth::Pod) const {
        berth_read what{};
        what.struct_size = sizeof what;
        if (is("reader_without_function")) table_->read(host_.raw(), &what, nullptr, nullptr, nullptr);
        if (is("reader_without_read"))
            table_->read(host_.raw(), nullptr, [](void *, const berth_answer *) {}, nullptr, nullptr);
        if (is("reader_declares_late"))
            table_->declare(host_.raw(), nullptr, BERTH_READ_GET, {}, berth::to_str("v1"), berth::to_str("pods"));
        if (is("reader_on_other_thread")) std::thread([&] { read(); }).join();
        if (is("reader_cancels_on_other_thread")) std::thread([&] { table_->cancel(host_.raw(), 1); }).join();
        return berth::ok;
    }
    berth::Verdict filter(berth::Pod, berth::Node) const {
        if (is("reader_in_filter")) read();
        return berth::ok;
    }
    berth::Verdict pre_bind(berth::Call, berth::State, berth::Pod, std::string_view, berth::Done done) {
        if (!is("reader_sound")) return berth::ok;
        read([done](const berth::Answer &answer) {
            done(answer.ok() && answer.value().is_object() ? berth::ok : berth::error("no answer"));
        });
        return berth::in_progress();
    }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
