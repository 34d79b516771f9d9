// SPDX-License-Identifier: Apache-2.0
//
// What Fourier transforms need around VkFFT's shaders. Each invocation makes one number (SCALE,
// NARROW) or one complex number (the others), whose parts are neighbours:
//
//     SCALE     numbers times a factor
//     WIDEN     complex numbers of real ones
//     NARROW    the real parts of complex numbers
//     HALVE     rows of half spectra of rows of full spectra
//     COMPLETE  full spectra of half spectra: the other half is the conjugate of the mirrored one
//     MULTIPLY  the product of the input and the output, arrays of so many complex numbers; the
//     input may have fewer arrays, and have strides of 0 then

layout(binding = 0) readonly buffer In { NUMBER_STORED source[]; };
layout(binding = 1) buffer Out { NUMBER_STORED destination[]; };

layout(push_constant) uniform Push {
    uint firstIn;
    uint firstOut;
    uint count;
    uint scaleLow;
    uint scaleHigh;
    // Of full spectra, and the complex numbers in a row of a half spectrum.
    uint planes;
    uint rows;
    uint columns;
    uint halfColumns;
    uint numbers; // these: of MULTIPLY
    uint arrays[3]; // of the output
    uint strides[3];
};

void put(uint n, NUMBER_VALUE real, NUMBER_VALUE imaginary) {
    destination[firstOut + 2u * n] = NUMBER_STORE(real);
    destination[firstOut + 2u * n + 1u] = NUMBER_STORE(imaginary);
}

NUMBER_VALUE take(uint n) { return NUMBER_LOAD(source[firstIn + n]); }

void main() {
    uint n = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    if (n >= count)
        return;
    NUMBER_VALUE scale = NUMBER_OF_WORDS(uvec2(scaleLow, scaleHigh));
#if defined(SCALE)
    destination[firstOut + n] = NUMBER_STORE(take(n) * scale);
#elif defined(WIDEN)
    put(n, take(n) * scale, NUMBER_VALUE(0));
#elif defined(NARROW)
    destination[firstOut + n] = NUMBER_STORE(take(2u * n) * scale);
#elif defined(HALVE)
    uint from = 2u * (n / halfColumns * columns + n % halfColumns);
    put(n, take(from) * scale, take(from + 1u) * scale);
#elif defined(COMPLETE)
    uint column = n % columns;
    uint line = n / columns;
    bool isMirrored = column >= halfColumns;
    if (isMirrored) {
        uint row = line % rows;
        uint plane = line / rows % planes;
        uint batch = line / rows / planes;
        line = (batch * planes + (planes - plane) % planes) * rows + (rows - row) % rows;
        column = columns - column;
    }
    uint from = 2u * (line * halfColumns + column);
    NUMBER_VALUE imaginary = take(from + 1u) * scale;
    put(n, take(from) * scale, isMirrored ? -imaginary : imaginary);
#elif defined(MULTIPLY)
    uint array = n / numbers;
    uint from = array % arrays[2] * strides[2] + array / arrays[2] % arrays[1] * strides[1] +
                array / arrays[2] / arrays[1] * strides[0];
    from = from * numbers + n % numbers;
    NUMBER_VALUE a = take(2u * from);
    NUMBER_VALUE b = take(2u * from + 1u);
    NUMBER_VALUE c = NUMBER_LOAD(destination[firstOut + 2u * n]);
    NUMBER_VALUE d = NUMBER_LOAD(destination[firstOut + 2u * n + 1u]);
    put(n, (a * c - b * d) * scale, (a * d + b * c) * scale);
#endif
}
