/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KOMPUTE_PROGRAM_H
#define KOMPUTE_PROGRAM_H

/*
 * Kompute's programs for C, and for languages that call C: load a file that kp::Program::save() or
 * Python's step.save() wrote, or make a program of a primitive, and run it on the library's device
 * or record it into a command buffer of the caller's own device.
 *
 * Functions that can fail return a kp_status; kp_last_error() has the message. They set a result
 * only if they succeed. Objects are the caller's, and are destroyed in any order: each keeps what
 * it needs. Destroying a null pointer does nothing. Calls for different objects may come from any
 * thread; one object is used by one thread at a time. Vulkan's handles have their C types.
 */

#include <stddef.h>
#include <stdint.h>

#include <kompute/Export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kp_manager kp_manager;     /* a Vulkan device */
typedef struct kp_tensor kp_tensor;       /* memory of a device */
typedef struct kp_program kp_program;     /* a kp::Program */
typedef struct kp_recording kp_recording; /* what recorded commands use */

/* C allows any int in an enumeration, and C++ in one of a known type. */
#ifdef __cplusplus
#define KOMPUTE_ENUM(name) typedef enum name : int
#else
#define KOMPUTE_ENUM(name) typedef enum name
#endif

KOMPUTE_ENUM(kp_status) {
    KP_SUCCESS = 0,
    KP_INVALID_ARGUMENT = 1,
    KP_UNSUPPORTED = 2, /* by the device, or in a program */
    KP_SHADER_ERROR = 3,
    KP_OUT_OF_MEMORY = 4,
    KP_DEVICE_LOST = 5,
    KP_FAILED = 6 /* anything else */
} kp_status;

/* The numbers of kp::Memory::DataTypes. */
KOMPUTE_ENUM(kp_type) {
    KP_BOOL = 0,
    KP_INT32 = 1,
    KP_UINT32 = 2,
    KP_FLOAT32 = 3,
    KP_FLOAT64 = 4,
    KP_STRUCT = 5,
    KP_INT16 = 6,
    KP_UINT16 = 7,
    KP_INT8 = 8,
    KP_UINT8 = 9,
    KP_INT64 = 10,
    KP_UINT64 = 11,
    KP_FLOAT16 = 12,
    KP_BFLOAT16 = 13
} kp_type;

/* Returns the message of this thread's last error; "" if there was none. Valid until its next
 * call that fails. */
KOMPUTE_API const char* kp_last_error(void);

/* --- devices ---------------------------------------------------------------------------------- */

/* Makes a manager with a device of its own. device: number of the physical device. */
KOMPUTE_API kp_status kp_manager_create(uint32_t device, kp_manager** manager);

/* A device of the caller. The caller keeps it until the manager and all its objects are
 * destroyed. See kp::HostDevice. */
typedef struct kp_host_device {
    void* instance;        /* VkInstance */
    void* physical_device; /* VkPhysicalDevice */
    void* device;          /* VkDevice */
    uint32_t queue_family; /* of a queue with compute */
    uint32_t queue_index;
    uint32_t api_version; /* of VkApplicationInfo, as VK_MAKE_VERSION(major, minor, 0) */
    /* The caller's vkGetInstanceProcAddr; null: the system loader's. */
    void (*(*get_instance_proc_addr)(void* instance, const char* name))(void);
    /* Extensions that are enabled in the device. */
    const char* const* device_extensions;
    size_t device_extension_count;
    /* The pNext chain that the device was created with; features that are not in it count as
     * disabled. Read during the call. */
    const void* enabled_features;
} kp_host_device;

KOMPUTE_API kp_status kp_manager_wrap(const kp_host_device* host, kp_manager** manager);
KOMPUTE_API void kp_manager_destroy(kp_manager* manager);

/* --- memory ----------------------------------------------------------------------------------- */

/* Makes a tensor of count elements in device memory. element_bytes: of KP_STRUCT; else 0.
 * data: its contents; null leaves them undefined. */
KOMPUTE_API kp_status kp_tensor_create(kp_manager* manager, kp_type type, uint64_t count,
                                       uint32_t element_bytes, const void* data,
                                       kp_tensor** tensor);
/* Makes a tensor of a VkBuffer of the caller's, which has the usages storage buffer, transfer
 * source and destination, from byte offset on. The caller keeps it as long as the tensor. */
KOMPUTE_API kp_status kp_tensor_wrap(kp_manager* manager, kp_type type, uint64_t count,
                                     uint32_t element_bytes, uint64_t vk_buffer, uint64_t offset,
                                     kp_tensor** tensor);
/* Copies all elements from or to host memory, after the runs that use the tensor. */
KOMPUTE_API kp_status kp_tensor_write(kp_tensor* tensor, const void* data, size_t bytes);
KOMPUTE_API kp_status kp_tensor_read(const kp_tensor* tensor, void* data, size_t bytes);
KOMPUTE_API void kp_tensor_destroy(kp_tensor* tensor);

/* --- programs --------------------------------------------------------------------------------- */

/* Reads a program. The file's kernels are not validated: load what you would also execute. */
KOMPUTE_API kp_status kp_program_load(kp_manager* manager, const char* path,
                                      kp_program** program);
/* Same, of the file's content. */
KOMPUTE_API kp_status kp_program_parse(kp_manager* manager, const void* content, size_t bytes,
                                       kp_program** program);
KOMPUTE_API kp_status kp_program_save(const kp_program* program, const char* path);
KOMPUTE_API void kp_program_destroy(kp_program* program);

/* Programs of the primitives, with one size. These need the shader compiler: with kompute::runtime,
 * they return KP_UNSUPPORTED. Their tensors are called "in" and "out". */

/* Sorts count elements of "keys" in place. */
KOMPUTE_API kp_status kp_program_sort(kp_manager* manager, kp_type type, uint64_t count,
                                      int descending, kp_program** program);

/* How a reduction and a scan combine elements. */
KOMPUTE_ENUM(kp_operation) {
    KP_SUM = 0,
    KP_PRODUCT = 1,
    KP_MINIMUM = 2,
    KP_MAXIMUM = 3
} kp_operation;

/* Combines count elements of "in" to the one element of "out". */
KOMPUTE_API kp_status kp_program_reduce(kp_manager* manager, kp_type type, uint64_t count,
                                        kp_operation operation, kp_program** program);
/* Combines the elements of "in" up to each one. exclusive: without that one. */
KOMPUTE_API kp_status kp_program_scan(kp_manager* manager, kp_type type, uint64_t count,
                                      kp_operation operation, int exclusive,
                                      kp_program** program);
/* Transforms rows of length complex numbers, each two of type KP_FLOAT32 or KP_FLOAT64, from "in"
 * to "out". inverse: divides by length. */
KOMPUTE_API kp_status kp_program_fft(kp_manager* manager, kp_type type, uint64_t rows,
                                     uint64_t length, int inverse, kp_program** program);
/* Multiplies "a", rows x inner, by "b", inner x columns, to "c". */
KOMPUTE_API kp_status kp_program_matmul(kp_manager* manager, kp_type type, uint64_t rows,
                                        uint64_t inner, uint64_t columns, kp_program** program);

/* A tensor that a program takes. Its pointers are valid as long as the program. */
typedef struct kp_tensor_info {
    const char* name;
    kp_type type;
    uint32_t element_bytes;
    const uint64_t* shape; /* extents of the axes; their product is the number of elements */
    size_t axes;
    int input;  /* its contents are read */
    int output; /* its contents are results */
} kp_tensor_info;

/* The number of sizes that a program runs with, of its tensors, and one of them. */
KOMPUTE_API size_t kp_program_variants(const kp_program* program);
KOMPUTE_API size_t kp_program_tensors(const kp_program* program);
KOMPUTE_API kp_status kp_program_tensor(const kp_program* program, size_t variant, size_t index,
                                        kp_tensor_info* info);

/* A tensor of a run, by its name. */
typedef struct kp_named_tensor {
    const char* name;
    kp_tensor* tensor;
} kp_named_tensor;

/* Runs a program with all its tensors, and waits. */
KOMPUTE_API kp_status kp_program_run(const kp_program* program, const kp_named_tensor* tensors,
                                     size_t count);
/* Records the commands of a run into a VkCommandBuffer of the caller's, with the barriers that they
 * need among each other and after earlier commands. It is recording, outside a render pass. The
 * caller keeps the recording until the commands have run. */
KOMPUTE_API kp_status kp_program_record(const kp_program* program, const kp_named_tensor* tensors,
                                        size_t count, void* command_buffer,
                                        kp_recording** recording);
KOMPUTE_API void kp_recording_destroy(kp_recording* recording);

#undef KOMPUTE_ENUM

#ifdef __cplusplus
}
#endif

#endif
