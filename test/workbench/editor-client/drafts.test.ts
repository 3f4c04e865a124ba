import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  draftKey,
  findDraft,
  forgetOldDrafts,
  type Keeping,
  keepDraft,
  readDraft,
} from '../../../src/workbench/editor-client/drafts.ts'
import { inStep, sameEnds } from '../../../src/workbench/editor-client/patch.ts'

function storage(room = Number.POSITIVE_INFINITY): Keeping {
  const kept = new Map<string, string>()
  return {
    get length() {
      return kept.size
    },
    key: at => [...kept.keys()][at] ?? null,
    getItem: key => kept.get(key) ?? null,
    removeItem: key => void kept.delete(key),
    setItem: (key, value) => {
      if (value.length > room) throw new Error('QuotaExceededError')
      kept.set(key, value)
    },
  }
}

test('the newest draft of a page is found, whatever revision it was written at', () => {
  const keeping = storage()
  const draft = (at: number) => ({ fields: { body: String(at) }, at })
  keepDraft(keeping, draftKey('s', 'p', 'a'), draft(1))
  keepDraft(keeping, draftKey('s', 'p', 'b'), draft(3))
  keepDraft(keeping, draftKey('s', 'other', 'b'), draft(9))
  assert.equal(findDraft(keeping, 's', 'p'), { key: draftKey('s', 'p', 'b'), draft: draft(3) })
  assert.is(findDraft(keeping, 's', 'none'), undefined)
})

test('what is not a draft is none, and a full storage is said', () => {
  assert.is(keepDraft(storage(10), 'k', { fields: { body: 'long' }, at: 1 }), false)
  const keeping = storage()
  for (const text of ['{', 'null', '3', '{"fields":1}']) {
    keeping.setItem('k', text)
    assert.is(readDraft(keeping, 'k'), undefined)
  }
})

test('drafts that nobody came back for within a month are forgotten', () => {
  const keeping = storage()
  const day = 24 * 3_600_000
  keepDraft(keeping, draftKey('s', 'old', 'a'), { fields: {}, at: 0 })
  keepDraft(keeping, draftKey('s', 'new', 'a'), { fields: {}, at: 20 * day })
  keeping.setItem('other', 'kept')
  forgetOldDrafts(keeping, 31 * day)
  assert.is(findDraft(keeping, 's', 'old'), undefined)
  assert.ok(findDraft(keeping, 's', 'new'))
  assert.is(keeping.getItem('other'), 'kept')
})

test('only what differs between two lists of blocks is replaced', () => {
  assert.equal(sameEnds(['a', 'b', 'c'], ['a', 'x', 'c']), { head: 1, tail: 1 })
  assert.equal(sameEnds(['a', 'a'], ['a', 'a', 'a']), { head: 2, tail: 0 })
  assert.equal(sameEnds([], ['a']), { head: 0, tail: 0 })
})

test('two panes are in step at their headings, and in proportion between them', () => {
  const [source, shown] = [
    [0, 100, 200],
    [0, 50, 450],
  ]
  assert.equal(
    [0, 50, 100, 150, 200, 300].map(at => inStep(at, source, shown)),
    [0, 25, 50, 250, 450, 450],
  )
  assert.is(inStep(10, [0], [0]), 0)
})

test.run()
