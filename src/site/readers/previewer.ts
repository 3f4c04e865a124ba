import type { Request, Response } from 'express'
import type { Reader } from '../../access/asker.ts'
import { findReader, isForSharing, isPreviewKey, readerAs } from '../../access/reader.ts'
import { mintReadingToken } from '../../access/reading-token.ts'
import type { SignedInUser } from '../../access/session.ts'
import { findSiteAt } from '../../actions/sites/find-site.ts'
import type { ResolvedContent } from '../../actions/sites/resolve-address.ts'
import { parseAddress } from '../../content/site/address.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { cookiesNamed, isSecure } from '../../http/browser-session.ts'
import type { SiteRow } from '../../store/tables/rows.ts'

type Opened = { address: string; token: string | undefined; user: SignedInUser | undefined }

/**
 * Returns who previews a site at an address for previews with the token of an earlier request, which
 * a cookie keeps; undefined without one. Throws 'unauthenticated' when that token has ended, and no
 * user is signed in.
 */
export function previewerOf(
  ctx: Context,
  req: Request,
  { address, token, user }: Opened,
): Reader | undefined {
  // A token in the address is checked where the address is resolved.
  if (token !== undefined || !address.includes('/~preview/')) return undefined
  const at = findSiteAt(ctx, parseAddress(address))
  if (!at?.preview) return undefined

  const [kept] = cookiesNamed(req, nameOf(ctx, at.site))
  const reader = kept === undefined ? undefined : findReader(ctx, kept)
  const isKept = reader && !('unusable' in reader) && reader.site.id === at.site.id
  if (isKept) {
    if (readsMore(ctx, reader, user)) return undefined
    if (isForSharing(ctx, reader)) return withAllSpaces(ctx, reader)
  }

  const hasEnded = isKept || (reader && 'unusable' in reader && reader.unusable !== 'unknown')
  if (hasEnded && !user)
    throw new Fault('preview_ended', 'The preview has ended. Request a new preview address.')

  return undefined
}

/** Returns whether a signed-in user reads more of a site than the preview link that the browser keeps. */
function readsMore(
  ctx: Context,
  { site, preview }: Reader,
  user: SignedInUser | undefined,
): boolean {
  if (preview?.linkId === undefined || !user) return false
  const own = { userId: user.actor.user.id, tokenId: user.actor.token.id }
  return readerAs(ctx, site, own) !== undefined
}

/** Returns the preview of the token in a cookie, which names no spaces. */
const withAllSpaces = (
  ctx: Context,
  { site, preview, tokenClaims: claims, until }: Reader,
): Reader | undefined => preview && readerAs(ctx, site, preview, { claims, until })

/**
 * Keeps who previews a site in a cookie of the browser, for the paths of the preview. The cookie
 * names no spaces: the ids of many would be more than browsers keep.
 */
export function keepPreview(
  ctx: Context,
  res: Response,
  { site, siteSpace, siteBasePath }: ResolvedContent,
  token: string,
): void {
  const reader = findReader(ctx, token)
  if ('unusable' in reader) return
  const { tokenClaims: claims, preview, until } = reader
  // A reading token would end after hours, the link is good for days.
  const kept = isPreviewKey(token)
    ? token
    : mintReadingToken(ctx, {
        site,
        siteSpace: siteSpace.row,
        spaceIds: [],
        claims,
        preview,
        until,
      })
  const secure = isSecure(ctx) ? '; Secure' : ''

  res.append(
    'Set-Cookie',
    `${nameOf(ctx, site)}=${kept}; Path=${siteBasePath}; HttpOnly; SameSite=Lax${secure}`,
  )
}

const nameOf = (ctx: Context, { id }: SiteRow): string =>
  `${isSecure(ctx) ? '__Secure-' : ''}stemma-preview-${id}`
