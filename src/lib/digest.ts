import { hash, randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A remainder below this plus 16 more bits is still an exact number. */
const sixDigits = 62 ** 6
const threeDigits = 62 ** 3

/** Returns the bytes as base62, big-endian, exactly `length` characters (the low ones). */
export function base62(bytes: Uint8Array, length: number): string {
  // The number in 16-bit parts, lowest first: long division is several times faster than BigInt.
  const parts: number[] = []
  for (let at = bytes.length - 1; at >= 0; at -= 2)
    parts.push(bytes[at]! + (bytes[at - 1] ?? 0) * 256)
  let text = ''

  for (let top = parts.length; text.length < length; ) {
    let rest = 0
    for (let at = top - 1; at >= 0; at--) {
      const value = rest * 65_536 + parts[at]!
      let quotient = Math.floor(value / sixDigits)
      rest = value - quotient * sixDigits

      // The quotient of two large numbers may have been rounded up.
      if (rest < 0) {
        quotient--
        rest += sixDigits
      }

      parts[at] = quotient
    }

    while (top > 0 && parts[top - 1] === 0) top--
    const high = Math.floor(rest / threeDigits)

    text = threeOf(high) + threeOf(rest - high * threeDigits) + text
  }

  return text.slice(text.length - length)
}

const threeOf = (digits: number): string =>
  alphabet[Math.trunc(digits / 3844)]! +
  alphabet[Math.trunc(digits / 62) % 62]! +
  alphabet[digits % 62]!

/** Returns a 20-character base62 id from 119 bits of the parts' SHA-256: equal parts, equal ids. */
export const digestId = (...parts: string[]): string =>
  base62(hash('sha256', parts.join('\0'), 'buffer'), 20)

/** Returns a random id of `length` base62 characters (default 20, 119 bits). */
export const randomId = (length = 20): string =>
  base62(randomBytes(Math.ceil(length * 0.75) + 8), length)

/** Returns the SHA-256 of the text as 64 hex digits. */
export const sha256 = (text: string | Uint8Array): string => hash('sha256', text, 'hex')
