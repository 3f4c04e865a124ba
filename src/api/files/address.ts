import type { FileNode } from '../../content/tree.ts'
import type { Context } from '../../context.ts'
import type { SpaceRow } from '../../store/rows.ts'

const hour = 3_600_000

/** How the files of a space are addressed for now. */
export type FileAddresses = {
  /** The address that a file is downloaded from, without a header. */
  of: (file: Pick<FileNode, 'name' | 'oid'>) => string
  /** Tells addresses of now from those of another hour, or of when the space was not public. */
  stamp: string
  /** How many seconds the same addresses are given; afterwards they still work for an hour. */
  seconds: number
}

/**
 * The addresses of a space's files. Within an hour of the clock they are the same, so that answers can be kept; they
 * work for one hour at least and two at most. While the space is public they work for good.
 */
export function fileAddresses(ctx: Context, space: SpaceRow): FileAddresses {
  const now = Date.now()
  const started = Math.floor(now / hour) * hour
  const isPublic = space.visibility === 'public'
  const expires = isPublic ? 'public' : String((started + 2 * hour) / 1000)
  const base = `${ctx.publicUrl()}/files/${space.id}`
  return {
    of: ({ name, oid }) => {
      const signature = signFile(ctx, space.id, oid, name, expires)
      const query = isPublic ? `signature=${signature}` : `expires=${expires}&signature=${signature}`
      return `${base}/${oid}/${encodeURIComponent(name)}?${query}`
    },
    stamp: expires,
    seconds: Math.max(1, Math.floor((started + hour - now) / 1000)),
  }
}

const textOf = (spaceId: string, oid: string, name: string, expires: string) =>
  [spaceId, oid, name, expires].join('\n')

const signFile = (ctx: Context, spaceId: string, oid: string, name: string, expires: string): string =>
  ctx.keys.sign('file', textOf(spaceId, oid, name, expires))

/**
 * Until when a file address is good, in seconds since 1970; Infinity for one that was given while the space was public,
 * and holds as long as it is. 'over': its time has passed. 'unknown': it was not made here.
 */
export function openFileAddress(
  ctx: Context,
  spaceId: string,
  oid: string,
  name: string,
  { expires = 'public', signature }: { expires?: string | undefined; signature: string },
): number | 'over' | 'unknown' {
  if (!/^(?:\d{1,12}|public)$/.test(expires)) return 'unknown'
  if (!ctx.keys.verify('file', textOf(spaceId, oid, name, expires), signature)) return 'unknown'
  if (expires === 'public') return Number.POSITIVE_INFINITY
  return Number(expires) * 1000 > Date.now() ? Number(expires) : 'over'
}
