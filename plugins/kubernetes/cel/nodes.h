// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The nodes of an executable CEL program, with their costs (upstream: cel-go's interpreter).

#include "functions.h"
#include "regex.h"
#include "value.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubernetes::cel {

class Node;
using NodePtr = std::unique_ptr<Node>;

/// A variable while a comprehension runs. An accumulator gets its first value when it is first used.
struct Slot {
    Value value;
    bool ready = true;
    const Node *initial = nullptr;
};

/// One run of a program. Throws Abort.
struct Evaluation {
    static constexpr std::uint64_t cost_limit = 1'000'000;  ///< resourceapi.CELSelectorExpressionMaxCost

    struct Abort {
        std::string text;
    };

    const Value *device = nullptr;
    Work work;
    std::uint64_t cost = 0;
    std::vector<Slot> slots;

    void charge(std::uint64_t units) {
        cost += units;
        if (cost > cost_limit) throw Abort{"operation cancelled: actual cost limit exceeded"};
    }
};

/// A part of a program. Its costs are those of cel-go's interpreter with the options of Kubernetes' base environment.
class Node {
public:
    Node() = default;
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;
    virtual ~Node() = default;

    virtual Value run(Evaluation &evaluation) const = 0;
    /// What upstream knows before it runs the program; other nodes' values may be known, too (Known).
    virtual const Value *constant() const { return nullptr; }
    /// Whether it gives always the same value.
    virtual bool pure() const { return constant() != nullptr; }
};

class Constant : public Node {
    Value value_;

public:
    explicit Constant(Value value) : value_(std::move(value)) {}
    Value run(Evaluation & /*evaluation*/) const override { return value_; }
    const Value *constant() const override { return &value_; }
};

/// A call of constants, made once: its value and what it costs each time.
class Known : public Node {
    Value value_;
    std::uint64_t cost_;

public:
    Known(Value value, std::uint64_t cost) : value_(std::move(value)), cost_(cost) {}
    Value run(Evaluation &evaluation) const override {
        evaluation.charge(cost_);
        return value_;
    }
    bool pure() const override { return true; }
};

class Path;

/// .field, [index], .?field or [?index]
struct Qualifier {
    Value key;
    NodePtr index;               ///< if the key is not constant
    std::unique_ptr<Path> path;  ///< the same, if it is a path, whose own cost is not charged then
    bool optional = false;
    bool test_only = false;

    Qualifier();
    ~Qualifier();
    Qualifier(const Qualifier &) = delete;
    Qualifier &operator=(const Qualifier &) = delete;
};

/// A variable or value and what is selected of it.
class Path : public Node {
public:
    enum class Root : std::uint8_t { Device, Variable, Operand, Conditional };

private:
    Root root_;
    std::size_t slot_ = 0;
    NodePtr operand_;  ///< Conditional: the condition
    std::unique_ptr<Path> truthy_;
    std::unique_ptr<Path> falsy_;
    std::vector<std::shared_ptr<const Qualifier>> qualifiers_;
    bool test_only_ = false;

    Value qualified(Evaluation &evaluation, const Value &root) const;

public:
    explicit Path(Root root, std::size_t slot = 0) : root_(root), slot_(slot) {}
    explicit Path(NodePtr operand) : root_(Root::Operand), operand_(std::move(operand)) {}
    Path(NodePtr condition, std::unique_ptr<Path> truthy, std::unique_ptr<Path> falsy)
        : root_(Root::Conditional),
          operand_(std::move(condition)),
          truthy_(std::move(truthy)),
          falsy_(std::move(falsy)) {}

    /// In how many paths it is then.
    std::size_t add(std::shared_ptr<const Qualifier> qualifier);
    bool bare_variable() const { return root_ == Root::Variable && qualifiers_.empty(); }
    std::size_t slot() const { return slot_; }

    /// Without the cost of the attribute itself.
    Value resolve(Evaluation &evaluation) const;
    Value run(Evaluation &evaluation) const override;
};

/// Of one overload, or of all that fit.
class Call : public Node {
    const Function &function_;
    const Overload *overload_;
    std::vector<NodePtr> arguments_;
    std::unique_ptr<Regex> regex_;
    Cost cost_;
    bool early_;  ///< the first argument that is an error ends the call, and nothing is charged

    Value applied(Evaluation &evaluation, Arguments arguments) const;
    Value with_regex(Work &work, Arguments arguments) const;
    Value dispatched(Work &work, Arguments arguments) const;

public:
    Call(const Function &function, const Overload *overload, std::vector<NodePtr> arguments,
         std::unique_ptr<Regex> regex);
    Value run(Evaluation &evaluation) const override;
    bool pure() const override;
};

class Logic : public Node {
    NodePtr left_;
    NodePtr right_;
    bool decisive_;  ///< || true, && false

public:
    Logic(NodePtr left, NodePtr right, bool decisive)
        : left_(std::move(left)), right_(std::move(right)), decisive_(decisive) {}
    Value run(Evaluation &evaluation) const override;
};

class Equals : public Node {
    NodePtr left_;
    NodePtr right_;
    bool negated_;

public:
    Equals(NodePtr left, NodePtr right, bool negated)
        : left_(std::move(left)), right_(std::move(right)), negated_(negated) {}
    Value run(Evaluation &evaluation) const override;
    bool pure() const override { return left_->pure() && right_->pure(); }
};

class ListLiteral : public Node {
    std::vector<NodePtr> elements_;
    std::vector<bool> optional_;

public:
    ListLiteral(std::vector<NodePtr> elements, std::vector<bool> optional)
        : elements_(std::move(elements)), optional_(std::move(optional)) {}
    Value made(Evaluation &evaluation) const;
    Value run(Evaluation &evaluation) const override;
};

class MapLiteral : public Node {
    std::vector<NodePtr> parts_;  ///< key, value, key, ...
    std::vector<bool> optional_;

public:
    MapLiteral(std::vector<NodePtr> parts, std::vector<bool> optional)
        : parts_(std::move(parts)), optional_(std::move(optional)) {}
    Value made(Evaluation &evaluation) const;
    Value run(Evaluation &evaluation) const override;
};

/// `in` a list of constants.
class Membership : public Node {
    NodePtr element_;
    std::vector<Value> set_;

public:
    Membership(NodePtr element, const List &list);
    static bool possible(const List &list);
    Value run(Evaluation &evaluation) const override;
};

/// x.or(y) and x.orValue(y).
class OrElse : public Node {
    NodePtr optional_;
    NodePtr other_;
    bool value_;

public:
    OrElse(NodePtr optional, NodePtr other, bool value)
        : optional_(std::move(optional)), other_(std::move(other)), value_(value) {}
    Value run(Evaluation &evaluation) const override;
};

class Fold : public Node {
public:
    struct Parts {
        NodePtr range;
        NodePtr initial;
        NodePtr condition;
        NodePtr step;
        NodePtr result;
    };

private:
    Parts parts_;
    std::size_t variable_;
    std::size_t accumulator_;

    Value iterated(Evaluation &evaluation, const Value &range) const;

public:
    Fold(Parts parts, std::size_t variable, std::size_t accumulator)
        : parts_(std::move(parts)), variable_(variable), accumulator_(accumulator) {}
    Value run(Evaluation &evaluation) const override;
};

/// accumulator + [element], in place where nothing else holds the list.
class Append : public Node {
    std::size_t accumulator_;
    NodePtr list_;

public:
    Append(std::size_t accumulator, NodePtr list) : accumulator_(accumulator), list_(std::move(list)) {}
    Value run(Evaluation &evaluation) const override;
};

}  // namespace kubernetes::cel
