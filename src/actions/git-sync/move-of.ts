import type { Context } from '../../context.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import { headOf } from '../repositories/head-of.ts'

/** Returns the move that remembers an adopted commit, from which the next import continues. */
export function moveOf(ctx: Context, spaceId: string, ref: string, to: Oid): RefMove[] {
  const from = headOf(ctx, spaceId, ref) ?? null
  return from === to ? [] : [{ ref, from, to }]
}
