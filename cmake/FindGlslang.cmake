# Glslang::Glslang: Debian's own CMake file asks for the command line tools, in a package that nothing here needs.
# Debian 12 has glslang 12, Ubuntu 24.04 has 14, Debian 13 has 15: OGLCompiler went away on the way, and what glslang
# consists of may be one library.
include(FindPackageHandleStandardArgs)
find_path(GLSLANG_INCLUDE_DIR glslang/Public/ShaderLang.h)
set(GLSLANG_LIBRARIES)
set(missing)
# In the order in which they need one another: what calls SPIRV-Tools is in SPIRV, or in glslang where that is newer.
set(parts MachineIndependent GenericCodeGen OSDependent OGLCompiler)
foreach(name SPIRV glslang glslang-default-resource-limits ${parts} SPIRV-Tools-opt SPIRV-Tools)
  find_library(GLSLANG_${name}_LIBRARY ${name})
  mark_as_advanced(GLSLANG_${name}_LIBRARY)
  if(GLSLANG_${name}_LIBRARY)
    list(APPEND GLSLANG_LIBRARIES ${GLSLANG_${name}_LIBRARY})
  elseif(NOT name IN_LIST parts)
    list(APPEND missing ${name})
  endif()
endforeach()
if(missing)
  set(GLSLANG_LIBRARIES GLSLANG_LIBRARIES-NOTFOUND)
endif()
find_package_handle_standard_args(Glslang
  REASON_FAILURE_MESSAGE "install glslang-dev and spirv-tools"
  REQUIRED_VARS GLSLANG_LIBRARIES GLSLANG_INCLUDE_DIR)
if(Glslang_FOUND AND NOT TARGET Glslang::Glslang)
  find_package(Threads REQUIRED)
  add_library(Glslang::Glslang INTERFACE IMPORTED)
  set_target_properties(Glslang::Glslang PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${GLSLANG_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${GLSLANG_LIBRARIES};Threads::Threads")
endif()
mark_as_advanced(GLSLANG_INCLUDE_DIR)
