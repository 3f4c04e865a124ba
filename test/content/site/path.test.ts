import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { derivePath, foldSegment, readSegment } from '../../../src/content/site/path.ts'
import { Fault } from '../../../src/errors.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    assert.instance(error, Fault)
    assert.is((error as Fault).kind, 'invalid')
    return (error as Fault).message
  }
  return assert.unreachable('no fault was thrown') as never
}

for (const text of ['api', 'v2', '1.0', 'a_b-c.d', 'a', '0', 'a'.repeat(100), 'v11', 'index.html'])
  test(`"${text.slice(0, 20)}" is a valid path`, () => assert.is(readSegment(text), text))

test('upper case becomes lower case', () => assert.is(readSegment('API-V2'), 'api-v2'))

const wrong = [
  '',
  '.',
  '..',
  '~x',
  'a/b',
  '%2e',
  'ＡＰＩ',
  'a'.repeat(101),
  '.a',
  'a.',
  '-a',
  'a-',
  '_a',
  'a_',
]
for (const text of [...wrong, 'a b', 'a\n', '\0', 'é', '\u212a', 'İ', 'a\\b', 'a?', 'a#', '\ud800'])
  test(`${JSON.stringify(text.slice(0, 20))} is refused`, () =>
    assert.match(
      refusal(() => readSegment(text)),
      /cannot be a path\. Use 1 to 100 letters/,
    ))

for (const text of [
  'v1',
  'SSO',
  'files',
  'Sitemap.xml',
  'sitemap-pages.xml',
  'robots.txt',
  'llms.txt',
  'index',
])
  test(`"${text}" is reserved`, () =>
    assert.match(
      refusal(() => readSegment(text, 'basename')),
      /^The basename ".*" is reserved/,
    ))

test('a refusal does not repeat a long text', () => {
  assert.ok(refusal(() => readSegment('/'.repeat(1_000_000))).length < 300)
})

const derived: [string, 'section' | 'space' | 'site', string][] = [
  ['API Reference', 'section', 'api-reference'],
  ['C++ / Node.js', 'section', 'c-node.js'],
  ['Über uns', 'section', 'ueber-uns'],
  ['快速开始', 'space', 'kuai-su-kai-shi'],
  ['시작하기', 'space', 'space'],
  ['👍', 'site', 'site'],
  ['  ', 'site', 'site'],
  ['', 'section', 'section'],
  ['...', 'section', 'section'],
  ['Undefined', 'section', 'undefined'],
  ['Untitled', 'section', 'untitled'],
  ['robots.txt', 'section', 'robots.txt-1'],
  ['V1', 'section', 'v1-1'],
  ['~secret', 'section', 'secret'],
]
for (const [title, fallback, path] of derived)
  test(`the title "${title}" results in ${path}`, () =>
    assert.is(derivePath(title, new Set(), fallback), path))

test('a path that is taken gets the first free number', () => {
  assert.is(derivePath('API', new Set(['api', 'api-1']), 'section'), 'api-2')
})

test('a derived path is always valid and free', () => {
  const title = fc.oneof(
    fc.string({ maxLength: 150 }),
    anyText({ maxLength: 150 }),
    fc.constantFrom(
      'API',
      'a'.repeat(200),
      'index',
      `${'a'.repeat(98)}. b`,
      `${'a'.repeat(97)}.._-b`,
    ),
  )
  fc.assert(
    fc.property(fc.array(title, { maxLength: 12 }), titles => {
      const taken = new Set<string>()
      for (const each of [...titles, ...titles]) {
        const path = derivePath(each, taken, 'space')
        assert.is(readSegment(path), path)
        assert.not(taken.has(foldSegment(path)))
        taken.add(foldSegment(path))
      }
    }),
    { numRuns: runs(400) },
  )
})

test('any text is either refused or a path in lower case that reads as itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), anyText()), text => {
      let path: string
      try {
        path = readSegment(text)
      } catch (error) {
        assert.instance(error, Fault)
        return
      }

      assert.is(path, text.toLowerCase())
      assert.is(readSegment(path), path)
      assert.is(foldSegment(text), path)
    }),
    { numRuns: runs(1000) },
  )
})

test('comparison ignores case and Unicode composition', () => {
  assert.is(foldSegment('E\u0301TUDE'), foldSegment('étude'))
})

test.run()
