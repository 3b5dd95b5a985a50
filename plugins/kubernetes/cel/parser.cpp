// SPDX-License-Identifier: Apache-2.0
#include "parser.h"

#include "lexer.h"
#include "macros.h"
#include "numbers.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace kubernetes::cel {

namespace {

constexpr std::size_t most_characters = 100'000;
constexpr int most_nested = 250;

struct SyntaxError {
    std::uint32_t position;
    std::string text;
};

struct TooDeep {
    std::string text;
};

/// A rule of the grammar within itself; cel-go counts each rule on its own, and each link of a chain a + b + c.
class Nesting {
    int &depth_;
    int entered_ = 0;

public:
    explicit Nesting(int &depth) : depth_(depth) { enter(); }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    ~Nesting() { depth_ -= entered_; }

    void enter() {
        ++entered_;
        if (++depth_ > most_nested)
            throw TooDeep{"expression recursion limit exceeded: " + std::to_string(most_nested)};
    }
};

class Parser {
    const Source &source_;
    Issues &issues_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    Work copies_{100'000};
    int in_expr_ = 0;
    int in_relation_ = 0;
    int in_calc_ = 0;
    int in_member_ = 0;

    const Token &token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    bool take(std::string_view op) {
        if (!token().is(op)) return false;
        ++at_;
        return true;
    }
    [[noreturn]] void fail(std::string_view expected) const {
        const auto &found = token();
        if (found.kind == Token::Kind::Unknown)
            throw SyntaxError{found.begin, "token recognition error at: '" + found.text + "'"};
        throw SyntaxError{found.begin, "found '" + (found.kind == Token::Kind::End ? "<EOF>" : found.text) +
                                           "' where " + std::string{expected} + " should be"};
    }
    std::uint32_t expect(std::string_view op) {
        const auto position = token().begin;
        if (!take(op)) fail("'" + std::string{op} + "'");
        return position;
    }

    ExprPtr faulty(std::uint32_t position, std::string text) {
        issues_.add(position, std::move(text));
        auto result = std::make_unique<Expr>();
        result->position = position;
        return result;
    }

    /// A selection, an operator or a call: one level on top of its parts.
    static ExprPtr nested(ExprPtr expr) {
        std::uint16_t depth = 0;
        for (const auto &part : expr->parts) depth = std::max(depth, part->depth);
        expr->depth = static_cast<std::uint16_t>(depth + 1);
        if (expr->depth > most_nested) throw TooDeep{"max recursion depth exceeded"};
        return expr;
    }
    /// A call as others, which does not count.
    static ExprPtr flat(ExprPtr expr) {
        for (const auto &part : expr->parts) expr->depth = std::max(expr->depth, part->depth);
        return expr;
    }

    ExprPtr binary(std::uint32_t position, std::string function, ExprPtr left, ExprPtr right) {
        std::vector<ExprPtr> parts;
        parts.push_back(std::move(left));
        parts.push_back(std::move(right));
        return nested(new_call(position, std::move(function), std::move(parts)));
    }

    ExprPtr parse_expr() {
        Nesting nesting{in_expr_};
        auto condition = parse_or();
        if (!token().is("?")) return condition;
        const auto position = expect("?");
        std::vector<ExprPtr> parts;
        parts.push_back(std::move(condition));
        parts.push_back(parse_or());
        expect(":");
        parts.push_back(parse_expr());
        return nested(new_call(position, "_?_:_", std::move(parts)));
    }

    struct Chain {
        std::vector<ExprPtr> terms;
        std::vector<std::uint32_t> positions;
    };

    /// As cel-go does, a balanced tree of binary operators.
    ExprPtr balanced(Chain &chain, const char *function, std::size_t low, std::size_t high) {
        const auto middle = (low + high + 1) / 2;
        std::vector<ExprPtr> parts;
        parts.push_back(middle == low ? std::move(chain.terms[middle]) : balanced(chain, function, low, middle - 1));
        parts.push_back(middle == high ? std::move(chain.terms[middle + 1])
                                       : balanced(chain, function, middle + 1, high));
        return flat(new_call(chain.positions[middle], function, std::move(parts)));
    }

    ExprPtr parse_chain(const char *op, const char *function, ExprPtr (Parser::*term)()) {
        Chain chain;
        chain.terms.push_back((this->*term)());
        while (token().is(op)) {
            chain.positions.push_back(expect(op));
            chain.terms.push_back((this->*term)());
        }
        if (chain.positions.empty()) return std::move(chain.terms[0]);
        return balanced(chain, function, 0, chain.positions.size() - 1);
    }
    ExprPtr parse_or() { return parse_chain("||", "_||_", &Parser::parse_and); }
    ExprPtr parse_and() { return parse_chain("&&", "_&&_", &Parser::parse_relation); }

    ExprPtr parse_relation() {
        struct Relation {
            const char *op;
            const char *function;
        };
        static constexpr std::array<Relation, 7> relations{{{"<", "_<_"},
                                                            {"<=", "_<=_"},
                                                            {">=", "_>=_"},
                                                            {">", "_>_"},
                                                            {"==", "_==_"},
                                                            {"!=", "_!=_"},
                                                            {"in", "@in"}}};
        Nesting nesting{in_relation_};
        auto left = parse_calc(1);
        for (;;) {
            const auto *found = std::ranges::find_if(relations, [&](const auto &each) { return token().is(each.op); });
            if (found == relations.end()) return left;
            nesting.enter();
            const auto position = expect(found->op);
            Nesting right{in_relation_};
            left = binary(position, found->function, std::move(left), parse_calc(1));
        }
    }

    ExprPtr parse_calc(int least) {
        struct Calculation {
            const char *op;
            const char *function;
            int precedence;
        };
        static constexpr std::array<Calculation, 5> calculations{
            {{"*", "_*_", 2}, {"/", "_/_", 2}, {"%", "_%_", 2}, {"+", "_+_", 1}, {"-", "_-_", 1}}};
        Nesting nesting{in_calc_};
        auto left = parse_unary();
        for (;;) {
            const auto *found =
                std::ranges::find_if(calculations, [&](const auto &each) { return token().is(each.op); });
            if (found == calculations.end() || found->precedence < least) return left;
            nesting.enter();
            const auto position = expect(found->op);
            left = binary(position, found->function, std::move(left), parse_calc(found->precedence + 1));
        }
    }

    ExprPtr parse_unary() {
        const auto next = token(1).kind;
        const bool negative_literal = token().is("-") && (next == Token::Kind::Int || next == Token::Kind::Double);
        if (!token().is("!") && (!token().is("-") || negative_literal)) return parse_member();
        const bool negation = token().is("-");
        const auto position = token().begin;
        bool odd = false;
        while (take(negation ? "-" : "!")) odd = !odd;
        auto operand = parse_member();
        if (!odd) return operand;
        std::vector<ExprPtr> parts;
        parts.push_back(std::move(operand));
        return flat(new_call(position, negation ? "-_" : "!_", std::move(parts)));
    }

    std::string field_name() {
        const auto &found = token();
        if (found.kind == Token::Kind::EscapedIdentifier) {
            issues_.add(found.begin, "unsupported syntax: '`'");
            ++at_;
            return {};
        }
        if (found.kind != Token::Kind::Identifier) fail("a name");
        return tokens_[at_++].text;
    }

    ExprPtr parse_member() {
        Nesting nesting{in_member_};
        auto result = parse_primary();
        for (;;) {
            if (!token().is(".") && !token().is("[")) return result;
            nesting.enter();
            result = token().is(".") ? parse_selection(std::move(result)) : parse_index(std::move(result));
        }
    }

    ExprPtr parse_selection(ExprPtr operand) {
        const auto position = expect(".");
        const bool optional = take("?");
        const auto field_position = token().begin;
        const bool plain_name = token().kind == Token::Kind::Identifier;
        auto field = field_name();
        std::vector<ExprPtr> parts;
        parts.push_back(std::move(operand));
        if (optional) {
            parts.push_back(new_literal(field_position, Value::of_string(std::move(field))));
            return nested(new_call(position, "_?._", std::move(parts)));
        }
        if (plain_name && token().is("(")) {
            const auto open = expect("(");
            parse_arguments(parts);
            return expand(nested(new_call(open, std::move(field), std::move(parts), true)), copies_, issues_);
        }
        auto select = new_ident(position, std::move(field));
        select->kind = Expr::Kind::Select;
        select->parts = std::move(parts);
        return nested(std::move(select));
    }

    ExprPtr parse_index(ExprPtr operand) {
        const auto position = expect("[");
        const bool optional = take("?");
        auto index = parse_expr();
        expect("]");
        return binary(position, optional ? "_[?_]" : "_[_]", std::move(operand), std::move(index));
    }

    /// Behind the opening parenthesis.
    void parse_arguments(std::vector<ExprPtr> &into) {
        if (take(")")) return;
        do into.push_back(parse_expr());
        while (take(","));
        expect(")");
    }

    /// Whether a message begins here: a qualified name and a brace.
    bool at_message() const {
        std::size_t ahead = token().is(".") ? 1 : 0;
        if (token(ahead).kind != Token::Kind::Identifier) return false;
        for (++ahead; token(ahead).is(".") && token(ahead + 1).kind == Token::Kind::Identifier;) ahead += 2;
        return token(ahead).is("{");
    }

    ExprPtr parse_primary() {
        const auto begin = token().begin;
        if (at_message()) return skip_message();
        if (take("(")) {
            auto inner = parse_expr();
            expect(")");
            return inner;
        }
        if (token().is("[")) return parse_list();
        if (token().is("{")) return parse_map();
        if (token().is(".") || token().kind == Token::Kind::Identifier) {
            std::string name = take(".") ? "." : "";
            if (token().kind != Token::Kind::Identifier) fail("a name");
            const auto position = token().begin;
            const auto word = tokens_[at_++].text;
            const bool called = token().is("(");
            const auto open = token().begin;
            std::vector<ExprPtr> arguments;
            if (take("(")) parse_arguments(arguments);
            if (reserved(word)) return faulty(begin, "reserved identifier: " + word);
            if (!called) return new_ident(position, name + word);
            return expand(flat(new_call(open, name + word, std::move(arguments))), copies_, issues_);
        }
        return parse_literal();
    }

    static bool reserved(std::string_view word) {
        static constexpr std::array<std::string_view, 17> words{
            "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
            "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
        return std::ranges::find(words, word) != words.end();
    }

    ExprPtr skip_message() {
        const auto position = token().begin;
        while (!token().is("{")) ++at_;
        expect("{");
        while (!token().is("}") && !token().is(",")) {
            do {
                take("?");
                field_name();
                expect(":");
                parse_expr();
            } while (take(",") && !token().is("}"));
        }
        take(",");
        expect("}");
        return faulty(position, "not supported: messages");
    }

    ExprPtr parse_list() {
        auto list = std::make_unique<Expr>();
        list->kind = Expr::Kind::List;
        list->position = expect("[");
        std::vector<bool> optional;
        if (!token().is("]") && !token().is(",")) {
            do {
                if (token().is("]")) break;
                optional.push_back(take("?"));
                list->parts.push_back(parse_expr());
            } while (take(","));
        } else {
            take(",");
        }
        expect("]");
        if (std::ranges::find(optional, true) != optional.end()) list->optional = optional;
        return flat(std::move(list));
    }

    ExprPtr parse_map() {
        auto map = std::make_unique<Expr>();
        map->kind = Expr::Kind::Map;
        map->position = expect("{");
        std::vector<bool> optional;
        if (!token().is("}") && !token().is(",")) {
            do {
                if (token().is("}")) break;
                optional.push_back(take("?"));
                map->parts.push_back(parse_expr());
                expect(":");
                map->parts.push_back(parse_expr());
            } while (take(","));
        } else {
            take(",");
        }
        expect("}");
        if (std::ranges::find(optional, true) != optional.end()) map->optional = optional;
        return flat(std::move(map));
    }

    ExprPtr parse_literal() {
        const auto position = token().begin;
        const auto next = token(1).kind;
        const bool negative = token().is("-") && (next == Token::Kind::Int || next == Token::Kind::Double);
        if (negative) ++at_;
        const auto found = token();
        const auto with_sign = (negative ? "-" : "") + found.text;
        switch (found.kind) {
            case Token::Kind::Int: ++at_; return int_literal(position, negative, found.text);
            case Token::Kind::Uint: ++at_; return uint_literal(position, found.text);
            case Token::Kind::Double: {
                ++at_;
                double real = 0;
                if (!read_double(with_sign, real)) return faulty(position, "invalid double literal");
                return new_literal(position, Value::of_double(real));
            }
            case Token::Kind::String:
            case Token::Kind::Bytes: {
                ++at_;
                const bool bytes = found.kind == Token::Kind::Bytes;
                std::string text;
                if (auto error = unescape(found.text, bytes, text); !error.empty()) return faulty(position, error);
                return new_literal(position,
                                   bytes ? Value::of_bytes(std::move(text)) : Value::of_string(std::move(text)));
            }
            default: break;
        }
        if (take("true")) return new_literal(position, Value::of_bool(true));
        if (take("false")) return new_literal(position, Value::of_bool(false));
        if (take("null")) return new_literal(position, Value{});
        fail("an expression");
    }

    ExprPtr int_literal(std::uint32_t position, bool negative, std::string_view text) {
        const int base = text.starts_with("0x") ? 16 : 10;
        if (base == 16) text.remove_prefix(2);
        const auto digits = (negative ? "-" : "") + std::string{text};
        std::int64_t integer = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), integer, base).ec != std::errc{})
            return faulty(position, "invalid int literal");
        return new_literal(position, Value::of_int(integer));
    }

    ExprPtr uint_literal(std::uint32_t position, std::string_view text) {
        text.remove_suffix(1);
        const int base = text.starts_with("0x") ? 16 : 10;
        if (base == 16) text.remove_prefix(2);
        std::uint64_t natural = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), natural, base).ec != std::errc{})
            return faulty(position, "invalid uint literal");
        return new_literal(position, Value::of_uint(natural));
    }

public:
    Parser(const Source &source, Issues &issues) : source_(source), issues_(issues) {}

    ExprPtr run() {
        if (source_.characters().size() > most_characters) {
            issues_.add(nowhere, "expression code point size exceeds limit: size: " +
                                     std::to_string(source_.characters().size()) + ", limit " +
                                     std::to_string(most_characters));
            return nullptr;
        }
        tokens_ = tokens_of(source_);
        try {
            auto result = parse_expr();
            if (token().kind != Token::Kind::End) fail("the end");
            return issues_.empty() ? std::move(result) : nullptr;
        } catch (const SyntaxError &error) {
            issues_.add(error.position, "Syntax error: " + error.text);
        } catch (const TooDeep &deep) {
            issues_.add(nowhere, deep.text);
        }
        return nullptr;
    }
};

}  // namespace

ExprPtr parse(const Source &source, Issues &issues) { return Parser{source, issues}.run(); }

}  // namespace kubernetes::cel
