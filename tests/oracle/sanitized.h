/* sanitized.h: whether a test runs under the address or the thread sanitizer,
 * which make everything several times slower. gcc defines a macro for each,
 * clang is asked. */
#ifndef WEIR_TESTS_SANITIZED_H
#define WEIR_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#define IS_SANITIZED \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define IS_SANITIZED 0
#endif

#endif
