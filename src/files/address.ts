import type { Reader } from '../access/asker.ts'
import { conditionsStamp, type SiteAdmission } from '../access/reader.ts'
import { isOpenToAll } from '../access/site-roles.ts'
import type { FileNode } from '../content/tree/build.ts'
import type { Context } from '../context.ts'
import type { SpaceRow } from '../store/tables/rows.ts'

const hour = 3_600_000

/** A user, or a reader of a published site. */
type FileCaller = { user?: { id: string } | undefined; reader?: Reader | undefined }

/** The current URLs of a space's files for one caller. */
type FileAddresses = {
  /** Returns the URL from which a file can be downloaded without a header. */
  of: (file: Pick<FileNode, 'name' | 'oid'>) => string
  /** Changes with the URLs: every hour, and with the visibility of the space. */
  stamp: string
  /**
   * The number of seconds for which the same URLs are returned; they stay valid for another hour.
   */
  seconds: number
  /** Identifies the user or the readers of the URLs; '' when they are the same for everyone. */
  reader: string
}

/**
 * Returns the URLs of a space's files for a caller. They stay the same within an hour of the clock,
 * so that answers can be cached, and are valid for one to two hours while the user may read the
 * space, or the site admits the reader. The URLs of a public or unlisted space are the same for
 * everyone and do not expire.
 */
export function fileAddresses(ctx: Context, space: SpaceRow, caller: FileCaller): FileAddresses {
  const now = ctx.store.time
  const started = Math.floor(now / hour) * hour
  const isPublic = isOpenToAll(space)
  const expires = isPublic ? 'public' : String((started + 2 * hour) / 1000)
  const reader = isPublic ? '' : nameOf(ctx, space, caller)
  const base = `${ctx.publicUrl()}/files/${space.id}`

  return {
    of: ({ name, oid }) => {
      const signature = ctx.keys.sign(
        'file',
        textOf({ spaceId: space.id, oid, name, expires, reader }),
      )
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

/** The prefix of the name of readers; ids of users have no such character. */
const readers = '~'

/** Returns the id of the user, or what admits the reader to the site. */
function nameOf(ctx: Context, space: SpaceRow, { user, reader }: FileCaller): string {
  if (!reader) return user?.id ?? ''
  const { site, shareLinkId = '', preview } = reader
  const previewing = [preview?.userId, preview?.tokenId, preview?.linkId].map(id => id ?? '')
  const conditions = conditionsStamp(ctx, site, space.id)
  const names = [readers, site.organization_id, site.id, site.access_version, shareLinkId]
  return [...names, ...previewing, conditions].join('.')
}

/**
 * Returns what admits the readers of a URL, and the stamp of the conditions; undefined for the id
 * of a user.
 */
export function admissionOf(name: string): (SiteAdmission & { conditions: string }) | undefined {
  const [
    prefix,
    organization = '',
    site = '',
    version,
    shareLinkId,
    userId,
    tokenId = '',
    linkId = '',
    conditions = '',
  ] = name.split('.')
  if (prefix !== readers) return undefined
  return {
    organization,
    site,
    v: Number(version),
    l: shareLinkId || undefined,
    preview: userId ? { userId, tokenId, linkId: linkId || undefined } : undefined,
    conditions,
  }
}

/** A file in a space, with the reader and the expiry of a URL. */
type Addressed = { spaceId: string; oid: string; name: string; expires: string; reader: string }

const textOf = ({ spaceId, oid, name, expires, reader }: Addressed): string =>
  [spaceId, oid, name, expires, reader].join('\n')

/**
 * Returns the user of a signed file URL; undefined for a URL of a public space. 'over': it has
 * expired. 'unknown': the signature is invalid.
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
  return Number(expires) * 1000 > ctx.store.time ? { userId: reader } : 'over'
}
