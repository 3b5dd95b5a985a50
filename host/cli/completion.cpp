// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

namespace berth::cli {
namespace {

constexpr std::string_view bash = R"(# Completion of berth for bash: source <(berth completion bash)
_berth() {
  local line found=() more= word=${COMP_WORDS[COMP_CWORD]}
  while IFS= read -r line; do
    case $line in
      :*) more=$line ;;
      *) found+=("${line%%$'\t'*}") ;;
    esac
  done < <("$1" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("${found[@]}")
  case $more in
    :files) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word") ;;
    :directories) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$word") ;;
    *) return ;;
  esac
  compopt -o filenames 2>/dev/null || true
}
complete -F _berth berth
)";

constexpr std::string_view zsh = R"(#compdef berth
# Completion of berth for zsh: source <(berth completion zsh), or a file _berth of $fpath.
_berth() {
  local line more
  local -a found
  while IFS= read -r line; do
    case $line in
      :*) more=$line ;;
      *$'\t'*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) found+=("${line//:/\\:}") ;;
    esac
  done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe berth found
  case $more in
    :files) _files ;;
    :directories) _files -/ ;;
  esac
}
if [[ ${funcstack[1]} = _berth ]]; then _berth; else compdef _berth berth; fi
)";

constexpr std::string_view fish = R"(# Completion of berth for fish: berth completion fish | source
function __berth_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc) "$current"
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                complete -C "'' $current"
            case ':directories'
                complete -C "cd $current"
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c berth -f -a '(__berth_complete)'
)";

class Completer {
    const CLI::App *at_;
    std::string_view current_;
    std::string out_;

    void offer(std::string_view word, std::string_view description = {}) {
        if (!word.starts_with(current_)) return;
        out_ += word;
        if (!description.empty()) out_.append("\t").append(description.substr(0, description.find('\n')));
        out_ += '\n';
    }
    std::string end(std::string_view more) { return out_.append(more).append("\n"); }

    const CLI::App *command(std::string_view name) const {
        const auto found =
            at_->get_subcommands([&](const CLI::App *c) { return c->get_name() == name && !c->get_group().empty(); });
        return found.empty() ? nullptr : found.front();
    }

    const CLI::Option *option(std::string_view word) const {
        const auto name = std::string(word.substr(0, word.find('=')));
        const auto found = at_->get_options([&](const CLI::Option *o) { return o->check_name(name); });
        return found.empty() ? nullptr : found.front();
    }

    /// Whether the word behind it belongs to it.
    static bool takes_word(const CLI::Option &option) { return option.get_expected_min() > 0; }

    /// What may be the value: one of a few words, or what its type or name says.
    std::string value_of(const CLI::Option &option) {
        const auto type = option.get_type_name(), name = option.get_name(option.get_lnames().empty());
        const auto from = type.find('{'), to = type.rfind('}');
        if (from != type.npos && to != type.npos && from < to) {
            auto words = std::string_view(type).substr(from + 1, to - from - 1);
            while (!words.empty()) {
                const auto comma = std::min(words.find(','), words.size());
                offer(words.substr(0, comma));
                words.remove_prefix(std::min(comma + 1, words.size()));
            }
            return end(":nothing");
        }
        if (type.starts_with("DIR") || name == "DIR" || name.ends_with("-dir")) return end(":directories");
        const bool file = type.starts_with("FILE") || name.ends_with("FILE") || name.ends_with("-file") ||
                          name.ends_with("config") || name == "--plugin" || name == "--shadow-plugin";
        return end(file ? ":files" : ":nothing");
    }

    std::string options() {
        for (const auto *one : at_->get_options()) {
            if (one->get_group().empty()) continue;
            for (const auto &name : one->get_lnames()) offer("--" + name, one->get_description());
            for (const auto &name : one->get_snames()) offer("-" + name, one->get_description());
        }
        return end(":nothing");
    }

    std::string words(std::size_t positionals) {
        for (const auto *c : at_->get_subcommands([](const CLI::App *one) { return !one->get_group().empty(); }))
            offer(c->get_name(), c->get_description());
        auto places = at_->get_options([](const CLI::Option *o) { return o->get_positional(); });
        if (places.empty()) return end(":nothing");
        return value_of(*places[std::min(positionals, places.size() - 1)]);
    }

public:
    explicit Completer(const CLI::App &app) : at_(&app) {}

    std::string complete(std::span<const char *const> before, std::string_view current) {
        current_ = current;
        const CLI::Option *open = nullptr;  // whose value comes next
        std::size_t positionals = 0;
        bool only_words = false;
        for (const std::string_view word : before) {
            if (open && word == "=") {
                // bash takes the two sides of --name=value apart.
            } else if (open) {
                open = nullptr;
            } else if (word == "--") {
                only_words = true;
            } else if (!only_words && word.starts_with('-') && word.size() > 1) {
                const auto *named = option(word);
                if (named && takes_word(*named) && word.find('=') == word.npos) open = named;
            } else if (const auto *c = positionals == 0 && !only_words ? command(word) : nullptr) {
                if (c->get_name() != "help") at_ = c;
            } else {
                ++positionals;
            }
        }
        if (open && current == "=") current_ = {};
        if (open) return value_of(*open);
        return current.starts_with('-') && !only_words ? options() : words(positionals);
    }
};

}  // namespace

std::string completions(const CLI::App &app, std::span<const char *const> words) {
    if (words.empty()) return Completer(app).complete({}, "");
    return Completer(app).complete(words.first(words.size() - 1), words.back());
}

std::string completion_script(std::string_view shell) {
    return std::string(shell == "bash" ? bash : shell == "zsh" ? zsh : fish);
}

}  // namespace berth::cli
