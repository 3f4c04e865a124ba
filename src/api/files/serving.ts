import { contentTypeOf, safeForInline } from '../../content/media.ts'

/** What a browser is told of a file: what it is, whether to show or to save it, and what it may do. */
export type Serving = { type: string; disposition: string; policy: string }

const unknown = 'application/octet-stream'

/** What these images begin with; whatever else bears such a name is not shown. */
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

/** How many of a file's first bytes `servingOf` looks at. */
export const headLength = 16

/** Types that can hold a script and are never named, so that nothing runs them. */
const active =
  /^(?:text\/html|text\/javascript|application\/(?:javascript|ecmascript|xml|xhtml\+xml|.*\+xml)|text\/xml)$/

/**
 * How a file is sent, by its name and its first bytes. Only what cannot run is shown in place; SVG keeps its type, for
 * pages show it as an image, but by itself it is saved and sandboxed.
 */
export function servingOf(name: string, head: Uint8Array): Serving {
  const named = contentTypeOf(name)
  const genuine = signatures[named]?.(Buffer.from(head).toString('latin1')) ?? true
  const type = !genuine || active.test(named) ? unknown : named
  // A PDF can hold a script, too.
  const inline = safeForInline(type) && type !== 'application/pdf'
  return {
    type: type.startsWith('text/') || type === 'application/json' ? `${type}; charset=utf-8` : type,
    disposition: `${inline ? 'inline' : 'attachment'}; ${fileNames(name)}`,
    policy: "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  }
}

/** What a Content-Disposition says of a name: for those who know only ASCII, and as it is. */
export function fileNames(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${ascii}"; filename*=UTF-8''${whole}`
}
