import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  editsBetween,
  nearWords,
  partsOf,
  VocabularyBuilder,
} from '../../../src/content/search/near-words.ts'
import { compareQuarters } from '../../support/cpu-time.ts'

const letters = 'etaoinshrdlcumwfgypbvk'

/** Returns a generator of the same numbers from 0 up to 1 for the same seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function someWord(random: () => number, length: number): string {
  return Array.from({ length }, () => letters[Math.floor(random() ** 1.5 * letters.length)]).join(
    '',
  )
}

/** The definition, without shortcuts: the optimal string alignment distance. */
function plainEdits(a: string, b: string): number {
  const rows: number[][] = []
  for (let y = 0; y <= a.length; y++) {
    const row: number[] = []
    for (let x = 0; x <= b.length; x++) {
      if (x === 0 || y === 0) row.push(x + y)
      else {
        const cost = a[y - 1] === b[x - 1] ? 0 : 1
        const swap =
          y > 1 && x > 1 && a[y - 1] === b[x - 2] && a[y - 2] === b[x - 1]
            ? rows[y - 2]![x - 2]! + 1
            : Number.POSITIVE_INFINITY
        row.push(Math.min(rows[y - 1]![x]! + 1, row[x - 1]! + 1, rows[y - 1]![x - 1]! + cost, swap))
      }
    }

    rows.push(row)
  }

  return rows[a.length]![b.length]!
}

function vocabularyOf(words: readonly string[], most = 1_000_000) {
  const builder = new VocabularyBuilder(most)
  for (const word of words) builder.add({ word, pages: 1 })
  return builder.build()
}

test('edits between words are those of the definition, up to the limit', () => {
  const random = numbers(7)
  for (let run = 0; run < 4_000; run++) {
    const a = someWord(random, 1 + Math.floor(random() * 8))
    const changed = [...a]
    for (let edit = 0; edit < 3; edit++) {
      const at = Math.floor(random() * (changed.length + 1))
      if (random() < 0.3) changed.splice(at, 0, someWord(random, 1))
      else if (random() < 0.5) changed.splice(at, 1)
      else if (at > 0 && at < changed.length)
        [changed[at - 1], changed[at]] = [changed[at]!, changed[at - 1]!]
    }

    const b = random() < 0.2 ? someWord(random, 1 + Math.floor(random() * 8)) : changed.join('')
    const exact = plainEdits(a, b)

    for (const most of [1, 2]) {
      const found = editsBetween(a, b, most)
      assert.ok(
        exact <= most ? found === exact : found > most,
        `${a} ${b} ${most}: ${found}, not ${exact}`,
      )
    }
  }
})

test('near words are all words within the edits, by edits, beginning and number of pages', () => {
  const random = numbers(11)
  const words = [
    ...new Set(Array.from({ length: 5_000 }, () => someWord(random, 3 + Math.floor(random() * 5)))),
  ]
  const vocabulary = vocabularyOf(words)

  for (let run = 0; run < 60; run++) {
    const word = someWord(random, 3 + Math.floor(random() * 6))
    const edits = word.length < 6 ? 1 : 2
    const expected = words.filter(other => other !== word && plainEdits(word, other) <= edits)
    assert.equal(nearWords(vocabulary, word, 1_000).sort(), expected.sort(), word)
  }

  const builder = new VocabularyBuilder(10)

  for (const [word, pages] of [
    ['garden', 1],
    ['warden', 9],
    ['gardens', 3],
    ['gorden', 2],
  ] as const)
    builder.add({ word, pages })

  assert.equal(nearWords(builder.build(), 'gxrden', 9), ['gorden', 'garden', 'gardens', 'warden'])
  assert.equal(nearWords(builder.build(), 'gxrden', 2), ['gorden', 'garden'])
})

test('case and accents do not count, and scripts without spaces have no near words', () => {
  const vocabulary = vocabularyOf([
    'éléphant',
    'установка',
    'εγκατάσταση',
    '安装系统',
    'การติดตั้ง',
    '123456',
  ])

  assert.equal(nearWords(vocabulary, 'elefant', 9), ['éléphant'])
  assert.equal(nearWords(vocabulary, 'устоновка', 9), ['установка'])
  assert.equal(nearWords(vocabulary, 'εγκατασταση', 9), ['εγκατάσταση'])
  assert.equal(nearWords(vocabulary, '安装系銃', 9), [])
  assert.equal(nearWords(vocabulary, '123457', 9), [])
  assert.is(vocabulary.size, 3)
})

test('a vocabulary keeps the words of the most pages when there are too many', () => {
  const builder = new VocabularyBuilder(100)
  for (let n = 0; n < 1_000; n++) builder.add({ word: `rare${letters[n % 22]}x${n}`, pages: 1 })
  for (let n = 0; n < 50; n++) builder.add({ word: `often${n}`, pages: 5 })
  const { size, byLength } = builder.build()
  const words = byLength.flatMap(some => some?.words ?? [])
  assert.ok(size <= 100, String(size))
  assert.is(words.filter(word => word.startsWith('often')).length, 50)
})

test('a look-up among many words is linear in their number, and takes little per word', async () => {
  const random = numbers(13)
  const words = Array.from({ length: 120_000 }, () =>
    someWord(random, 4 + Math.floor(random() * 9)),
  )
  const wanted = Array.from({ length: 40 }, () => someWord(random, 6 + Math.floor(random() * 6)))
  const { quarters, whole, most } = await compareQuarters(
    words.length,
    count => vocabularyOf(words.slice(0, count)),
    vocabulary => wanted.map(word => nearWords(vocabulary, word, 16)),
    30 * wanted.length,
  )

  assert.ok(whole <= most, `four quarters take ${quarters} ms, the whole ${whole} ms`)
})

test('a word has few pairs of words that it may be a compound of', () => {
  const word = 'aaaaaaaaaaaaaaaaaaaa'
  const builder = new VocabularyBuilder(100)
  for (let length = 3; length < word.length; length++)
    builder.add({ word: word.slice(0, length), pages: 1 })
  assert.equal(partsOf(builder.build(), word, 2), [`aaa ${word.slice(3)}`, `aaaa ${word.slice(4)}`])
  assert.equal(partsOf(builder.build(), 'aaab', 2), [])
})

test.run()
