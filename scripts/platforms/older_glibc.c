/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that a module compiled with the headers of glibc 2.36 needs beyond glibc 2.28. It
   is
 * linked into the module, whose version script hides these names. */

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

/* 2.32: whether the process has one thread only. It may always be said that it has more. */
const char __libc_single_threaded = 0;

/* 2.33: before, the headers made these calls of functions with the layout's version. */
#if defined(__x86_64__)
#define LAYOUT 1
#else
#define LAYOUT 0
#endif
int __xstat(int layout, const char* path, struct stat* state);
int __lxstat(int layout, const char* path, struct stat* state);
int __fxstat(int layout, int file, struct stat* state);
int __fxstatat(int layout, int folder, const char* path, struct stat* state, int flags);

int stat(const char* path, struct stat* state) { return __xstat(LAYOUT, path, state); }
int lstat(const char* path, struct stat* state) { return __lxstat(LAYOUT, path, state); }
int fstat(int file, struct stat* state) { return __fxstat(LAYOUT, file, state); }
int fstatat(int folder, const char* path, struct stat* state, int flags) {
    return __fxstatat(LAYOUT, folder, path, state, flags);
}

/* 2.36 */
unsigned int arc4random(void) {
    unsigned int value = 0;
    while (getentropy(&value, sizeof value) != 0) {
    }
    return value;
}

/* 2.30: the time limit is a point of the given clock. Condition variables wait by CLOCK_REALTIME
 * unless they were made otherwise, and C++'s are not. The waiting thread looks at the clock again
 * afterwards, so a wait that ends early, when the system's time is set, does no harm. */
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* end) {
    struct timespec now, realtime;
    if (clock == CLOCK_REALTIME)
        return pthread_cond_timedwait(condition, mutex, end);
    if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &realtime) != 0)
        return EINVAL;
    realtime.tv_sec += end->tv_sec - now.tv_sec;
    realtime.tv_nsec += end->tv_nsec - now.tv_nsec;
    if (realtime.tv_nsec < 0) {
        realtime.tv_nsec += 1000000000;
        realtime.tv_sec -= 1;
    } else if (realtime.tv_nsec >= 1000000000) {
        realtime.tv_nsec -= 1000000000;
        realtime.tv_sec += 1;
    }
    return pthread_cond_timedwait(condition, mutex, &realtime);
}
