const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

/**
 * Decodes a file as UTF-8; a byte-order mark stays as U+FEFF. `exact` is false if the bytes are not
 * valid UTF-8. Encoding such a text again would change bytes, so the file must not be edited.
 */
export function decode(bytes: Uint8Array): { text: string; exact: boolean } {
  try {
    return { text: strict.decode(bytes), exact: true }
  } catch {
    return { text: lenient.decode(bytes), exact: false }
  }
}

/** Returns the UTF-8 bytes of a text. */
export const encode = (text: string): Uint8Array => encoder.encode(text)
