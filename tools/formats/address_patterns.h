/* addresses.h: IP addresses, as patterns: they stand alone, in URIs and in
 * e-mail addresses. */
#ifndef WEIR_TOOLS_FORMATS_ADDRESSES_H
#define WEIR_TOOLS_FORMATS_ADDRESSES_H

/* RFC 3986, section 3.2.2: dec-octet has no zeros in front. */
#define OCTET "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
#define IPV4 "(?:" OCTET "\\.){3}" OCTET

/* RFC 4291, section 2.2, as RFC 3986 spells it out: eight groups, the last two
 * of which may be written as an IPv4 address, and "::" for one or more. */
#define H16 "[0-9A-Fa-f]{1,4}"
#define LS32 "(?:" H16 ":" H16 "|" IPV4 ")"
/* At most n groups, and "::". */
#define UP_TO(n) "(?:(?:" H16 ":){0," #n "}" H16 ")?::"
#define IPV6                                                                \
    "(?:(?:" H16 ":){6}" LS32 "|::(?:" H16 ":){5}" LS32 "|(?:" H16          \
    ")?::(?:" H16 ":){4}" LS32                                              \
    "|" UP_TO(1) "(?:" H16 ":){3}" LS32 "|" UP_TO(2) "(?:" H16 ":){2}" LS32 \
                                                     "|" UP_TO(3) H16       \
        ":" LS32 "|" UP_TO(4) LS32 "|" UP_TO(5) H16 "|" UP_TO(6) ")"

#endif
