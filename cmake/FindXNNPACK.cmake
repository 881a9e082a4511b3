# XNNPACK::XNNPACK: Debian's package brings no CMake or pkg-config file, nor the header of pthreadpool that its own
# header includes, nor a word of cpuinfo, which it needs when it is linked.
include(FindPackageHandleStandardArgs)
find_path(XNNPACK_INCLUDE_DIR xnnpack.h)
find_path(PTHREADPOOL_INCLUDE_DIR pthreadpool.h)
find_library(XNNPACK_LIBRARY XNNPACK)
find_library(PTHREADPOOL_LIBRARY pthreadpool)
find_library(CPUINFO_LIBRARY cpuinfo)
find_package_handle_standard_args(XNNPACK
  REASON_FAILURE_MESSAGE "install libxnnpack-dev, libpthreadpool-dev and libcpuinfo-dev"
  REQUIRED_VARS XNNPACK_LIBRARY XNNPACK_INCLUDE_DIR PTHREADPOOL_LIBRARY PTHREADPOOL_INCLUDE_DIR CPUINFO_LIBRARY)
if(XNNPACK_FOUND AND NOT TARGET XNNPACK::XNNPACK)
  add_library(XNNPACK::XNNPACK INTERFACE IMPORTED)
  set_target_properties(XNNPACK::XNNPACK PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${XNNPACK_INCLUDE_DIR};${PTHREADPOOL_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${XNNPACK_LIBRARY};${PTHREADPOOL_LIBRARY};${CPUINFO_LIBRARY}")
endif()
mark_as_advanced(XNNPACK_INCLUDE_DIR PTHREADPOOL_INCLUDE_DIR XNNPACK_LIBRARY PTHREADPOOL_LIBRARY CPUINFO_LIBRARY)
