import { contentTypeOf, safeForInline } from '../content/media.ts'

/**
 * How a browser treats a file: its type, whether to show or save it, and its content security
 * policy.
 */
type Serving = { type: string; disposition: string; policy: string }

const unknown = 'application/octet-stream'

/** The signatures of image types; a file with another signature is not shown. */
const signatures: Readonly<Record<string, (head: string) => boolean>> = {
  'image/png': head => head.startsWith('\x89PNG\r\n\x1a\n'),
  'image/gif': head => head.startsWith('GIF87a') || head.startsWith('GIF89a'),
  'image/jpeg': head => head.startsWith('\xff\xd8\xff'),
  'image/webp': head => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP',
  'image/avif': head => head.slice(4, 8) === 'ftyp',
  'image/bmp': head => head.startsWith('BM'),
  'image/x-icon': head => head.startsWith('\0\0\x01\0'),
  'image/vnd.microsoft.icon': head => head.startsWith('\0\0\x01\0'),
}

/** The number of leading bytes that `servingOf` reads. */
export const headLength = 16

/** Types that can contain a script; they are never named, so that no browser runs them. */
const active =
  /^(?:text\/html|text\/javascript|application\/(?:javascript|ecmascript|xml|xhtml\+xml|.*\+xml)|text\/xml)$/

/**
 * Returns how to send a file, by its name and first bytes. Only passive types are shown inline; SVG
 * keeps its type, because pages embed it as an image, but on its own it is saved and sandboxed.
 */
export function servingOf(name: string, head: Uint8Array): Serving {
  const named = contentTypeOf(name)
  const genuine = signatures[named]?.(Buffer.from(head).toString('latin1')) ?? true
  const type = !genuine || active.test(named) ? unknown : named

  // A PDF can contain a script, too.
  const inline = safeForInline(type) && type !== 'application/pdf'

  return {
    type: type.startsWith('text/') || type === 'application/json' ? `${type}; charset=utf-8` : type,
    disposition: `${inline ? 'inline' : 'attachment'}; ${fileNames(name)}`,
    policy: "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  }
}

/**
 * Returns the file name parameters of Content-Disposition: an ASCII fallback and the exact name.
 */
export function fileNames(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${ascii}"; filename*=UTF-8''${whole}`
}
