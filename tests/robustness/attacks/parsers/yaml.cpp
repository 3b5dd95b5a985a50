// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

#include "decode/document.h"
#include "decode/stream.h"
#include "decode/write.h"

#include <sstream>

namespace berth::attack {
namespace {

void one(const std::string &text) { (void)decode::read_document(text, "f.yaml"); }

void many(const std::string &text) {
    std::istringstream in{text};
    (void)decode::read_stream(in, "f.yaml", [](const decode::Document &) { return model::Result<void>{}; });
}

void places(const std::string &text) {
    const auto document = decode::read_document(text, "f.yaml");
    if (!document) return;
    const auto root = document->value();
    for (std::size_t i = 0; i < root.size(); ++i) {
        (void)document->where(root.member(i));
        (void)document->key_position(root.member(i));
    }
}

void rewritten(const std::string &text) {
    if (const auto document = decode::read_document(text, "f.yaml")) (void)decode::to_yaml(document->value());
}

std::string keys(std::size_t n) {
    return repeated(n, [](std::size_t i) { return "k" + number(i) + ": 1\n"; });
}
std::string flow_keys(std::size_t n) {
    return "{" + repeated(n, [](std::size_t i) { return "k" + number(i) + ": 1, "; }) + "}";
}

}  // namespace

void add_yaml(Shapes &to) {
    const auto add = [&](const char *name, std::size_t n, std::string (*make)(std::size_t),
                         void (*parse)(const std::string &) = one) { to.push_back({"yaml", name, n, make, parse}); };
    // Merge keys.
    add("one large mapping merged", 500, [](std::size_t n) { return "a: &a " + flow_keys(n) + "\nb: {<<: *a}\n"; });
    add("a large mapping merged into a large one", 300, [](std::size_t n) {
        return "a: &a " + flow_keys(n) + "\nb:\n  <<: *a\n" +
               repeated(n, [](std::size_t i) { return "  z" + number(i) + ": 1\n"; });
    });
    add("a list of small mappings merged", 300, [](std::size_t n) {
        return repeated(
                   n,
                   [](std::size_t i) { return "a" + number(i) + ": &a" + number(i) + " {k" + number(i) + ": 1}\n"; }) +
               "b: {<<: [" + repeated(n, [](std::size_t i) { return "*a" + number(i) + ", "; }) + "]}\n";
    });
    add("one mapping merged again and again", 300, [](std::size_t n) {
        return "a: &a {k: 1, l: 2}\n" +
               repeated(n, [](std::size_t i) { return "b" + number(i) + ": {<<: *a, m: 3}\n"; });
    });
    add("each mapping merges the one before", 1000, [](std::size_t n) {
        return "a0: &a0 {k: 1}\n" + repeated(n, [](std::size_t i) {
                   return "a" + number(i + 1) + ": &a" + number(i + 1) + " {<<: *a" + number(i) + ", k" + number(i) +
                          ": 1}\n";
               });
    });
    add("large mappings merged many times", 1000, [](std::size_t n) {
        return "a: &a " + flow_keys(n) + "\n" +
               repeated(n, [](std::size_t i) { return "b" + number(i) + ": {<<: *a}\n"; });
    });
    // Aliases and anchors.
    add("an alias of a scalar again and again", 1000,
        [](std::size_t n) { return "a: &a x\nb: [" + repeated(n, "*a,") + "]\n"; });
    add("an alias of a list again and again", 500,
        [](std::size_t n) { return "a: &a [x]\nb:\n" + repeated(n, "- *a\n"); });
    add("aliases as keys", 500, [](std::size_t n) {
        return repeated(n, [](std::size_t i) { return "- &a" + number(i) + " x\n"; }) + "- {" +
               repeated(n, [](std::size_t i) { return "*a" + number(i) + " : 1, "; }) + "}\n";
    });
    add("an anchor on each value", 500, [](std::size_t n) {
        return repeated(n, [](std::size_t i) { return "k" + number(i) + ": &a" + number(i) + " 1\n"; });
    });
    add("one anchor given again and again", 500, [](std::size_t n) { return repeated(n, "- &a 1\n"); });
    add("anchors with long names", 1000, [](std::size_t n) {
        const auto name = std::string(n, 'a');
        return "- &" + name + " 1\n- *" + name + "\n- *" + name + "\n";
    });
    add("a long anchor named many times", 100, [](std::size_t n) {
        const auto name = std::string(100, 'a');
        return "- &" + name + " 1\n" + repeated(n, "- *" + name + "\n");
    });
    // The smallest is refused for its million values already: what may not grow is the time until then.
    add("aliases that multiply", 30, [](std::size_t n) {
        return "a0: &a0 [x,x]\n" + repeated(n, [](std::size_t i) {
                   return "a" + number(i + 1) + ": &a" + number(i + 1) + " [*a" + number(i) + ", *a" + number(i) +
                          "]\n";
               });
    });
    add(
        "an alias across items", 300,
        [](std::size_t n) { return "items:\n- &a {k: 1}\n" + repeated(n, "- {k: *a}\n"); }, many);
    // Flow collections.
    add("a long flow list", 1000, [](std::size_t n) { return "[" + repeated(n, "a,") + "]"; });
    add("a long flow list without an end", 1000, [](std::size_t n) { return "- [" + repeated(n, "a,"); });
    add("a long flow mapping", 500, flow_keys);
    add("flow lists of one item", 500, [](std::size_t n) { return repeated(n, "- [a]\n"); });
    add("flow pairs", 500, [](std::size_t n) { return "- [" + repeated(n, "a: b, ") + "]\n"; });
    add("empty entries of a flow mapping", 1000, [](std::size_t n) { return "- {" + repeated(n, "a,") + "}"; });
    add("colons", 1000, [](std::size_t n) { return "- {" + repeated(n, ":,") + "}"; });
    add("question marks", 1000, [](std::size_t n) { return "- {" + repeated(n, "? a,") + "}"; });
    add("brackets over lines", 500, [](std::size_t n) { return "- [" + repeated(n, "a,\n ") + "]"; });
    // Nesting.
    add("open brackets", 1000, [](std::size_t n) { return std::string(n, '['); });
    add("open braces", 1000, [](std::size_t n) { return "x: " + repeated(n, "{a: "); });
    add("dashes on a line", 1000, [](std::size_t n) { return repeated(n, "- "); });
    add("question marks on a line", 1000, [](std::size_t n) { return repeated(n, "? "); });
    add("deeper at each line", 30,
        [](std::size_t n) { return repeated(n, [](std::size_t i) { return std::string(i, ' ') + "a:\n"; }); });
    add("deep again and again", 5, [](std::size_t n) {
        const auto deep = std::string(150, '[') + std::string(150, ']');
        return repeated(n, "- " + deep + "\n");
    });
    add("deep in block style again and again", 3, [](std::size_t n) {
        return repeated(n, [](std::size_t i) {
            return "k" + number(i) + ":\n" +
                   repeated(100, [](std::size_t k) { return std::string(k + 1, ' ') + "a:\n"; });
        });
    });
    // Keys.
    add("many keys", 1000, keys);
    add("keys with a long common beginning", 100, [](std::size_t n) {
        return repeated(n, [](std::size_t i) { return std::string(100, 'k') + number(i) + ": 1\n"; });
    });
    add("a long key", 5000, [](std::size_t n) { return std::string(n, 'k') + ": 1\n"; });
    add("a long key in quotes", 5000, [](std::size_t n) { return '"' + std::string(n, 'k') + "\": 1\n"; });
    add("a long explicit key", 5000, [](std::size_t n) { return "? " + std::string(n, 'k') + "\n: 1\n"; });
    add("a key over lines", 1000, [](std::size_t n) { return repeated(n, "word\n") + ": 1\n"; });
    add("a word that may be a key at each place", 1000, [](std::size_t n) { return "{" + repeated(n, "word ") + "}"; });
    add(
        "keys before the items of a list", 300,
        [](std::size_t n) {
            return "apiVersion: v1\nkind: PodList\n" + keys(n) + "items:\n" + repeated(n, "- {a: 1}\n");
        },
        many);
    add(
        "keys before the items of a list of no kind", 300,
        [](std::size_t n) { return keys(n) + "items:\n" + repeated(n, "- {a: 1}\n"); }, many);
    add("a repeated key at the end", 1000, [](std::size_t n) { return keys(n) + "k0: 2\n"; });
    // Documents.
    add("empty documents", 1000, [](std::size_t n) { return repeated(n, "---\n"); }, many);
    add("documents", 500, [](std::size_t n) { return repeated(n, "---\na: 1\n"); }, many);
    add("ends of documents", 1000, [](std::size_t n) { return repeated(n, "...\n"); }, many);
    add(
        "documents with directives", 300, [](std::size_t n) { return repeated(n, "%YAML 1.2\n---\na: 1\n...\n"); },
        many);
    add("tag directives", 300, [](std::size_t n) {
        return repeated(n, [](std::size_t i) { return "%TAG !t" + number(i) + "! tag:x\n"; }) + "---\na: 1\n";
    });
    add("directives of no meaning", 500, [](std::size_t n) { return repeated(n, "%NONE x y z\n") + "---\na: 1\n"; });
    add(
        "lists in a list", 100,
        [](std::size_t n) {
            return "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: PodList\n  items:\n" +
                   repeated(n, "  - {a: 1}\n");
        },
        many);
    // Tags.
    add("a tag on each value", 500, [](std::size_t n) { return repeated(n, "- !!str a\n"); });
    add("a long tag", 5000, [](std::size_t n) { return "- !<" + std::string(n, 't') + "> a\n"; });
    add("a long tag with a handle", 5000, [](std::size_t n) { return "- !h!" + std::string(n, 't') + " a\n"; });
    add("an escaped tag", 2000, [](std::size_t n) { return "- !" + repeated(n, "%21") + " a\n"; });
    add("tags after one another", 1000, [](std::size_t n) { return "- " + repeated(n, "!a ") + "b\n"; });
    add("anchors after one another", 1000, [](std::size_t n) { return "- " + repeated(n, "&a ") + "b\n"; });
    // Scalars and what is around them.
    add("a long word", 10000, [](std::size_t n) { return "a: " + std::string(n, 'x'); });
    add("a long text without an end", 10000, [](std::size_t n) { return "a: \"" + std::string(n, 'x'); });
    add("escapes", 3000, [](std::size_t n) { return "a: \"" + repeated(n, "\\u0041") + "\"\n"; });
    add("escaped ends of lines", 2000, [](std::size_t n) { return "a: \"" + repeated(n, "x\\\n") + "\"\n"; });
    add("quotes in quotes", 5000, [](std::size_t n) { return "a: '" + repeated(n, "''") + "'\n"; });
    add("a text over lines", 2000, [](std::size_t n) { return "a: " + repeated(n, "x\n ") + "\n"; });
    add("a text over blank lines", 5000, [](std::size_t n) { return "a: x" + std::string(n, '\n') + " y\n"; });
    add("a quoted text over blank lines", 5000,
        [](std::size_t n) { return "a: \"x" + std::string(n, '\n') + " y\"\n"; });
    add("a text and many blanks", 5000, [](std::size_t n) { return "a: x" + std::string(n, ' ') + "y\n"; });
    add("blanks at the ends of lines", 100,
        [](std::size_t n) { return "a: \"" + repeated(n, "x" + std::string(100, ' ') + "\n") + "\"\n"; });
    add("a literal block", 1000, [](std::size_t n) { return "a: |\n" + repeated(n, "  text\n"); });
    add("a literal block of blank lines", 5000,
        [](std::size_t n) { return "a: |+\n" + std::string(n, '\n') + "b: 1\n"; });
    add("a literal block of lines of blanks", 1000,
        [](std::size_t n) { return "a: |-\n  x\n" + repeated(n, "     \n") + "b: 1\n"; });
    add("a folded block", 1000, [](std::size_t n) { return "a: >\n" + repeated(n, "  text\n\n"); });
    add("literal blocks", 300, [](std::size_t n) { return repeated(n, "- |\n  text\n"); });
    add("comments", 1000, [](std::size_t n) { return repeated(n, "# x\n") + "a: 1\n"; });
    add("comments after values", 500, [](std::size_t n) { return repeated(n, "- 1 # x\n"); });
    add("a long comment", 10000, [](std::size_t n) { return "# " + std::string(n, 'x') + "\na: 1\n"; });
    add("blanks", 10000, [](std::size_t n) { return std::string(n, ' ') + "a: 1\n"; });
    add("tabs", 10000, [](std::size_t n) { return "a:" + std::string(n, '\t') + "1\n"; });
    add("blank lines", 10000, [](std::size_t n) { return std::string(n, '\n') + "a: 1\n"; });
    add("a long number", 10000, [](std::size_t n) { return "a: " + std::string(n, '9') + "\n"; });
    add("a long number in hexadecimal", 10000, [](std::size_t n) { return "a: 0x" + std::string(n, 'f') + "\n"; });
    add("a long fraction", 10000, [](std::size_t n) { return "a: 0." + std::string(n, '1') + "\n"; });
    add("a long exponent", 10000, [](std::size_t n) { return "a: 1e" + std::string(n, '9') + "\n"; });
    add("a long number with a tag", 10000, [](std::size_t n) { return "a: !!int " + std::string(n, '9') + "\n"; });
    // What is done with what was read.
    add("the place of each value", 500, keys, places);
    add("written again", 500, keys, rewritten);
    add(
        "deep texts written again", 30,
        [](std::size_t n) { return std::string(100, '[') + repeated(n, "\"a\\nb\\n\", ") + std::string(100, ']'); },
        rewritten);
}

}  // namespace berth::attack
