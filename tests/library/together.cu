/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the library in one module, to run beside each other. */
#include "../../kernels/matrixmul.cu"
#include "../../kernels/reduction.cu"
#include "../../kernels/vecadd.cu"
