import { randomInt } from 'node:crypto'
import type { Context } from '../../context.ts'
import { inParts } from '../../git/exchange/in-parts.ts'
import { type KnownObjects, packKnown } from '../../git/exchange/pack-known.ts'
import { type PackWish, packObjects } from '../../git/exchange/pack-objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { deletePack, insertPackPart, renumberPack } from '../../store/cluster/git-log.ts'
import { note } from '../../store/note.ts'
import type { GitLogRow } from '../../store/tables/rows.ts'

/** The most parts that are written in the transaction that decides. */
const mostParts = 4

/**
 * A pack for the database: its parts, or, of a large one, the position below 0 at which they are
 * already.
 */
export type SentPack = { kind: GitLogRow['kind']; parts: readonly Buffer[] } | { ahead: number }

/**
 * Packs objects, and sends a large pack ahead. Undo that with `dropPack`. A pack without haves can be a
 * base. Packs without Git what `objects` suffice for.
 */
export async function sendPack(
  ctx: Context,
  key: string,
  repo: Repository,
  { kind = 'pack', ...wish }: PackWish & { kind?: GitLogRow['kind'] },
  objects?: KnownObjects,
): Promise<SentPack> {
  const small = objects && (await packKnown(repo, objects, wish))
  if (small) return { kind, parts: [small] }
  const parts: Buffer[] = []
  let ahead: number | undefined
  let sent = 0
  const send = () => {
    ahead ??= -randomInt(1, 2 ** 47)
    for (const bytes of parts.splice(0))
      insertPackPart(ctx.store, { space_id: key, seq: ahead, part: sent++, kind, bytes, mark: '' })
  }

  try {
    for await (const part of inParts(packObjects(repo, wish))) {
      parts.push(part)
      if (parts.length > mostParts) send()
    }
    if (ahead !== undefined) send()
  } catch (error) {
    if (ahead !== undefined) dropPack(ctx, key, { ahead })
    throw error
  }

  return ahead === undefined ? { kind, parts } : { ahead }
}

/** Puts a pack at its position, with a mark. Call inside the transaction that decides. */
export function placePack(
  { store }: Context,
  key: string,
  pack: SentPack,
  { seq, mark }: Pick<GitLogRow, 'seq' | 'mark'>,
): void {
  if ('ahead' in pack) renumberPack(store, key, pack.ahead, { seq, mark })
  else
    for (const [part, bytes] of pack.parts.entries())
      insertPackPart(store, { space_id: key, seq, part, kind: pack.kind, bytes, mark })
}

/** Deletes a pack that was sent ahead. If that fails, it stays, and nothing refers to it. */
export function dropPack({ store }: Context, key: string, pack: SentPack | undefined): void {
  if (pack && 'ahead' in pack) note(() => deletePack(store, key, pack.ahead))
}
