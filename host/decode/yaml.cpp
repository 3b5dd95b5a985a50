// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml.h"

#include "decode/yaml_tree.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <array>
#include <istream>
#include <utility>

namespace berth::decode {
namespace {

/// The reading ends with this complete message.
struct Stopped {
    std::string text;
};

Position from_yaml(const YAML::Mark &position) {
    return position.is_null() ? Position{} : Position{position.line + 1, position.column + 1};
}

/// yaml-cpp's messages in words for the file's author.
std::string human_text(const std::string &text) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 15> meanings{{
        {"end of map not found", "this does not belong to the mapping above; check the indentation"},
        {"end of sequence not found", "this does not belong to the list above; check the indentation"},
        {"end of map flow not found", "expected ',' or '}' in a mapping that began with '{'"},
        {"end of sequence flow not found", "expected ',' or ']' in a list that began with '['"},
        {"illegal map value", "a ':' is not expected here; check the indentation, or put a text with ': ' in quotes"},
        {"illegal map key", "a '?' key is not expected here"},
        {"illegal block entry", "a list item ('- ') is not expected here; check the indentation"},
        {"illegal flow end", "a closing bracket without its opening one; put a text with brackets in quotes"},
        {"illegal tab when looking for indentation", "a tab in the indentation; YAML wants spaces"},
        {"illegal EOF in scalar", "the text ends inside a quoted string"},
        {"illegal document indicator in scalar", "a quoted string does not end before its document does"},
        {"unknown token", "this character cannot begin a value; put the text in quotes"},
        {"the referenced anchor is not defined", "an alias names an anchor that is not defined above"},
        {"bad file", "nested more than 200 levels deep"},
        {"alias not found after *", "a '*' without the name of an anchor; put a text that begins with '*' in quotes"},
    }};
    for (const auto &[theirs, ours] : meanings)
        if (text == theirs) return std::string{ours};
    return "not YAML: " + text;
}

class Reader : public YAML::EventHandler {
    YamlBuffer *buffer_;
    const std::string *file_;
    const Receive *receive_;
    YamlMode mode_;
    Anchors anchors_;
    YamlTree whole_{anchors_}, item_{anchors_};
    bool in_items_ = false;  ///< the events are those of a list's items
    bool list_ = false;      ///< the document is a list that was taken apart
    ItemType type_;          ///< of its items
    bool begun_ = false;     ///< a document has begun before
    Position start_;         ///< of the document
    int last_line_ = 0;      ///< of the last event
    std::string anchor_name_;
    std::uint64_t objects_ = 0;

public:
    Reader(YamlBuffer &buffer, const std::string &file, const Receive &receive, YamlMode mode)
        : buffer_(&buffer), file_(&file), receive_(&receive), mode_(mode) {}

    std::uint64_t objects() const { return objects_; }

    void OnDocumentStart(const YAML::Mark &position) override {
        buffer_->event();
        start_ = from_yaml(position);
        // yaml-cpp takes text that does not fit after a document for the next document, and may never get past it.
        if (begun_ && !buffer_->marker_between(last_line_, start_.line))
            throw Refusal{start_, "this does not belong to the document above; check the indentation", {}, true};
        begun_ = true;
        last_line_ = start_.line;
        anchors_ = {};
        whole_.reset();
        item_.reset();
        in_items_ = list_ = false;
    }

    void OnDocumentEnd() override {
        buffer_->event();
        if (list_) return;
        auto document = whole_.take(*file_);
        auto root = document.value();
        if (root.is_null()) return;
        if (mode_ == YamlMode::One && objects_ > 0)
            throw Refusal{start_, "a second document begins here; exactly one is expected", {}};
        if (mode_ == YamlMode::Objects) {
            auto empty_list = is_empty_list(document);
            if (!empty_list) throw Stopped{empty_list.error().text};
            if (*empty_list) return;
        }
        hand_over(std::move(document));
    }

    void OnNull(const YAML::Mark &position, YAML::anchor_t anchor) override {
        auto at = next(position, anchor);
        tree().null(at, anchor);
        after();
    }

    void OnAlias(const YAML::Mark &position, YAML::anchor_t anchor) override {
        auto at = next(position, 0);
        tree().alias(at, anchor);
        after();
    }

    void OnScalar(const YAML::Mark &position, const std::string &tag, YAML::anchor_t anchor,
                  const std::string &value) override {
        auto at = next(position, anchor);
        tree().scalar(at, tag, anchor, value);
        after();
    }

    void OnSequenceStart(const YAML::Mark &position, const std::string &tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        auto at = next(position, anchor);
        if (mode_ == YamlMode::Objects && !in_items_ && !list_ &&
            (whole_.depth() == 0 || (whole_.depth() == 1 && whole_.awaits_value_of("items")))) {
            in_items_ = list_ = true;
            type_ = item_type(whole_.root_string("apiVersion"), whole_.root_string("kind"));
            return;
        }
        tree().begin(at, tag, anchor, false);
    }

    void OnSequenceEnd() override {
        buffer_->event();
        if (in_items_ && item_.depth() == 0) {
            in_items_ = false;
            return whole_.null({}, 0);
        }
        tree().end();
        after();
    }

    void OnMapStart(const YAML::Mark &position, const std::string &tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        auto at = next(position, anchor);
        tree().begin(at, tag, anchor, true);
    }

    void OnMapEnd() override {
        buffer_->event();
        tree().end();
        after();
    }

    void OnAnchor(const YAML::Mark &, const std::string &name) override { anchor_name_ = name; }

private:
    YamlTree &tree() { return in_items_ ? item_ : whole_; }

    Position next(const YAML::Mark &position, YAML::anchor_t anchor) {
        buffer_->event();
        if (anchor) anchors_.names[anchor] = std::exchange(anchor_name_, {});
        auto at = from_yaml(position);
        if (at.line > last_line_) last_line_ = at.line;
        return at;
    }

    void after() {
        if (!in_items_ || !item_.complete()) return;
        hand_over(item_.take(*file_, type_.api_version, type_.kind));
    }

    void hand_over(Document document) {
        ++objects_;
        if (auto taken = (*receive_)(std::move(document)); !taken) throw Stopped{taken.error().text};
    }
};

}  // namespace

ReadResult read_yaml(Source &source, const std::string &file, YamlMode mode, const Receive &receive) {
    YamlBuffer buffer{source};
    std::istream in{&buffer};
    in.exceptions(std::ios::badbit);  // so that what the buffer throws is not swallowed
    Reader reader{buffer, file, receive, mode};
    const auto cut = [&] { return ReadResult{false, false, file + ": cannot be read to its end", reader.objects()}; };
    auto refused = [&](bool syntax, Position position, const std::string &text) {
        return ReadResult{false, syntax, where(file, position) + ": " + text, reader.objects()};
    };
    try {
        in.peek();  // checks the first block: yaml-cpp leaks its buffer when its constructor throws
        YAML::Parser parser{in};
        while (parser.HandleNextDocument(reader)) {
        }
        if (source.failed()) return cut();
        return {true, false, {}, reader.objects()};
    } catch (const UnfitText &unfit) {
        return refused(false, unfit.position, unfit.text);
    } catch (const Refusal &refusal) {
        auto first = refusal.before.line ? "; it stands first at " + where(file, refusal.before) : std::string{};
        auto result = refused(false, refusal.position, refusal.text + first);
        result.foreign = refusal.foreign;
        return result;
    } catch (const Stopped &stopped) {
        return {false, false, stopped.text, reader.objects()};
    } catch (const YAML::DeepRecursion &error) {
        return refused(false, from_yaml(error.mark), human_text(error.msg));
    } catch (const YAML::Exception &error) {
        if (source.failed()) return cut();
        return refused(true, from_yaml(error.mark), human_text(error.msg));
    }
}

}  // namespace berth::decode
