import fc from 'fast-check'

type Length = { minLength?: number; maxLength?: number }

const surrogates = { from: 0xd800, count: 0x800 }

const character = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map(n => String.fromCodePoint(n < surrogates.from ? n : n + surrogates.count))

/**
 * Returns an arbitrary for texts of any characters of Unicode. The unit "binary" of fast-check has
 * the same texts, but builds a map of all characters in each process.
 */
export const anyText = (length: Length = {}): fc.Arbitrary<string> =>
  fc.array(character, length).map(characters => characters.join(''))
