import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  defaultId,
  followRenames,
  formatIdentity,
  type IdOverrides,
  idOf,
  idsOf,
  mergeIdentities,
  parseIdentity,
  settleIdentity,
} from '../../../src/content/tree/identity.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

const space = 'space-1'
const none: IdOverrides = new Map()
const set = (...keys: string[]) => new Set(keys)
const follow = (
  before: IdOverrides,
  was: Set<string>,
  is: Set<string>,
  renames: [string, string][],
) =>
  followRenames(space, before, {
    keysBefore: was,
    keysAfter: is,
    renames: new Map(renames),
    added: [...is].filter(key => !was.has(key)),
  })

test('a default id has 20 base62 characters and depends on the space', () => {
  assert.match(defaultId(space, 'a.md'), /^[0-9A-Za-z]{20}$/)
  assert.is.not(defaultId(space, 'a.md'), defaultId('space-2', 'a.md'))
  assert.is(idOf(space, new Map([['a.md', 'x']]), 'a.md'), 'x')
})

test('a renamed key keeps its id across several renames and back', () => {
  const once = follow(none, set('a'), set('b'), [['b', 'a']])
  assert.equal([...once], [['b', defaultId(space, 'a')]])
  const twice = follow(once, set('b'), set('c'), [['c', 'b']])
  assert.equal([...twice], [['c', defaultId(space, 'a')]])
  assert.is(follow(twice, set('c'), set('a'), [['a', 'c']]).size, 0)
})

test('a new page at the old path of a moved one gets a further id, the same every time', () => {
  const moved = follow(none, set('a'), set('b'), [['b', 'a']])
  const again = follow(moved, set('b'), set('a', 'b'), [])
  assert.is(again.get('b'), defaultId(space, 'a'))
  assert.is.not(again.get('a'), undefined)
  assert.is.not(again.get('a'), defaultId(space, 'a'))
  assert.equal([...follow(moved, set('b'), set('a', 'b'), [])], [...again])
  const atOnce = follow(none, set('a'), set('a', 'b'), [['b', 'a']])
  assert.is(atOnce.size, 0, 'the old key is still there: a copy')
})

test('two pages can swap names', () => {
  const swapped = follow(none, set('a', 'b'), set('a', 'b'), [
    ['a', 'b'],
    ['b', 'a'],
  ])
  assert.is(swapped.get('a'), defaultId(space, 'b'))
  assert.is(swapped.get('b'), defaultId(space, 'a'))
})

test('a page that is renamed and the new page in its place have different ids', () => {
  const after = followRenames(space, none, {
    keysBefore: set('a'),
    keysAfter: set('a', 'b'),
    renames: new Map([['b', 'a']]),
    added: ['a'],
  })
  assert.is(after.get('b'), defaultId(space, 'a'))
  assert.is.not(idOf(space, after, 'a'), idOf(space, after, 'b'))
})

test('overrides of removed keys are dropped, and unchanged overrides are the same object', () => {
  const before = new Map([
    ['b', defaultId(space, 'a')],
    ['d', defaultId(space, 'c')],
  ])
  assert.is(follow(before, set('b', 'd'), set('b', 'd', 'e'), []), before)
  assert.equal([...follow(before, set('b', 'd'), set('d'), []).keys()], ['d'])
  assert.is(follow(none, set('b'), set('b', 'c'), []), none)
})

const names = ['a', 'b', 'c', 'd', '#page:x', '#group:g']
const step = fc.record({
  renames: fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), {
    maxLength: 4,
  }),
  after: fc.uniqueArray(fc.constantFrom(...names)),
})

test('no sequence of changes gives two keys one id or changes the id of an untouched key', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), steps => {
      let keys = set('a', 'b', 'c')
      let identity = none
      for (const { renames, after } of steps) {
        const next = set(...after)
        const map = new Map(renames)
        const followed = follow(identity, keys, next, [...map])
        const ids = after.map(key => idOf(space, followed, key))

        assert.is(new Set(ids).size, ids.length)
        for (const key of followed.keys()) assert.ok(next.has(key))
        for (const key of after)
          if (keys.has(key) && !map.has(key) && ![...map.values()].includes(key))
            assert.is(idOf(space, followed, key), idOf(space, identity, key))
        const targets = [...map].filter(
          ([key, old]) => keys.has(old) && !next.has(old) && next.has(key),
        )

        for (const [key, old] of targets)
          if (targets.filter(([, from]) => from === old).length === 1)
            assert.is(idOf(space, followed, key), idOf(space, identity, old))
        keys = next
        identity = parseIdentity(formatIdentity(followed))
      }
    }),
    { numRuns: runs(500) },
  )
})

test('a merge takes the changes of either side and keeps published ids', () => {
  const born = (key: string) => defaultId(space, key)
  const ids = (...pairs: [string, string][]) => new Map(pairs)
  const merge = (
    keys: string[],
    origin: IdOverrides,
    published: IdOverrides,
    brought: IdOverrides,
  ) => mergeIdentities(space, keys, { published, brought, origin })
  const before = ids(['a', born('a')], ['c', 'third'])

  // Renamed by either side, with a new page at the old path.
  const renamed = ids(['b', born('a')], ['a', 'fresh'], ['c', 'third'])
  const expected = [
    ['a', 'fresh'],
    ['b', born('a')],
    ['c', 'third'],
  ]

  assert.equal([...merge(['a', 'b', 'c'], before, before, renamed)].sort(), expected)
  assert.equal([...merge(['a', 'b', 'c'], before, renamed, before)].sort(), expected)
  assert.equal([...merge(['b'], before, renamed, renamed)], [['b', born('a')]])

  // Both sides have the same default id on different pages: the published page keeps it.
  const published = ids(['new', born('new')])
  const brought = ids(['mine', born('new')])
  const both = idsOf(space, merge(['new', 'mine'], none, published, brought), ['new', 'mine'])

  assert.is(both.get('new'), born('new'))
  assert.is(both.get('mine'), born('mine'))

  // Also if a default id returns without an override.
  const taken = ids(['other', born('x')])
  const settled = idsOf(space, merge(['other', 'x'], none, taken, ids(['x', born('x')])), [
    'other',
    'x',
  ])

  assert.is(settled.get('other'), born('x'))
  assert.is.not(settled.get('x'), born('x'))
})

test('the ids of a tree are unique even if a merge brings a default id back', () => {
  const identity = new Map([['b', defaultId(space, 'a')]])
  const ids = idsOf(space, identity, ['a', 'b', 'c'])
  assert.is(ids.get('b'), defaultId(space, 'a'))
  assert.is(ids.get('c'), defaultId(space, 'c'))
  assert.is(new Set(ids.values()).size, 3)
  assert.equal([...idsOf(space, identity, ['c', 'b', 'a'])].sort(), [...ids].sort())
  const settled = settleIdentity(space, identity, ['a', 'b', 'c'])

  assert.is(settled.get('a'), ids.get('a'))
  assert.is(settleIdentity(space, settled, ['a', 'b', 'c']), settled)
  assert.equal([...follow(identity, set('b'), set('a', 'b'), [])].sort(), [...settled].sort())
})

test('a note survives formatting and parsing with any keys', () => {
  const key = fc.oneof(
    fc.string({ minLength: 1 }),
    anyText(),
    fc.constantFrom('"', 'a\tb', '"a"', ' ', '\ud800'),
  )
  const id = fc.stringMatching(/^[0-9A-Za-z]{1,20}$/)
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(key, id), { selector: pair => pair[1] }), pairs => {
      const identity = new Map(pairs)
      const note = formatIdentity(identity)
      assert.is(formatIdentity(parseIdentity(note)), note)
      assert.equal([...parseIdentity(note)].sort(), [...identity].sort())
      assert.is(note.split('\n').length - 1, identity.size)
    }),
  )
})

test('the valid lines of a malformed note are used', () => {
  const note =
    'no tab\n\tid\na.md\tid1\nb.md\tid1\na.md\tid2\n"broken\tid3\nc.md\tbad id\nmy "x".md\tid4\n'
  assert.equal(
    [...parseIdentity(note)],
    [
      ['a.md', 'id1'],
      ['my "x".md', 'id4'],
    ],
  )

  assert.is(
    formatIdentity(
      new Map([
        ['b', '2'],
        ['a\nb', '3'],
        ['a', '1'],
      ]),
    ),
    'a\t1\n"a\\nb"\t3\nb\t2\n',
  )
})

test.run()
