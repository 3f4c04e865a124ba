import { z } from 'zod'

// The flag "v" supports emoji of several code points; the compiler does not know the flag yet.
const sequences = '^(?:\\p{RGI_Emoji}|\\p{Extended_Pictographic})$'
const oneEmoji = new RegExp(sequences, 'v')
const codePoints = /^[0-9a-f]{4,6}(?:-[0-9a-f]{4,6})*$/i

/** Returns whether a text is one emoji, or its code points in hexadecimal: `1f4d6`. */
function isEmoji(text: string): boolean {
  if (!codePoints.test(text)) return oneEmoji.test(text)
  const points = text.split('-').map(point => Number.parseInt(point, 16))
  return points.every(point => point <= 0x10ffff) && oneEmoji.test(String.fromCodePoint(...points))
}

export const Emoji = z
  .string()
  .max(50)
  .refine(text => text === '' || isEmoji(text), 'takes one emoji, or an empty string for none')
  .meta({ description: 'One emoji, or its code points ("1f4d6"); an empty string removes it.' })
