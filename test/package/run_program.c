/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program that save_program.c saved. The linker must leave the shader compiler and the
 * validator out of it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <kompute/program.h>

enum { kCount = 1000 };

static int fail(const char* what) {
    printf("%s: %s\n", what, kp_last_error());
    return 1;
}

int main(int argc, char** argv) {
    uint32_t numbers[kCount];
    for (uint32_t i = 0; i < kCount; ++i)
        numbers[i] = i * 2654435761u;

    kp_manager* manager = NULL;
    kp_program* program = NULL;
    kp_tensor* keys = NULL;
    kp_tensor_info info;
    if (argc != 2 || kp_manager_create(0, &manager) ||
        kp_program_load(manager, argv[1], &program) || kp_program_tensor(program, 0, 0, &info))
        return fail("the program was not loaded");
    if (strcmp(info.name, "keys") != 0 || info.type != KP_UINT32 || info.axes != 1 ||
        info.shape[0] != kCount || !info.input || !info.output)
        return fail("the program is another one");

    kp_named_tensor given = {"keys", NULL};
    if (kp_tensor_create(manager, KP_UINT32, kCount, 0, numbers, &keys))
        return fail("the tensor was not made");
    given.tensor = keys;
    if (kp_program_run(program, &given, 1) || kp_tensor_read(keys, numbers, sizeof numbers))
        return fail("the program did not run");
    for (uint32_t i = 1; i < kCount; ++i)
        if (numbers[i - 1] > numbers[i])
            return fail("the numbers are not sorted");

    given.name = "values";
    if (kp_program_run(program, &given, 1) != KP_INVALID_ARGUMENT ||
        !strstr(kp_last_error(), "'keys'"))
        return fail("a wrong name was accepted");
    kp_manager_destroy(manager); /* the other objects keep what they need */
    kp_tensor_destroy(keys);
    kp_program_destroy(program);
    puts("sorted");
    return 0;
}
