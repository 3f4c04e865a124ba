import type { FileNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'

const hour = 3_600_000

/** How the files of a space are addressed for now, for one user. */
export type FileAddresses = {
  /** The address that a file is downloaded from, without a header. */
  of: (file: Pick<FileNode, 'name' | 'oid'>) => string
  /** Tells addresses of now from those of another hour, or of when the space was not public. */
  stamp: string
  /** How many seconds the same addresses are given; afterwards they still work for an hour. */
  seconds: number
  /** Tells addresses for one user from those for another; '' when they are the same for everybody. */
  reader: string
}

/**
 * Returns the addresses of a space's files for a user. Within an hour of the clock they are the same, so that answers can
 * be kept; they work for one hour at least and two at most, as long as the user may read the space. While the space is
 * public they are the same for everybody and work for good.
 */
export function fileAddresses(ctx: Context, space: SpaceRow, user: Pick<UserRow, 'id'>): FileAddresses {
  const now = Date.now()
  const started = Math.floor(now / hour) * hour
  const isPublic = space.visibility === 'public'
  const expires = isPublic ? 'public' : String((started + 2 * hour) / 1000)
  const reader = isPublic ? '' : user.id
  const base = `${ctx.publicUrl()}/files/${space.id}`
  return {
    of: ({ name, oid }) => {
      const signature = ctx.keys.sign('file', textOf({ spaceId: space.id, oid, name, expires, reader }))
      const query = isPublic
        ? `signature=${signature}`
        : `user=${encodeURIComponent(reader)}&expires=${expires}&signature=${signature}`
      return `${base}/${oid}/${encodeURIComponent(name)}?${query}`
    },
    stamp: `${expires} ${reader}`,
    reader,
    seconds: Math.max(1, Math.floor((started + hour - now) / 1000)),
  }
}

/** A file in a space, and who may read it there until when. */
type Addressed = { spaceId: string; oid: string; name: string; expires: string; reader: string }

const textOf = ({ spaceId, oid, name, expires, reader }: Addressed): string =>
  [spaceId, oid, name, expires, reader].join('\n')

/**
 * Returns for whom a file address was made; undefined for an address of a public space, which is for everybody. 'over': its
 * time has passed. 'unknown': it was not made here, or was changed.
 */
export function openFileAddress(
  ctx: Context,
  file: Pick<Addressed, 'spaceId' | 'oid' | 'name'>,
  { expires = 'public', user: reader = '', signature }: Record<string, unknown>,
): { userId: string | undefined } | 'over' | 'unknown' {
  if (typeof expires !== 'string' || typeof reader !== 'string' || typeof signature !== 'string')
    return 'unknown'
  if (!/^(?:\d{1,12}|public)$/.test(expires)) return 'unknown'
  if (!ctx.keys.verify('file', textOf({ ...file, expires, reader }), signature)) return 'unknown'
  if (expires === 'public') return { userId: undefined }
  return Number(expires) * 1000 > Date.now() ? { userId: reader } : 'over'
}
