/**
 * More marks after one another than any language writes: the Stream-Safe Text Format of Unicode has
 * the same limit.
 */
const longRun = /\p{M}{31}/u
const runs = /\p{M}{30}(?=\p{M})/gu
/** Joins nothing, and is not reordered. */
const joiner = '\u034f'

/**
 * Returns a text in a normal form of Unicode. `String.normalize` sorts marks that follow one
 * another, in time that grows with the square of their number: longer runs are parted first, as
 * https://unicode.org/reports/tr15/#Stream_Safe_Text_Format describes.
 */
export const normalize = (form: 'NFC' | 'NFKC' | 'NFKD', text: string): string =>
  (longRun.test(text) ? text.replace(runs, `$&${joiner}`) : text).normalize(form)

/**
 * Returns the canonical form under which an e-mail address is stored and looked up: characters
 * beyond ASCII are composed (NFC) and lower-cased, since SQLite ignores case for ASCII only. ASCII
 * characters are kept as typed.
 */
export const oneAddress = (address: string): string =>
  normalize('NFC', address).replace(/[^\x00-\x7f]+/g, text => normalize('NFC', text.toLowerCase()))
