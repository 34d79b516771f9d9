/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the native backtrace of a thread that crashes, before Python's faulthandler prints the
 * Python ones. conftest.py loads it if KOMPUTE_BACKTRACE names the built library. Writes to file
 * descriptor 3, because pytest captures the standard error output. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT = 3 };

static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
static struct sigaction previous[NSIG];

static void print_backtrace(int number) {
    static const char title[] = "\nnative backtrace of the crashed thread:\n";
    void* frames[48];
    sigaction(number, &previous[number], NULL);
    (void)!write(OUTPUT, title, sizeof title - 1);
    backtrace_symbols_fd(frames, backtrace(frames, 48), OUTPUT);
    raise(number);
}

void install_backtrace(void) {
    void* frame;
    struct sigaction action;
    size_t i;
    backtrace(&frame, 1); /* loads the unwinder, which a signal handler must not */
    memset(&action, 0, sizeof action);
    action.sa_handler = print_backtrace;
    action.sa_flags = SA_NODEFER;
    for (i = 0; i < sizeof signals / sizeof *signals; ++i)
        sigaction(signals[i], &action, &previous[signals[i]]);
}
