import { nameToEmoji } from 'gemoji'
import { z } from 'zod'

// The flag "v" supports emoji of several code points; the compiler does not know the flag yet.
const sequences = '^(?:\\p{RGI_Emoji}|\\p{Extended_Pictographic})$'
const oneEmoji = new RegExp(sequences, 'v')
const recommendedForm = '^\\p{RGI_Emoji}$'
const recommended = new RegExp(recommendedForm, 'v')
const codePoints = /^[0-9a-f]{4,6}(?:-[0-9a-f]{4,6})*$/i

/** Returns whether a text is one emoji, or its code points in hexadecimal: `1f4d6`. */
function isEmoji(text: string): boolean {
  if (!codePoints.test(text)) return oneEmoji.test(text)
  return oneEmoji.test(fromCodePoints(text) ?? '')
}

/**
 * Returns an emoji as the text to show, from its characters or from its code points in hexadecimal,
 * such as "1f1e9-1f1ea". Undefined for other texts, such as words.
 */
export function emojiText(value: string): string | undefined {
  const text = codePoints.test(value) ? fromCodePoints(value) : value.trim()
  if (
    text === undefined ||
    text.length > 50 ||
    /[a-z<>&"'\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/iu.test(text)
  )
    return undefined

  // Wider than the pattern above, which does not know the sequences of later versions of Unicode.
  return /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(text) ? text : undefined
}

function fromCodePoints(text: string): string | undefined {
  const points = text.split('-').map(point => Number.parseInt(point, 16))
  return points.every(point => point <= 0x10ffff) ? String.fromCodePoint(...points) : undefined
}

/** The variation selector that asks for an emoji where a character is usually text. */
const selector = '\ufe0f'

/**
 * Returns an emoji in its one form, from its characters or its code points: with the selector where
 * Unicode recommends it. Returns other texts as they are.
 */
export function normalEmoji(value: string): string {
  const text = emojiText(value)
  if (text === undefined) return value
  const [first = '', ...rest] = text.replaceAll(selector, '')
  const bare = first + rest.join('')
  return [bare, first + selector + rest.join('')].find(each => recommended.test(each)) ?? bare
}

export const Emoji = z
  .string()
  .max(50)
  .refine(text => text === '' || isEmoji(text), 'takes one emoji, or an empty string for none')
  .meta({ description: 'One emoji, or its code points ("1f4d6"); an empty string removes it.' })

// A colon next to a letter or digit, as in a time or an address, does not delimit a name.
const shortcode = /(?<![\p{L}\p{N}:]):([a-z0-9_+-]{1,60}):(?![\p{L}\p{N}:])/giu

/**
 * Returns a text with emoji in place of their names between colons, such as `:wave:`. Unknown names
 * stay.
 */
export const withEmoji = (text: string): string =>
  text.includes(':')
    ? text.replace(shortcode, (whole, name: string) => {
        const known = name.toLowerCase()
        return Object.hasOwn(nameToEmoji, known) ? nameToEmoji[known]! : whole
      })
    : text
