import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readFrontMatter, splitFrontMatter } from '../../../src/content/markdown/front-matter.ts'
import { editFrontMatter } from '../../../src/content/page/front-matter-edit.ts'
import { Fault } from '../../../src/errors.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

test('front matter is only recognised at the start of the file', () => {
  assert.is(splitFrontMatter('---\na: 1\n---\nx').body, 13)
  assert.is(splitFrontMatter('\ufeff---\r\na: 1\r\n...\r\nx').body, 17)
  assert.is(splitFrontMatter('\n---\na: 1\n---\n').block, null)
  assert.is(splitFrontMatter('---js\na: 1\n---\n').block, null)
  assert.is(splitFrontMatter('+++\na = 1\n+++\n').block, null)
  assert.is(splitFrontMatter('---\na: 1\n').block, null)
  assert.is(splitFrontMatter('---\n---').body, 7)
})

test('a draft is read in each spelling of true and false', () => {
  const draft = (written: string) => readFrontMatter(`---\ndraft: ${written}\n---\n`).data.draft
  for (const written of ['true', 'True', 'yes', 'on', '"true"']) assert.is(draft(written), true)
  for (const written of ['false', 'no', 'off', "'false'"]) assert.is(draft(written), false)
  assert.is(draft('soon'), undefined)
})

test('known fields are read, and wrong types become issues', () => {
  const text = `---
description: >-
  Everything, folded
  here
hidden: true
icon: rocket-launch
emoji: 2705
layout:
  width: wide
  cover: { visible: true, size: hero }
tags:
  - beta
  - tag: ops
    primary: true
if: visitor.claims.unsigned.plan === "pro"
vars:
  port: 8443
  __proto__: 3
noIndex: perhaps
coverY: .inf
own: kept
title: "Cards —\\_x"
---
`
  const { data, keys, issues } = readFrontMatter(text)
  assert.equal(data, {
    description: 'Everything, folded here',
    hidden: true,
    icon: 'rocket-launch',
    emoji: '2705',
    layout: { width: 'wide', cover: { visible: true, size: 'hero' } },
    tags: ['beta', 'ops'],
    condition: 'visitor.claims.unsigned.plan === "pro"',
    vars: { port: 8443 },
    title: 'Cards —\u00a0x',
  })
  assert.is(keys.length, 12)
  assert.is(issues.length, 2)
})

test('a broken key does not hide the other keys', () => {
  const { data, issues } = readFrontMatter(
    '---\ndescription: foo: bar\nhidden: true\nicon: x\n---\n',
  )
  assert.equal(data, { hidden: true, icon: 'x' })
  assert.is(issues.length, 1)
  assert.is(issues[0]!.line, 2)
})

test('the first of two equal keys is used', () => {
  const { data, issues } = readFrontMatter('---\nicon: a\nicon: b\n---\n')
  assert.equal(data, { icon: 'a' })
  assert.equal(issues, [
    { message: 'The key "icon" is duplicated; the first one is used.', line: 3 },
  ])
})

test('hostile YAML is refused in bounded time', () => {
  const bomb = `a: &a [x,x]\n${'bcdefghi'
    .split('')
    .map((c, i) => `${c}: &${c} [*${'abcdefgh'[i]},*${'abcdefgh'[i]}]\n`)
    .join('')}`

  const sources = [
    bomb,
    'a: '.concat('['.repeat(60000)),
    'a: '.concat('- '.repeat(30000)),
    'a: '.repeat(20000),
    '? '.repeat(30000),
    '__proto__: { polluted: true }\nconstructor: 1',
    '<<: { icon: x }',
    'a: !!js/function "x"',
    '%YAML 9.9',
    'icon: *nowhere',
    'x'.repeat(70000),
    '\0',
  ]

  for (const source of sources) {
    const { data } = readFrontMatter(`---\n${source}\n---\n`)
    assert.equal(Object.keys(data), [])
  }

  assert.is(({} as Record<string, unknown>).polluted, undefined)
})

test('an edit changes its own key only', () => {
  const text = '---\n# mine\ntitle:   "A"   # keep\r\nown:  [ 1,2 ]\n\nicon: old\n---\nbody\n'
  assert.is(editFrontMatter(text, { title: 'B' }), text.replace('"A"', '"B"'))
  assert.is(editFrontMatter(text, { icon: null }), text.replace('icon: old\n', ''))
  assert.is(editFrontMatter(text, { icon: 'old', hidden: null }), text)
  assert.is(
    editFrontMatter(text, { hidden: true }),
    text.replace('icon:', 'hidden: true\r\nicon:').replace('true\r\n', 'true\n'),
  )
})

test('comments beside an edit stay comments', () => {
  const long = 'word '.repeat(40).trim()
  const text = '---\n  description: # note\n  # indented\n  icon: x\n---\n'
  const after = editFrontMatter(text, { description: long, hidden: true })
  assert.equal(readFrontMatter(after).data, { description: long, hidden: true, icon: 'x' })
  assert.ok(after.includes('description: >- # note\n') && after.includes('\n  # indented\n'))
  const folded = '---\ndescription: >-\n  words\nicon: x\n  # about the icon\ntitle: T\n---\n'

  assert.is(
    editFrontMatter(folded, { icon: null }),
    folded.replace('icon: x\n  # about the icon\n', ''),
  )
})

test('a value with an anchor that another key refers to is not edited', () => {
  assert.throws(
    () => editFrontMatter('---\nicon: &x a\nown: *x\n---\n', { icon: 'b' }),
    (error: unknown) => error instanceof Fault && error.kind === 'invalid',
  )
})

test('a block is added and removed', () => {
  assert.is(editFrontMatter('# T\n', { icon: 'x' }), '---\nicon: x\n---\n\n# T\n')
  assert.is(
    editFrontMatter('\ufeff# T\r\n', { icon: 'x' }),
    '\ufeff---\r\nicon: x\r\n---\r\n\r\n# T\r\n',
  )
  assert.is(editFrontMatter('---\nicon: x\n---\n\n# T\n', { icon: null }), '# T\n')
  assert.is(
    editFrontMatter('---\n---\n# T\n', { condition: 'a == 1' }),
    '---\nif: a == 1\n---\n# T\n',
  )
})

test('new keys are written in the canonical order', () => {
  const text = '---\nown: 1\nicon: x\nlayout:\n  width: wide\n---\n'
  const set = { description: 'd', hidden: true, tags: ['a'] }
  const wanted =
    '---\nown: 1\ndescription: d\nhidden: true\nicon: x\nlayout:\n  width: wide\ntags:\n  - a\n---\n'
  assert.is(editFrontMatter(text, set), wanted)
})

test('long texts are folded and read back', () => {
  const long = 'word '.repeat(40).trim()
  const text = editFrontMatter('', { description: long, icon: 'x' })
  assert.ok(text.startsWith('---\ndescription: >-\n  word'))
  assert.ok(text.split('\n').every(line => line.length <= 80))
  assert.equal(readFrontMatter(text).data, { description: long, icon: 'x' })
})

test('broken front matter is not edited', () => {
  assert.throws(
    () => editFrontMatter('---\na: b: c\n---\n', { icon: 'x' }),
    (error: unknown) => error instanceof Fault && error.kind === 'invalid',
  )
})

test('any text is read back as written, beside any other key', () => {
  const keys = fc.constantFrom('title', 'description', 'icon', 'condition', 'cover')
  const text = fc.oneof(
    fc.string(),
    anyText(),
    fc.constantFrom('yes', '1', ' a', 'a: b', '#x', '- a', '*a', '\n'),
  )

  fc.assert(
    fc.property(keys, text, fc.constantFrom('\n', '\r\n'), (key, value, eol) => {
      fc.pre(!/[\ud800-\udfff]/.test(value.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '')))
      const before = [
        '---',
        'own: "1"  # c',
        'cover: >-',
        '  x',
        '  y',
        'other:',
        '  - a',
        '---',
        'body',
        '',
      ].join(eol)
      const after = editFrontMatter(before, { [key]: value })
      const read = readFrontMatter(after)

      assert.is(read.data[key], value)
      assert.equal(read.issues, [])
      assert.ok(after.includes('own: "1"  # c') && after.endsWith(`---${eol}body${eol}`))
      assert.is(editFrontMatter(after, { [key]: value }), after)
      if (key !== 'cover') assert.is(editFrontMatter(after, { [key]: null }), before)
    }),
    { numRuns: runs(500) },
  )
})

test.run()
