/* SPDX-License-Identifier: Apache-2.0 */
/* Saves a program that sorts 1000 numbers, for run_program.c. */
#include <stdio.h>

#include <kompute/program.h>

int main(int argc, char** argv) {
    kp_manager* manager = NULL;
    kp_program* program = NULL;
    if (argc != 2 || kp_manager_create(0, &manager) ||
        kp_program_sort(manager, KP_UINT32, 1000, 0, &program) ||
        kp_program_save(program, argv[1])) {
        printf("failed: %s\n", kp_last_error());
        return 1;
    }
    kp_program_destroy(program);
    kp_manager_destroy(manager);
    return 0;
}
