/** A character of base62, as such or encoded once or twice. */
const character = '(?:[0-9A-Za-z]|%(?:25)?[0-9A-Fa-f]{2})'
/** A segment that has the form of the key of a share link. */
const key = new RegExp(`(?<=/)${character}{20}(?=/|$)`, 'g')
/** Paths whose ids have the same form. */
const withIds = /^\/+(?:v1|files|pdf|sso)\//i

/**
 * Returns the path of a URL for the log, of at most 500 characters: without the query, without the
 * secrets of invite links and, in addresses of sites, without the keys of share links.
 */
export function loggedPath(url: string): string {
  const path = url.split('?', 1)[0] as string
  const shown = withIds.test(path)
    ? path.replace(/(invites\/+)[^/]+/gi, '$1[redacted]')
    : path.replace(key, '[redacted]')
  return shown.slice(0, 500)
}
