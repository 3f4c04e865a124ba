const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

/**
 * Gives a file's bytes as text; a byte-order mark stays as U+FEFF. `exact` is false when the bytes are not
 * valid UTF-8: encoding the text again would then lose bytes, so such a file must not be edited.
 */
export const decode = (bytes: Uint8Array): { text: string; exact: boolean } => {
  try {
    return { text: strict.decode(bytes), exact: true }
  } catch {
    return { text: lenient.decode(bytes), exact: false }
  }
}

/** Gives the UTF-8 bytes of a text. */
export const encode = (text: string): Uint8Array => encoder.encode(text)
