import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findInvisible } from '../../src/lib/invisible.ts'

test('characters that hide in a name or reverse it are found', () => {
  const hidden: [text: string, found: string][] = [
    ['a\u202eb', 'U+202E'],
    ['\u2066a', 'U+2066'],
    ['admin\u200b', 'U+200B'],
    ['ad\u200cmin', 'U+200C'],
    ['ad\u200dmin', 'U+200D'],
    ['\u200fa', 'U+200F'],
    ['a\u061cb', 'U+061C'],
    ['\ufeffa', 'U+FEFF'],
    ['a\u00adb', 'U+00AD'],
    ['a\u034fb', 'U+034F'],
    ['a\u2060b', 'U+2060'],
    ['\u3164', 'U+3164'],
    ['\u2800', 'U+2800'],
    ['admin\ufe0f', 'U+FE0F'],
    ['1\ufe0f', 'U+FE0F'],
    ['admin\u{e0041}', 'U+E0041'],
    ['a\u{e0100}', 'U+E0100'],
    ['می\u200c', 'U+200C'],
    ['می\u200c\u200cخواهم', 'U+200C'],
    ['\u200d👩', 'U+200D'],
  ]
  for (const [text, found] of hidden) assert.is(findInvisible(text), found, JSON.stringify(text))
})

test('characters that belong to the spelling of words and emoji are accepted', () => {
  const good = [
    'Ada Lovelace',
    'Ünïcödé – 日本語 – عربى – עברית',
    'می‌خواهم',
    'क्‍ष',
    'ശ്രീ‌മാൻ',
    'ක්‍රි',
    'র‍্যাম',
    '👩🏽‍🚀 🏳️‍🌈 👨‍👩‍👧 👁️‍🗨️ ❤️ ©️ 1️⃣ 🇫🇷',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    '葛\u{e0100}城',
  ]
  for (const text of good) assert.is(findInvisible(text), undefined, text)
})

test('direction controls are found at any position', () => {
  const controls = fc.constantFrom(
    '\u202a',
    '\u202b',
    '\u202c',
    '\u202d',
    '\u202e',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
    '\u200e',
    '\u200f',
  )
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      controls,
      fc.string({ unit: 'grapheme' }),
      (before, control, after) => {
        assert.ok(findInvisible(`${before}${control}${after}`))
      },
    ),
  )
})

test.run()
