/**
 * Names of refs are bytes, which need not be UTF-8. Bytes that are not are read as text in which each byte from 0x80 is
 * one lone surrogate, from U+DC80. No other text has lone surrogates, so such a name equals no name that is UTF-8.
 */
const surrogates = 0xdc00

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns bytes as text; `encodeRaw` returns the same bytes again. */
export function decodeRaw(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    const text = Buffer.from(bytes).toString('latin1')
    return text.replace(/[\x80-\xff]/g, byte => String.fromCharCode(surrogates + byte.charCodeAt(0)))
  }
}

/** Returns the bytes of a text, of `decodeRaw` or any other. */
export const encodeRaw = (text: string): Buffer =>
  isUtf8(text)
    ? Buffer.from(text)
    : Buffer.concat(
        text
          .split(/([\udc80-\udcff])/u)
          .map((part, i) => (i % 2 === 1 ? Buffer.of(part.charCodeAt(0) - surrogates) : Buffer.from(part))),
      )

/** Returns whether a text of `decodeRaw` was UTF-8. */
export const isUtf8 = (text: string): boolean => text.isWellFormed()
