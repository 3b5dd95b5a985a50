# SPDX-License-Identifier: Apache-2.0
# berth_add_plugin(<name> SOURCES <file>... [LIBRARIES <library>...] [INSTALL])
#
# Adds a plugin library <name>.so, written in C, in C++ or in both. It exports berth_plugins_abi1 and nothing else, and a
# symbol that no linked library defines is an error when it is linked, not when a scheduler loads it. LIBRARIES are
# linked privately beside berth::sdk. Without a build type it is optimized as with -O2. With INSTALL,
# `cmake --install` puts it where the schedulers below that prefix look: BERTH_PLUGIN_DIR, lib/berth/plugins.
#
# berth_add_plugin_test(<name> PLUGIN <plugin> SOURCES <file>...)
#
# Adds a test program, in C++, of that plugin library: it finds the library's file in BERTH_PLUGIN_FILE, for
# berth::testing::Plugin (<berth/testing.hpp>), and is the CTest test <name>. It is compiled with -O0, in half the time;
# target_compile_options(<name> PRIVATE -O2) after it says otherwise.

# Where a scheduler looks for plugins, below the prefix that it was installed in. Each directory that finds the package
# has its own variable.
set(BERTH_PLUGIN_DIR lib/berth/plugins)

include_guard(GLOBAL)

function(berth_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INSTALL" "" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "berth_add_plugin(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}; expected "
                        "berth_add_plugin(<name> SOURCES <file>... [LIBRARIES <library>...] [INSTALL])")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "berth_add_plugin(${name}): SOURCES lists no file")
  endif()

  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/berth-plugin.map)
  add_library(${name} MODULE ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    SUFFIX ".so"
    C_STANDARD 11
    C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    CXX_STANDARD 20
    CXX_STANDARD_REQUIRED ON
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${map})
  # Scores must be the same bits whatever machine compiled them, so a multiply and an add are never fused.
  target_compile_options(${name} PRIVATE -ffp-contract=off $<$<CONFIG:>:-O2>)
  target_link_options(${name} PRIVATE LINKER:--version-script=${map})
  # clang leaves the sanitizers' own symbols to the program that loads the library.
  if(NOT (BERTH_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES Clang))
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
  target_link_libraries(${name} PRIVATE berth::sdk ${arg_LIBRARIES})
  if(arg_INSTALL)
    # A library that its group may write is refused by the scheduler.
    install(TARGETS ${name} LIBRARY DESTINATION ${BERTH_PLUGIN_DIR}
            PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endfunction()

function(berth_add_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PLUGIN" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_PLUGIN OR NOT arg_SOURCES)
    message(FATAL_ERROR "berth_add_plugin_test(${name}): expected "
                        "berth_add_plugin_test(<name> PLUGIN <plugin> SOURCES <file>...)")
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -O0)
  target_compile_definitions(${name} PRIVATE "BERTH_PLUGIN_FILE=\"$<TARGET_FILE:${arg_PLUGIN}>\"")
  target_link_libraries(${name} PRIVATE berth::sdk ${CMAKE_DL_LIBS})
  add_dependencies(${name} ${arg_PLUGIN})
  add_test(NAME ${name} COMMAND ${name})
endfunction()
