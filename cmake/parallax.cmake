# parallax_library(NAME [LINKS...]): the static library of one folder, from all its sources.
# LINKS are the lower folders it may include, plus outside libraries: the link list states the layering.
include_guard()

add_library(parallax_options INTERFACE)
target_include_directories(parallax_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(parallax_options INTERFACE -Wall -Wextra -Wpedantic $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees a std::string that a std::expected did not construct as used; it never is (GCC bug 80635 and its kin).
  target_compile_options(parallax_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(PARALLAX_SANITIZE)
  target_compile_options(parallax_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    # glslang has no type information. A null pointer is the address sanitizer's too; the checks before each access are
    # a quarter of the compiler's time.
    -fno-sanitize=vptr,null,object-size)
  target_link_options(parallax_options INTERFACE -fsanitize=address,undefined)
endif()
# Graphs are many small blocks of memory, made and freed by the hundred thousand a second: another allocator than the C
# library's saves a quarter of a judged case. A sanitizer and a fuzzing engine bring their own.
if(NOT PARALLAX_SANITIZE AND NOT PARALLAX_FUZZERS AND NOT PARALLAX_STATIC)
  find_package(mimalloc REQUIRED)
  target_link_libraries(parallax_options INTERFACE mimalloc)
endif()
# Another engine than libFuzzer brings its own compiler, which knows how to instrument.
if(PARALLAX_FUZZERS AND PARALLAX_FUZZING_ENGINE STREQUAL "-fsanitize=fuzzer")
  target_compile_options(parallax_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(parallax_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  # The entry points of fuzzing engines are programs of their own.
  list(FILTER sources EXCLUDE REGEX "^targets/")
  add_library(parallax_${name} STATIC ${sources})
  set(links)
  foreach(link ${ARGN})
    if(TARGET parallax_${link})
      list(APPEND links parallax_${link})
    else()
      list(APPEND links ${link})
    endif()
  endforeach()
  target_link_libraries(parallax_${name} PUBLIC parallax_options ${links})
  # Several files in one run of the compiler, where their local names do not collide: a sixth of a clean build.
  if(name MATCHES "^(ops|graph|export|oracle|planner|reducers|compiler|backends|corpus|reports|generate|findings|campaign|score)$")
    set_target_properties(parallax_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  # What nearly every file includes, read once: a quarter of a clean build.
  if(name STREQUAL "core")
    target_precompile_headers(parallax_core PRIVATE
      <algorithm> <array> <cmath> <expected> <functional> <map> <memory> <optional> <span> <string>
      <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
  else()
    target_precompile_headers(parallax_${name} REUSE_FROM parallax_core)
  endif()
endfunction()
