import fc from 'fast-check'
import limax from 'limax'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { foldSlug, slugOfFile, slugOfTitle, uniqueSlug } from '../../../src/content/text/slug.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

const titles: [string, string][] = [
  ['3. Terms & fees', '3.-terms-and-fees'],
  ['C++ / Node.js', 'c++-node.js'],
  ['What’s new?', 'whats-new'],
  ['<buffer> block', 'less-than-buffer-greater-than-block'],
  ['50% or $5', '50-or-usd5'],
  ['4.3. 函數呼叫', '4.3.-han-shu-hu-jiao'],
  ['快速开始', 'kuai-su-kai-shi'],
  ['Генерация ключей', 'generaciya-klyuchei'],
  ['Über uns', 'ueber-uns'],
  ['İstanbul', 'istanbul'],
  ['시작하기', 'undefined'],
  ['', 'untitled'],
  ['  ', 'untitled'],
  ['..', 'undefined'],
  ['10 apples, 21 pears', '10-apples-21-pears'],
  ['Treasure Agent v3 (EOL) Installation', 'treasure-agent-v3-eol-installation'],
]
for (const [title, slug] of titles)
  test(`the title "${title}" results in ${slug}`, () => assert.is(slugOfTitle(title), slug))

const files: [string, string][] = [
  ['setup/install.md', 'install'],
  ['setup/README.md', 'setup'],
  ['README.md', 'readme'],
  ['readme.md', 'readme'],
  ['x/tailf_yang_extensions.5.md', 'tailf_yang_extensions.5'],
  ['elsa-server-+-studio.md', 'elsa-server-+-studio'],
  ['Notes (1).MD', 'Notes (1)'],
  ['.md', '-md'],
]
for (const [path, slug] of files)
  test(`the file ${path} results in ${slug}`, () => assert.is(slugOfFile(path), slug))

test('a title slug has at most 100 characters and no slash', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), title => {
      const slug = slugOfTitle(title)
      assert.ok(slug.length > 0 && slug.length <= 100)
      assert.not.match(slug, /[/\s]/)
      assert.is(slugOfTitle(title), slug)
    }),
  )
})

test('siblings get suffixes in order, even if they differ only in case or composition', () => {
  const taken = new Set<string>()
  const take = (slug: string) => {
    const unique = uniqueSlug(slug, taken)
    taken.add(foldSlug(unique))
    return unique
  }

  assert.equal(['page', 'page', 'Page', 'page-1', 'é', 'e\u0301'].map(take), [
    'page',
    'page-1',
    'Page-2',
    'page-1-1',
    'é',
    'e\u0301-1',
  ])
})

test('a suffix does not make a slug longer than 100 characters', () => {
  const slug = 'a'.repeat(100)
  assert.is(uniqueSlug(slug, new Set([slug])), `${'a'.repeat(98)}-1`)
})

test('siblings never share a slug, and many equal ones take linear time', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'A', 'a-1', 'b', 'a-2')), slugs => {
      const taken = new Set<string>()
      const next = new Map<string, number>()
      for (const slug of slugs) {
        const unique = foldSlug(uniqueSlug(slug, taken, next))
        assert.not(taken.has(unique))
        assert.is(unique, foldSlug(uniqueSlug(slug, taken)))
        taken.add(unique)
      }
    }),
  )
  const taken = new Set<string>()
  const next = new Map<string, number>()
  const started = cpuTime()

  for (let i = 0; i < 20_000; i++) taken.add(uniqueSlug('same', taken, next))
  assert.is(taken.size, 20_000)
  assert.ok(cpuTime() - started < 5000)
})

test('an ASCII title has the slug that the transliteration gives it', () => {
  const custom = { '.': '.', _: '_', '+': '+' }
  const characters = 'aBz09 -_.+:(),?!/`"[]{};*@#=~\\^\'|&$%<>'.split('')
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...characters), maxLength: 120 }), title => {
      const text = title.trim()
      const slug = limax(text, { tone: false, custom }).slice(0, 100).replace(/-+$/, '')
      if (text !== '' && !['', '.', '..'].includes(slug)) assert.is(slugOfTitle(title), slug)
    }),
    { numRuns: runs(6000) },
  )
})

test('long slugs that differ only at the end share their numbers when they are cut', () => {
  const taken = new Set<string>()
  const next = new Map<string, number>()
  const add = (slug: string) => {
    const unique = uniqueSlug(slug, taken, next)
    assert.is(uniqueSlug(slug, taken), unique)
    taken.add(foldSlug(unique))
    return unique
  }
  const slugs = Array.from({ length: 36 }, (_, n) => 'x'.repeat(199) + n.toString(36))
  for (const slug of slugs) assert.is(add(slug), slug)
  for (const [n, slug] of slugs.entries())
    assert.is(add(slug), `${'x'.repeat(n < 9 ? 198 : 197)}-${n + 1}`)
})

test('the number of a long slug is not searched again for each slug', () => {
  let looks = 0
  class Counted extends Set<string> {
    override has(slug: string) {
      looks++
      return super.has(slug)
    }
  }
  const taken = new Counted()
  const next = new Map<string, number>()
  const count = 36 ** 2
  for (let n = 0; n < 2 * count; n++) {
    const end = (n % count).toString(36).padStart(2, '0')
    taken.add(foldSlug(uniqueSlug('x'.repeat(200) + end, taken, next)))
  }
  assert.ok(looks < 12 * count, `${looks} look-ups`)
})

test.run()
