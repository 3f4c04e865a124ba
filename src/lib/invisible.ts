import { normalize } from './normalize.ts'

/** Scripts in which a joiner or non-joiner inside a word is part of the spelling. */
const joining = [
  ...[
    'Arab',
    'Syrc',
    'Mand',
    'Nkoo',
    'Mong',
    'Phag',
    'Deva',
    'Beng',
    'Guru',
    'Gujr',
    'Orya',
    'Taml',
    'Telu',
  ],
  ...['Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt', 'Java', 'Bali'],
]
  .map(script => `\\p{Script_Extensions=${script}}`)
  .join('')

/**
 * Legitimate uses of invisible characters: words of these scripts, emoji, and variants of Han
 * characters.
 */
const meant = new RegExp(
  [
    `(?<=[${joining}])[\\u200c\\u200d](?=[${joining}])`,
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=(?![0-9#*])\\p{Emoji})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\u{1f3f4})[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{2,6}\\u{e007f}',
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
    '(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]',
  ].join('|'),
  'gu',
)

/**
 * Characters without a shape of their own, which hide in a text, reverse its direction, or look
 * like a blank.
 */
const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/u

/**
 * Returns the first invisible character that could disguise a name as another, as "U+202E";
 * undefined when there is none. Such characters are accepted where they are part of the spelling.
 */
export function findInvisible(text: string): string | undefined {
  if (!invisible.test(text)) return undefined
  const found = invisible.exec(text.replace(meant, ''))?.[0]?.codePointAt(0)
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`
}

/**
 * Letters of other scripts that look like Latin ones. Capitals come first: some look Latin only as
 * capitals.
 */
const capitals = pairs('АAВBЕEНHІIЈJКKМMОOРPСCЅSТTУYХX' + 'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX')
const smalls = pairs('аaсcеeһhіiјjкkӏlоoрpԛqѕsԝwхxуyԁd' + 'αaιiκkνvοoρpυuχxγyϳj' + 'ɑaɡg')

function pairs(text: string): ReadonlyMap<string, string> {
  const letters = [...text]
  return new Map(
    letters.flatMap((letter, i) => (i % 2 === 0 ? [[letter, letters[i + 1]!] as const] : [])),
  )
}

const mapped = (text: string, table: ReadonlyMap<string, string>): string =>
  [...text].map(letter => table.get(letter) ?? letter).join('')

/**
 * Returns the same key for names that look alike: those that differ in case, in normalization, or
 * in common Latin, Cyrillic and Greek letters of the same shape.
 */
const skeletonOf = (name: string): string =>
  normalize('NFKC', mapped(mapped(normalize('NFKC', name), capitals).toLowerCase(), smalls))

/**
 * Returns whether two different names look alike because their letters are of different scripts.
 */
export const lookAlike = (one: string, other: string): boolean =>
  caseless(one) !== caseless(other) && skeletonOf(one) === skeletonOf(other)

const caseless = (name: string): string => normalize('NFKC', name).toLowerCase().toUpperCase()
