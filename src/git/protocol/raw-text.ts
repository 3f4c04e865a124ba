/**
 * Ref names are bytes that need not be UTF-8. In bytes that are not valid UTF-8, each byte from
 * 0x80 is decoded to a lone surrogate, U+DC80 or above. Other texts have no lone surrogates, so
 * such a name never equals a UTF-8 name.
 */
const surrogates = 0xdc00

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns bytes as text; `encodeRaw` returns the same bytes again. */
export function decodeRaw(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    const text = Buffer.from(bytes).toString('latin1')
    return text.replace(/[\x80-\xff]/g, byte =>
      String.fromCharCode(surrogates + byte.charCodeAt(0)),
    )
  }
}

/** Encodes a text, from `decodeRaw` or not, to bytes. */
export const encodeRaw = (text: string): Buffer =>
  isUtf8(text)
    ? Buffer.from(text)
    : Buffer.concat(
        text
          .split(/([\udc80-\udcff])/u)
          .map((part, i) =>
            i % 2 === 1 ? Buffer.of(part.charCodeAt(0) - surrogates) : Buffer.from(part),
          ),
      )

/** Returns whether a text of `decodeRaw` was UTF-8. */
export const isUtf8 = (text: string): boolean => text.isWellFormed()
