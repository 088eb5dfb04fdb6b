# find_package(weir): weir::weir is the shared library, weir::static the
# static one.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/weir-targets.cmake)
