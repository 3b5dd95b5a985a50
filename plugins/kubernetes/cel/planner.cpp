// SPDX-License-Identifier: Apache-2.0
#include "planner.h"

#include "macros.h"

#include <algorithm>

namespace kubernetes::cel {

namespace {

const char *type_named(std::string_view name) {
    static constexpr auto names = std::to_array<const char *>(
        {"bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"});
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? nullptr : *found;
}

class Planner {
    struct Variable {
        std::string name;
        std::size_t slot;
    };
    std::vector<Variable> scope_;  ///< innermost last
    std::size_t slots_ = 0;
    Work &compilation_;
    std::size_t bytes_ = 0;
    Work work_{1'000'000};  ///< for what is done once

    /// What the program takes of memory.
    void keep(std::size_t bytes) {
        compilation_.charge_bytes(bytes);
        bytes_ += bytes;
    }
    static constexpr std::size_t around = 16;  ///< of the heap, around each object
    static constexpr std::size_t growth = 2;   ///< a vector may have room for as many again
    static constexpr std::size_t string = 80;  ///< without its text
    template <typename T, typename... Arguments>
    std::unique_ptr<T> made(Arguments &&...arguments) {
        keep(sizeof(T) + around);
        return std::make_unique<T>(std::forward<Arguments>(arguments)...);
    }

    std::unique_ptr<Path> as_path(NodePtr node) {
        if (dynamic_cast<Path *>(node.get())) return std::unique_ptr<Path>{static_cast<Path *>(node.release())};
        return made<Path>(std::move(node));
    }
    void add(Path &path, std::shared_ptr<const Qualifier> qualifier) {
        const auto places = path.add(std::move(qualifier));
        keep(sizeof(Qualifier) + 2 * around + places * (growth * sizeof(std::shared_ptr<Qualifier>) + around));
    }

    /// What `make` gives and costs; nullptr if it does too much work for now, or fails in a way that ends an
    /// evaluation.
    template <typename Make>
    NodePtr done_once(Make make) {
        constexpr std::uint64_t most = 20'000;
        Evaluation evaluation;
        evaluation.work = Work{std::min(most, work_.left())};
        const auto before = evaluation.work.left();
        NodePtr node;
        try {
            auto value = make(evaluation);
            node = made<Known>(std::move(value), evaluation.cost);
        } catch (const Evaluation::Abort &) {
            node = nullptr;
        } catch (const Work::Exhausted &) {
            evaluation.work = Work{0};
        }
        const auto done = before - evaluation.work.left();
        work_.charge(done);
        if (node) keep(growth * done * Work::bytes_of_unit);
        return node;
    }

    NodePtr plan_ident(const Expr &expr) {
        if (expr.type->kind == Type::Kind::Type) {
            const auto *type = type_named(expr.name);
            if (!type) throw PlanError{"reference to undefined type: " + expr.name};
            return made<Constant>(Value::of_type(type));
        }
        for (auto each = scope_.rbegin(); each != scope_.rend(); ++each)
            if (each->name == expr.name) return made<Path>(Path::Root::Variable, each->slot);
        return made<Path>(Path::Root::Device);
    }

    std::vector<NodePtr> plan_all(const Expr &expr) {
        std::vector<NodePtr> nodes;
        keep(around + expr.parts.size() * growth * sizeof(NodePtr));
        for (const auto &part : expr.parts) nodes.push_back(plan_part(*part));
        return nodes;
    }

    NodePtr plan_select(const Expr &expr) {
        auto path = as_path(plan_part(*expr.parts[0]));
        auto qualifier = std::make_shared<Qualifier>();
        keep(string + expr.name.size());
        qualifier->key = Value::of_string(expr.name);
        qualifier->test_only = expr.test_only;
        add(*path, std::move(qualifier));
        return path;
    }

    NodePtr plan_index(const Expr &expr, bool optional) {
        auto operand = plan_part(*expr.parts[0]);
        auto index = plan_part(*expr.parts[1]);
        auto path = as_path(std::move(operand));
        auto qualifier = std::make_shared<Qualifier>();
        qualifier->optional = optional;
        if (const auto *key = index->constant()) {
            switch (key->kind()) {
                case Kind::Bool:
                case Kind::Int:
                case Kind::Uint:
                case Kind::Double:
                case Kind::String: qualifier->key = *key; break;
                default: throw PlanError{"invalid qualifier type: " + go_type(*key)};
            }
        } else if (dynamic_cast<Path *>(index.get())) {
            qualifier->path = as_path(std::move(index));
        } else {
            qualifier->index = std::move(index);
        }
        add(*path, std::move(qualifier));
        return path;
    }

    NodePtr plan_conditional(const Expr &expr) {
        auto nodes = plan_all(expr);
        return made<Path>(std::move(nodes[0]), as_path(std::move(nodes[1])), as_path(std::move(nodes[2])));
    }

    std::unique_ptr<Regex> constant_regex(const Expr &expr, const std::vector<NodePtr> &arguments) {
        if (expr.name != "matches" && expr.name != "find" && expr.name != "findAll") return nullptr;
        const auto *pattern = arguments[1]->constant();
        if (!pattern || !pattern->is(Kind::String)) return nullptr;
        auto regex = std::make_unique<Regex>();
        if (auto error = Regex::compile_to_keep(compilation_, pattern->text(), *regex); !error.empty())
            throw PlanError{error};
        keep(sizeof *regex + regex->bytes());
        return regex;
    }

    /// `in` a constant list, where the checker knows that it is a list.
    NodePtr membership(const Expr &expr, std::vector<NodePtr> &arguments) {
        if (expr.name != "@in" || !expr.overload || expr.overload->arguments[1]->kind != Type::Kind::List)
            return nullptr;
        const auto *list = arguments[1]->constant();
        if (!list || !list->is(Kind::List)) return nullptr;
        if (list->list().items.empty()) return made<Constant>(Value::of_bool(false));
        if (!Membership::possible(list->list())) return nullptr;
        constexpr std::size_t kinds = 3;  // of a number
        keep(around + list->list().items.size() * kinds * growth * sizeof(Value));
        return made<Membership>(std::move(arguments[0]), list->list());
    }

    NodePtr plan_call(const Expr &expr) {
        const auto &name = expr.name;
        if (name == "_?_:_") return plan_conditional(expr);
        if (name == "_[_]") return plan_index(expr, false);
        if (name == "_[?_]" || name == "_?._") return plan_index(expr, true);
        if (name == "_+_" && expr.parts[0]->name == hidden_accumulator && expr.parts[1]->kind == Expr::Kind::List)
            return made<Append>(slot_of(hidden_accumulator), plan_part(*expr.parts[1]));
        auto arguments = plan_all(expr);
        if (name == "_&&_" || name == "_||_")
            return made<Logic>(std::move(arguments[0]), std::move(arguments[1]), name == "_||_");
        if (name == "_==_" || name == "_!=_")
            return once_if_pure(made<Equals>(std::move(arguments[0]), std::move(arguments[1]), name == "_!=_"));
        if (name == "or" || name == "orValue")
            return made<OrElse>(std::move(arguments[0]), std::move(arguments[1]), name == "orValue");
        if (auto node = membership(expr, arguments)) return node;
        const bool constant = arguments.size() == 1 && arguments[0]->constant();
        auto regex = constant_regex(expr, arguments);
        auto call = made<Call>(*expr.function, expr.overload, std::move(arguments), std::move(regex));
        if (!constant || !expr.function->conversion) return once_if_pure(std::move(call));
        Evaluation evaluation;
        evaluation.work = compilation_;
        auto value = call->run(evaluation);
        if (value.is_error()) throw PlanError{value.text()};
        keep(string + (compilation_.left() - evaluation.work.left()) * Work::bytes_of_unit);
        return made<Constant>(std::move(value));
    }

    NodePtr once_if_pure(NodePtr node) {
        if (!node->pure()) return node;
        auto known = done_once([&](Evaluation &evaluation) { return node->run(evaluation); });
        return known ? std::move(known) : std::move(node);
    }

    std::size_t slot_of(std::string_view name) const {
        return std::ranges::find(scope_.rbegin(), scope_.rend(), name, &Variable::name)->slot;
    }

    static bool all_constant(const std::vector<NodePtr> &nodes) {
        return std::ranges::all_of(nodes, [](const auto &node) { return node->constant() != nullptr; });
    }

    template <typename Literal>
    NodePtr plan_literal(const Expr &expr) {
        auto parts = plan_all(expr);
        const bool constant = all_constant(parts);
        auto literal = made<Literal>(std::move(parts), expr.optional);
        if (!constant) return literal;
        Evaluation evaluation;
        evaluation.work = compilation_;
        try {
            auto value = literal->made(evaluation);
            compilation_ = evaluation.work;
            keep(sizeof(Map) + 2 * around + expr.parts.size() * growth * sizeof(Value));
            return made<Constant>(std::move(value));
        } catch (const Evaluation::Abort &abort) {
            // It ends upstream's program.
            throw PlanError{"not supported: " + abort.text};
        }
    }

    NodePtr plan_comprehension(const Expr &expr) {
        Fold::Parts parts;
        parts.initial = plan_part(*expr.parts[Expr::Initial]);
        parts.range = plan_part(*expr.parts[Expr::Range]);
        const auto accumulator = slots_++;
        const auto variable = slots_++;
        scope_.push_back({expr.accumulator, accumulator});
        scope_.push_back({expr.variable, variable});
        parts.condition = plan_part(*expr.parts[Expr::Condition]);
        parts.step = plan_part(*expr.parts[Expr::Step]);
        scope_.pop_back();
        parts.result = plan_part(*expr.parts[Expr::Result]);
        scope_.pop_back();
        return made<Fold>(std::move(parts), variable, accumulator);
    }

    NodePtr plan_part(const Expr &expr) {
        switch (expr.kind) {
            case Expr::Kind::Literal:
                if (expr.literal.is(Kind::String) || expr.literal.is(Kind::Bytes)) keep(string);
                return made<Constant>(expr.literal);
            case Expr::Kind::Ident: return plan_ident(expr);
            case Expr::Kind::Select: return plan_select(expr);
            case Expr::Kind::Call: return plan_call(expr);
            case Expr::Kind::List: return plan_literal<ListLiteral>(expr);
            case Expr::Kind::Map: return plan_literal<MapLiteral>(expr);
            default: return plan_comprehension(expr);
        }
    }

public:
    explicit Planner(Work &compilation) : compilation_(compilation) {}

    Plan run(const Expr &expr) {
        auto root = plan_part(expr);
        return {std::move(root), slots_, bytes_};
    }
};

}  // namespace

Plan plan(const Expr &expr, Work &work) { return Planner{work}.run(expr); }

}  // namespace kubernetes::cel
