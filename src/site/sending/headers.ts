import { createHash } from 'node:crypto'
import { isOpenToAll } from '../../access/site-roles.ts'
import { playerHosts } from '../../content/html/players.ts'
import type { SiteVisibility } from '../../store/tables/sites.ts'
import { inlineScript } from '../../ui/frame/inline-script.ts'
import type { SitePlace } from '../place/place.ts'

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')

const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hashOf(inlineScript)}'`,
  "style-src 'self'",
  "img-src 'self' data: https:",
  "media-src 'self' https:",
  "font-src 'self'",
  "connect-src 'self'",
  `frame-src 'self' ${playerHosts.map(host => `https://${host}`).join(' ')}`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** The headers of every page that a reader opens. */
export const pageHeaders = {
  'Content-Security-Policy': policy,
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  Vary: 'Accept, Accept-Encoding',
} as const satisfies Record<string, string>

/** The headers of what only members see. */
const memberHeaders = { 'Cache-Control': 'private, no-store', 'X-Robots-Tag': 'noindex' }

/**
 * Returns the headers of the pages of a place: those of its audience, or of what is not for all of
 * it.
 */
export function placeHeaders({ resolved, member, scope }: SitePlace): Record<string, string> {
  const { visibility, adaptive } = resolved.site
  const headers = audienceHeaders(visibility, adaptive === 1)
  if (resolved.preview) return { ...headers, ...memberHeaders, 'Referrer-Policy': 'no-referrer' }
  if (member) return { ...headers, ...memberHeaders }
  return scope ? { ...headers, 'X-Robots-Tag': 'noindex' } : headers
}

/**
 * Returns the headers of a file, an image or an icon of a place, which may be kept for `age`, the
 * end of a `Cache-Control`: by everybody only where everybody is sent the same.
 */
export function fileHeaders(
  { resolved }: Pick<SitePlace, 'resolved'>,
  age: string,
): Record<string, string> {
  const { site, preview } = resolved
  const isForAll = isOpenToAll(site) && site.adaptive === 0 && !preview
  return {
    ...audienceHeaders(site.visibility, false),
    ...(preview && { 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' }),
    'Cache-Control': `${isForAll ? 'public' : 'private'}, ${age}`,
  }
}

/**
 * Returns the headers that let caches keep an answer for `age`: all caches if every reader gets the
 * same answer, otherwise only the browser. Returns no headers for members, previews, share links
 * and other versions.
 */
export function keptHeaders(place: SitePlace, age: string): Record<string, string> {
  const { resolved, member, scope } = place
  const isNotKept = member || scope || resolved.preview || resolved.site.visibility === 'share-link'
  return isNotKept ? {} : { 'Cache-Control': fileHeaders(place, age)['Cache-Control'] as string }
}

/** Returns the headers that the audience of a site demands. */
export function audienceHeaders(
  visibility: SiteVisibility,
  isAdaptive: boolean,
): Record<string, string> {
  const isForAll = isOpenToAll({ visibility }) && !isAdaptive
  return {
    'Cache-Control':
      visibility === 'share-link'
        ? 'private, no-store'
        : `${isForAll ? 'public' : 'private'}, max-age=0, must-revalidate`,
    ...((isAdaptive || visibility === 'visitor-auth') && {
      Vary: 'Accept, Accept-Encoding, Cookie',
    }),
    ...(visibility !== 'public' && { 'X-Robots-Tag': 'noindex' }),
    ...(visibility === 'share-link' && { 'Referrer-Policy': 'no-referrer' }),
  }
}
