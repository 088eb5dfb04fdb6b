# Writes OUTPUT, a C file in which the bytes of INPUT are the array NAME and
# their number is NAME_size: cmake -DINPUT= -DOUTPUT= -DNAME= -P embed.cmake
file(READ "${INPUT}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
  "\\1\n" bytes "${bytes}")
get_filename_component(source "${INPUT}" NAME)
file(WRITE "${OUTPUT}" "/* Made of ${source} by cmake/embed.cmake. */
#include <stddef.h>

extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;
const unsigned char ${NAME}[] = {
${bytes}};
const size_t ${NAME}_size = ${size};
")
