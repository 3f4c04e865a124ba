import type { Context } from '../context.ts'
import type { SiteRow, SiteSpaceRow } from '../store/tables/rows.ts'

/**
 * The ids of a user and of one of their tokens, on whose rights a preview depends. With a preview
 * link, it depends on the link in place of their rights, and shows the change request of the link.
 */
export type Preview = { userId: string; tokenId: string; linkId?: string | undefined }

/** The context of a reader, which their reading token contains. */
export type ReaderContext = {
  site: Pick<SiteRow, 'id' | 'organization_id' | 'access_version'>
  /** The site space at the address that was resolved. */
  siteSpace: Pick<SiteSpaceRow, 'id' | 'section_id' | 'space_id'>
  /**
   * The ids of the spaces of all site spaces that the reader is shown, in the order of the
   * structure.
   */
  spaceIds: readonly string[]
  /** The claims of the visitor, limited to the schema of the site. */
  claims?: Readonly<Record<string, unknown>> | undefined
  visitorType?: 'human' | 'agent' | undefined
  /** The share link that the reader came with. */
  shareLinkId?: string | undefined
  /** The user who previews the site, and the token with which they do. */
  preview?: Preview | undefined
  /** When the token expires at the latest, in milliseconds since 1970. */
  until?: number | undefined
}

/** The payload of a reading token, which renderers decode. Times are in seconds since 1970. */
export type ReadingToken = {
  kind: 'site'
  site: string
  siteSection?: string
  siteSpace: string
  space: string
  organization: string
  spaces: string[]
  claims?: Record<string, unknown>
  visitorType?: 'human' | 'agent'
  iat: number
  exp: number
  /** The `access_version` of the site. */
  v: number
  /** The id of the share link. */
  l?: string
  /** The id of the user who previews the site, and that of their token. */
  p?: string
  t?: string
  /** The id of the preview link. */
  pl?: string
  aud: 'stemma'
}

const purpose = 'reading token'
const hour = 3600

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The first part of every reading token. Other headers are refused, whatever they say. */
const head = encode({ alg: 'HS256', typ: 'stemma-reader+jwt' })

/** Returns whether a token has the form of a reading token; the tokens of users contain no dot. */
export const isReadingToken = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

/**
 * Returns the payload of the reading token of a reader, valid for one to two hours. Equal contexts
 * have equal payloads within an hour of the clock, so that answers to them can be cached.
 */
export function readingTokenOf(
  { now }: Pick<Context, 'now'>,
  {
    site,
    siteSpace,
    spaceIds,
    claims,
    visitorType,
    shareLinkId,
    preview,
    until = Infinity,
  }: ReaderContext,
): ReadingToken {
  const iat = Math.floor(now().getTime() / 1000 / hour) * hour
  return {
    kind: 'site',
    site: site.id,
    ...(siteSpace.section_id !== null && { siteSection: siteSpace.section_id }),
    siteSpace: siteSpace.id,
    space: siteSpace.space_id,
    organization: site.organization_id,
    spaces: [...spaceIds],
    ...(claims && hasClaims(claims) && { claims }),
    ...(visitorType && { visitorType }),
    iat,
    exp: Math.min(iat + 2 * hour, Math.floor(until / 1000)),
    v: site.access_version,
    ...(shareLinkId !== undefined && { l: shareLinkId }),
    ...(preview && { p: preview.userId, t: preview.tokenId }),
    ...(preview?.linkId !== undefined && { pl: preview.linkId }),
    aud: 'stemma',
  }
}

/** Returns the reading token with a payload: a JWT (HS256). */
export function signReadingToken({ keys }: Pick<Context, 'keys'>, payload: ReadingToken): string {
  const signed = `${head}.${encode(payload)}`
  return `${signed}.${keys.mac(purpose, signed)}`
}

/** Returns the reading token of a reader. */
export const mintReadingToken = (
  ctx: Pick<Context, 'keys' | 'now'>,
  context: ReaderContext,
): string => signReadingToken(ctx, readingTokenOf(ctx, context))

const hasClaims = ({ unsigned, ...signed }: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(signed).length > 0 || Object.keys(unsigned ?? {}).length > 0

/**
 * Returns the payload of a reading token; undefined unless this server signed it. `jose` would
 * verify it too, but only asynchronously: the caller of a request is also checked inside
 * transactions.
 */
export function openReadingToken(
  { keys }: Pick<Context, 'keys'>,
  token: string,
): ReadingToken | undefined {
  const end = token.lastIndexOf('.')
  const signed = token.slice(0, end)
  if (!signed.startsWith(`${head}.`)) return undefined
  if (!keys.verifyMac(purpose, signed, token.slice(end + 1))) return undefined
  return JSON.parse(
    Buffer.from(signed.slice(head.length + 1), 'base64url').toString('utf8'),
  ) as ReadingToken
}
