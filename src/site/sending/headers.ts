import { createHash } from 'node:crypto'
import { playerHosts } from '../../content/html/players.ts'
import type { SiteVisibility } from '../../store/tables/sites.ts'
import { inlineScript } from '../views/render.tsx'

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')

const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hashOf(inlineScript)}'`,
  "style-src 'self'",
  "img-src 'self' data: https:",
  "font-src 'self'",
  "connect-src 'self'",
  `frame-src 'self' ${playerHosts.map(host => `https://${host}`).join(' ')}`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** The headers of every page that a reader opens. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  Vary: 'Accept, Accept-Encoding',
}

/** Returns the headers that the audience of a site demands. */
export function audienceHeaders(visibility: SiteVisibility, isAdaptive: boolean): Record<string, string> {
  const isOpen = visibility === 'public' || visibility === 'unlisted'
  return {
    'Cache-Control':
      visibility === 'share-link'
        ? 'private, no-store'
        : `${isOpen && !isAdaptive ? 'public' : 'private'}, max-age=0, must-revalidate`,
    ...(visibility !== 'public' && { 'X-Robots-Tag': 'noindex' }),
    ...(visibility === 'share-link' && { 'Referrer-Policy': 'no-referrer' }),
  }
}
