// SPDX-License-Identifier: Apache-2.0
#include "plugin/thrown.h"

#include "plugin/fault.h"

#include <cxxabi.h>
#include <exception>
#include <string_view>
#include <typeinfo>

namespace berth::plugin {
namespace {

std::string type_name() {
    const std::type_info *type = abi::__cxa_current_exception_type();
    if (!type) return "a foreign exception";
    return demangled(type->name());
}

}  // namespace

std::string describe_thrown() {
    auto type = type_name();
    try {
        throw;
    } catch (const std::exception &e) {
        const char *what = e.what();
        return what && *what ? type + ": " + what : type;
    } catch (const char *text) {
        return text ? type + ": " + text : type;
    } catch (const std::string &text) {
        return "std::string: " + text;
    } catch (...) {
        return type;
    }
}

}  // namespace berth::plugin
