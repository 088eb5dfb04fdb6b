/* playground.h: the page at "/", playground.html as it was when this was built
 * (cmake/embed.cmake). */
#ifndef WEIR_SERVER_PLAYGROUND_H
#define WEIR_SERVER_PLAYGROUND_H

#include <stddef.h>

extern const unsigned char playground_page[];
extern const size_t playground_page_size;

#endif
