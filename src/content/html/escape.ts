const special = /[&<>"\x00-\x08\x0b-\x1f\x7f]/
const every = /[&<>"\x00-\x08\x0b-\x1f\x7f]/g

const written: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\f': ' ',
  '\r': ' ',
}

/**
 * Returns a text as HTML, for content and for attributes in double quotes. Control characters are
 * removed.
 */
export const escapeHtml = (text: string): string =>
  special.test(text) ? text.replace(every, found => written[found] ?? '') : text

const longestAddress = 4000

/**
 * Returns an address as browsers read it: without tabs, line endings and control characters at its
 * ends.
 */
const asRead = (address: string): string =>
  /[\x00-\x20\x7f]/.test(address)
    ? address
        .replace(/[\t\n\r]/g, '')
        .replace(/^[\x00-\x20]+/, '')
        .replace(/[\x00-\x20]+$/, '')
    : address

const schemeOf = (address: string): string | undefined =>
  /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase()

const schemes = new Set(['http', 'https', 'mailto', 'tel'])

/**
 * Returns an address that a link may have: without a scheme, or with one of four. Undefined for any
 * other.
 */
export function linkAddress(address: string): string | undefined {
  const read = asRead(address)
  if (read.length > longestAddress || /[\x00-\x1f]/.test(read)) return undefined
  const scheme = schemeOf(read)
  return scheme === undefined || schemes.has(scheme) ? read : undefined
}

/**
 * Returns an address that an image may have: without a scheme, http, https, or the bytes of an
 * image. Undefined for any other.
 */
export function imageAddress(address: string): string | undefined {
  const read = asRead(address)
  if (/^data:image\/(?:png|gif|jpeg|webp|svg\+xml)[;,]/i.test(read)) return read
  const scheme = schemeOf(read)
  return read.length > longestAddress || !(scheme === undefined || /^https?$/.test(scheme))
    ? undefined
    : read
}
