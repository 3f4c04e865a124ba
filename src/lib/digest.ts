import { createHash, randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Digits that fit a plain number exactly: big numbers are divided once for so many. */
const chunk = 8

/** The bytes as base62, big-endian, exactly `length` characters (the low ones). */
export function base62(bytes: Uint8Array, length: number): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`) % 62n ** BigInt(length)
  let text = ''
  while (text.length < length) {
    let digits = Number(rest % 62n ** BigInt(chunk))
    rest /= 62n ** BigInt(chunk)
    for (let i = 0; i < chunk && text.length < length; i++) {
      text = alphabet[digits % 62] + text
      digits = Math.floor(digits / 62)
    }
  }
  return text
}

/** A 20-character base62 id drawn from 119 bits of a SHA-256 of the parts: the same parts, the same id. */
export const digestId = (...parts: string[]): string =>
  base62(createHash('sha256').update(parts.join('\0')).digest(), 20)

/** A fresh random id of `length` base62 characters (default 20, 119 bits). */
export const randomId = (length = 20): string => base62(randomBytes(Math.ceil(length * 0.75) + 8), length)

/** The SHA-256 of the text as 64 hex digits. */
export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')
