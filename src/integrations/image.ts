/** An image with its media type. */
export type Image = { bytes: Buffer; type: string; extension: string }

const signatures: readonly (readonly [
  type: string,
  extension: string,
  is: (head: string) => boolean,
])[] = [
  ['image/png', 'png', head => head.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', 'jpg', head => head.startsWith('\xff\xd8\xff')],
  ['image/gif', 'gif', head => head.startsWith('GIF87a') || head.startsWith('GIF89a')],
  ['image/webp', 'webp', head => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP'],
]

/**
 * Returns the image that bytes contain, by their signature alone; undefined unless it is PNG, JPEG,
 * GIF or WebP.
 */
export function imageOf(bytes: Buffer): Image | undefined {
  const head = bytes.subarray(0, 16).toString('latin1')
  const found = signatures.find(([, , is]) => is(head))
  return found && { bytes, type: found[0], extension: found[1] }
}

/**
 * Returns the bytes of a base64 text; undefined unless it has the standard alphabet, padding and
 * nothing else.
 */
export const bytesOfBase64 = (text: string): Buffer | undefined =>
  text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? Buffer.from(text, 'base64')
    : undefined
