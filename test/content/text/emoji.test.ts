import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Emoji, emojiText, normalEmoji, withEmoji } from '../../../src/content/text/emoji.ts'

test('an emoji is shown from its characters or from its code points', () => {
  assert.is(emojiText('1f600'), '😀')
  assert.is(emojiText('1F600'), '😀')
  assert.is(emojiText('1f1e9-1f1ea'), '🇩🇪')
  assert.is(emojiText('2139-fe0f'), 'ℹ️')
  assert.is(emojiText('0031-20e3'), '1⃣')
  assert.is(emojiText('1f468-200d-1f469-200d-1f467'), '👨‍👩‍👧')
  assert.is(emojiText(' 📘 '), '📘')
  assert.is(emojiText('🏴󠁧󠁢󠁳󠁣󠁴󠁿'), '🏴󠁧󠁢󠁳󠁣󠁴󠁿')
})

test('an emoji has one form, from characters and from code points', () => {
  for (const [given, form] of [
    ['👍', '👍'],
    ['1F44D', '👍'],
    ['❤️', '❤️'],
    ['❤', '❤️'],
    ['2764', '❤️'],
    ['2764-fe0f', '❤️'],
    ['0031-20e3', '1️⃣'],
    ['👍\ufe0f', '👍'],
    [':tada:', ':tada:'],
    ['e0', 'e0'],
  ] as const)
    assert.is(normalEmoji(given), form, given)
})

test('what is not an emoji is not shown as one', () => {
  const others = [
    '',
    'cafe',
    'dead',
    '0041',
    '1f600-0041',
    'rocket',
    ':wave:',
    '<b>😀',
    '😀&',
    '110000',
  ]
  for (const value of [...others, 'd83d', '1f600-d83d', '1f600-0000', '123', 'ab'.repeat(100)])
    assert.is(emojiText(value), undefined, value)
})

test('names between colons are emoji, but not unknown ones and those within words', () => {
  assert.is(withEmoji('Hi :wave:, :+1::x: :WAVE:'), 'Hi 👋, :+1::x: 👋')
  for (const text of [
    ':nobody:',
    'a:x:b',
    '10:100:20',
    'urn:x:y',
    '::x::',
    ':constructor:',
    ': x :',
  ])
    assert.is(withEmoji(text), text)
})

test('every emoji that the API takes is shown', () => {
  const taken = [
    '😀',
    '1f4d6',
    '👩‍🚒',
    '🇫🇷',
    '#️⃣',
    '©',
    'ℹ️',
    '1f3f4-e0067-e0062-e0073-e0063-e0074-e007f',
  ]
  for (const value of taken) {
    assert.ok(Emoji.safeParse(value).success, value)
    assert.type(emojiText(value), 'string', value)
  }
})

test.run()
