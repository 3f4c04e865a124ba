import { decodeHTMLStrict } from 'entities/decode'

const reference = /&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|[A-Za-z][A-Za-z0-9]{1,31});/y
const references = new RegExp(reference.source, 'g')

/**
 * Returns the text of a character reference and its length in the source; undefined where there is
 * none. The names are those of HTML. A number that is not a Unicode character becomes U+FFFD.
 */
export function entityAt(source: string, at: number): { text: string; length: number } | undefined {
  reference.lastIndex = at
  const found = reference.exec(source)
  if (!found) return undefined
  const text = decoded(found[0], found[1], found[2])
  return text === found[0] ? undefined : { text, length: found[0].length }
}

/** Returns a text with its character references resolved. */
export const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(references, decoded) : text

function decoded(whole: string, decimal: string | undefined, hex: string | undefined): string {
  if (decimal === undefined && hex === undefined) return decodeHTMLStrict(whole)
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex!, 16)
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}
