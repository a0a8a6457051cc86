/* SPDX-License-Identifier: Apache-2.0 */
/* A warp's predicates, barriers and SIMT stack as bytes, in the format of area.h: of a warp that is
 * stopped and drained, whoever carries them.
 */
#ifndef WR_SYSTEMS_CONTEXT_WARP_IMAGE_H
#define WR_SYSTEMS_CONTEXT_WARP_IMAGE_H

#include "systems/context/area.h"

/* Predicates, stack depth and arrivals; those of a finished warp are 0, but for arrivals that
 * others still wait for. */
void wr_context_put_preds(const wr_sm *sm, uint32_t warp, uint8_t to[WR_CTX_PRED_BYTES]);
/* The entries of its stack, bottom first; what is behind them stays as it is. */
void wr_context_put_stack(const wr_sm *sm, uint32_t warp, uint8_t to[WR_CTX_STACK_BYTES]);

/* Entries of the stack, from the bytes of put_preds; 0: the warp had finished. */
uint32_t wr_context_depth(const uint8_t preds[WR_CTX_PRED_BYTES]);
/* [serial] The other way, into a warp of a TB that has just been placed. All warps of the TB before
 * any resumes. */
void wr_context_take_warp(wr_sm *sm, uint32_t warp, const uint8_t preds[WR_CTX_PRED_BYTES],
                          const uint8_t stack[WR_CTX_STACK_BYTES]);

#endif
