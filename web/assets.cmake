# SPDX-License-Identifier: Apache-2.0
# The dashboard as a source of the program: BERTH_WEB_ASSETS. Without npm the dashboard is left out, and says so.
set(BERTH_DASHBOARD AUTO CACHE STRING "Whether the dashboard is built in: AUTO (where it can be), ON or OFF")
set_property(CACHE BERTH_DASHBOARD PROPERTY STRINGS AUTO ON OFF)
set(BERTH_WEB_ASSETS ${CMAKE_SOURCE_DIR}/host/api/no_web_assets.cpp)

find_program(BERTH_NODE node)
find_program(BERTH_NPM npm)
set(why "")
if(BERTH_DASHBOARD STREQUAL OFF)
  set(why "as BERTH_DASHBOARD is OFF")
elseif(NOT BERTH_NODE OR NOT BERTH_NPM)
  set(why "as there is no npm here; with Node.js 18 or later and npm it is built in")
else()
  execute_process(COMMAND ${BERTH_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE v "" version "${version}")
  if(version VERSION_LESS 18)
    set(why "as it takes Node.js 18 or later, and here is ${version}")
  endif()
endif()

if(why AND BERTH_DASHBOARD STREQUAL ON)
  message(FATAL_ERROR "The dashboard cannot be built, ${why}")
elseif(why)
  message(STATUS "The dashboard is left out, ${why}")
else()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/* ${CMAKE_SOURCE_DIR}/web/public/*)
  foreach(name build.sh embed.mjs index.html package.json package-lock.json tsconfig.json vite.config.ts)
    list(APPEND sources ${CMAKE_SOURCE_DIR}/web/${name})
  endforeach()
  set(BERTH_WEB_ASSETS ${CMAKE_BINARY_DIR}/web/web_assets.cpp)
  add_custom_command(OUTPUT ${BERTH_WEB_ASSETS}
    COMMAND ${CMAKE_SOURCE_DIR}/web/build.sh ${CMAKE_BINARY_DIR}/web ${BERTH_DASHBOARD}
    DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/host/api/no_web_assets.cpp
    COMMENT "Building the dashboard"
    VERBATIM)
endif()
