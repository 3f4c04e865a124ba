import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ContentRef } from '../../../src/content/edit/changes.ts'
import { fileName } from '../../../src/content/edit/paths.ts'
import {
  checkTemplatePaths,
  readTemplateWords,
  type Template,
  type TemplateWords,
} from '../../../src/content/edit/template.ts'
import { fillTemplate, type RefValue } from '../../../src/content/edit/template-fill.ts'
import { filesWithTemplate } from '../../../src/content/edit/template-space.ts'
import { findLinks, resolveLink } from '../../../src/content/links/find.ts'
import { decode, encode } from '../../../src/content/text/bytes.ts'
import { Fault } from '../../../src/errors.ts'
import { runs } from '../../support/long-run.ts'

const shipped = new URL('../../../templates/', import.meta.url)

function readShipped(id: string): Template {
  const folder = new URL(`${id}/`, shipped)
  const files = new Map<string, Uint8Array>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = `${entry.parentPath}/${entry.name}`
      .slice(folder.pathname.length)
      .replace(/^\//, '')
    files.set(path, readFileSync(new URL(path, folder)))
  }

  const words = readTemplateWords(files.get('template.yaml')!)

  files.delete('template.yaml')

  return { id, ...words, files }
}

const template = (files: Record<string, string>, refs: TemplateWords['refs'] = []): Template => ({
  id: 'x',
  title: 'X',
  description: '',
  refs,
  files: new Map(Object.entries(files).map(([path, text]) => [path, encode(text)])),
})

const begin = (
  from: Template,
  refs: Record<string, ContentRef> = {},
  files: [string, string][] = [
    ['README.md', '# Space\n'],
    ['SUMMARY.md', '# Table of contents\n\n* [Space](README.md)\n'],
  ],
) => {
  const made = filesWithTemplate('space', files, {
    operation: 'apply_template',
    template: from,
    refs,
  })
  return new Map(made.map(([path, bytes]) => [path, decode(bytes).text]))
}

const refusal = (work: () => unknown): Fault => {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('nothing was refused')
}

for (const id of readdirSync(shipped).filter(name => name !== 'README.md')) {
  test(`${id}: every link leads somewhere, with all names and with none`, () => {
    const from = readShipped(id)
    checkTemplatePaths([...from.files.keys()])
    assert.ok(from.description.length > 40)
    const given = (kinds: string[]): ContentRef =>
      kinds.includes('url')
        ? { kind: 'url', url: 'https://example.org/here' }
        : { kind: 'openapi', spec: 'acme' }
    const all = Object.fromEntries(
      from.refs.filter(ref => !ref.kinds.includes('file')).map(ref => [ref.name, given(ref.kinds)]),
    )

    for (const refs of [{}, all]) {
      const files = begin(from, refs)
      for (const [path, text] of files) {
        assert.not.match(text, /ref:[a-z]|<!-- (?:if|unless|end):/, path)
        assert.not.match(text, /\n\n\n/, `${path} has two blank lines`)
        assert.not.ok(
          text.split('\n').some(line => line.length > 130 && !line.startsWith('<table')),
          path,
        )
        if (!path.endsWith('.md')) continue

        for (const { target } of findLinks(text)) {
          const { candidates, external } = resolveLink(path, target)
          const found = candidates.some(to => files.has(to) || files.has(`${to}README.md`))
          assert.ok(external || found, `${path}: ${target}`)
        }
      }

      // Every page is listed.
      for (const path of files.keys())
        if (path.endsWith('.md') && path !== 'SUMMARY.md')
          assert.ok(files.get('SUMMARY.md')!.includes(`(${path})`), path)
      assert.match(files.get('README.md')!, /^(?:---[^#]*---\n\n)?# Space\n\n\S/)
      assert.match(
        files.get('SUMMARY.md')!,
        /^# Table of contents\n\n\* \[Space\]\(README\.md\)\n\* \[/,
      )
    }
  })
}

test('names are replaced by relative paths, URLs and slugs; sections are kept if their name is given', () => {
  const refs = (['logo', 'help', 'spec', 'cover'] as const).map(name => ({
    name,
    kinds: ['file' as const],
    description: '',
    required: false,
  }))

  const from = template(
    {
      'SUMMARY.md': '* [A](deep/a.md)\n* [Help](ref:help)\n',
      'deep/a.md':
        '---\ncover: ref:cover\n---\n\n# A\n\n<!-- if:logo -->\n![Logo](ref:logo)\n<!-- end:logo -->\n\n<!-- unless:logo -->\nNo logo.\n<!-- end:logo -->\n\n<a href="ref:help">Help</a> [x](<ref:help>) {% openapi-operation spec="ref:spec" %}\n\n`ref:other` <!-- if:other -->\n',
      'b.bin': 'ref:spec',
    },
    refs,
  )

  const values = new Map<string, RefValue>([
    ['logo', { path: 'docs/.gitbook/assets/my logo (1).png' }],
    ['cover', { path: 'docs/.gitbook/assets/c.png' }],
    ['help', { path: 'docs/help.md', fragment: 'ask' }],
    ['spec', { spec: 'acme' }],
  ])
  const filled = fillTemplate(from, values, path => `docs/${path}`)

  assert.equal([...filled.keys()], ['SUMMARY.md', 'deep/a.md'])
  assert.is(
    decode(filled.get('deep/a.md')!).text,
    '---\ncover: ../.gitbook/assets/c.png\n---\n\n# A\n\n![Logo](<../.gitbook/assets/my logo (1).png>)\n\n<a href="../help.md#ask">Help</a> [x](<../help.md#ask>) {% openapi-operation spec="acme" %}\n\n`ref:other` <!-- if:other -->\n',
  )
  assert.is(decode(filled.get('SUMMARY.md')!).text, '* [A](deep/a.md)\n* [Help](help.md#ask)\n')
  const bare = fillTemplate(from, new Map(), path => path)

  assert.match(decode(bare.get('deep/a.md')!).text, /# A\n\nNo logo\.\n\n<a/)
})

test('entries are appended to existing ones in the style of the file; a group of the same name is continued', () => {
  const from = template({
    'SUMMARY.md':
      '# T\n\n* [Start](README.md)\n* [Top](top.md)\n  * [Below](top/below.md)\n\n## Guides\n\n* [Own](own.md)\n\n## New <a href="#n" id="n"></a>\n\n* Words\n',
    'README.md': '---\nicon: house\n---\n\n# Start\n\nHello.\n',
    'top.md': '# Top\n',
    'top/below.md': '# Below\n',
    'own.md': '# Own\n',
  })
  const before =
    '# Inhalt\r\n\r\n- [Space](README.md)\r\n\r\n## Guides\r\n\r\n- [Mine](mine.md)\r\n'
  const files = begin(from, {}, [
    ['README.md', '# Space\r\n\r\nMy words.\r\n'],
    ['SUMMARY.md', before],
    ['mine.md', '# Mine\n'],
  ])

  assert.is(
    files.get('SUMMARY.md'),
    '# Inhalt\r\n\r\n- [Space](README.md)\r\n- [Top](top.md)\r\n  - [Below](top/below.md)\r\n\r\n## Guides\r\n\r\n- [Mine](mine.md)\r\n- [Own](own.md)\r\n\r\n## New <a href="#n" id="n"></a>\r\n\r\n- Words\r\n',
  )
  assert.is(files.get('README.md'), '# Space\r\n\r\nMy words.\r\n')
  const empty = begin(from, {}, [])

  assert.is(empty.get('README.md'), '---\nicon: house\n---\n\n# Start\n\nHello.\n')
  assert.match(
    empty.get('SUMMARY.md')!,
    /^# Table of contents\n\n\* \[Start\]\(README\.md\)\n\* \[Top\]/,
  )
  const inferred = begin(from, {}, [['mine.md', '# Mine\n']])

  assert.match(inferred.get('SUMMARY.md')!, /\* \[Mine\]\(mine\.md\)\n\* \[Start\]\(README\.md\)/)
})

test('no file is overwritten, and invalid names are refused', () => {
  const ref = (name: string, required: boolean) => ({
    name,
    kinds: ['url' as const],
    description: '',
    required,
  })

  const from = template({ 'a.md': '# A\n', 'B/c.md': '# C\n' }, [
    ref('one', true),
    ref('two', false),
  ])
  const one = { one: { kind: 'url', url: 'https://example.org' } }
  const taken = refusal(() => begin(from, one, [['A.md', '# Mine\n']]))

  assert.equal([taken.kind, taken.detail?.paths], ['conflict', ['a.md']])
  const folder = refusal(() => begin(from, one, [['b/d.md', '# Mine\n']]))

  assert.equal([folder.kind, folder.detail?.paths], ['conflict', ['B/c.md']])
  const nothing = refusal(() =>
    begin(template({ 'README.md': '# R\n' }), {}, [['README.md', '# R\n\nWords.\n']]),
  )

  assert.equal([nothing.kind, nothing.detail?.paths], ['conflict', ['README.md']])
  const lacking = refusal(() => begin(from, {}))

  assert.equal([lacking.kind, lacking.detail?.missing], ['invalid', ['one']])
  const unknown = refusal(() =>
    begin(from, { ...one, __proto: { kind: 'url', url: 'https://x.org' } }),
  )

  assert.equal([unknown.kind, unknown.detail?.unknown], ['invalid', ['__proto']])
  assert.match(
    refusal(() => begin(from, { one: { kind: 'file', file: 'x' } })).message,
    /must be of the kind/,
  )
})

test('file names that are not portable are refused', () => {
  for (const path of [
    ['..', 'x.md'].join('/'),
    'a/../b.md',
    '.git/config',
    'a/.GIT/hooks/x',
    '/etc/passwd',
    'a\\b.md',
    'a\nb.md',
    'con.md',
    'a:b.md',
    '{{../../x}}/\u202ex.md',
    'e\u0301.md',
    '.gitbook.yaml',
    'a '.repeat(200),
    Array(12).fill('a').join('/'),
  ])
    assert.is(refusal(() => checkTemplatePaths([path])).kind, 'invalid', path)

  assert.is(refusal(() => checkTemplatePaths(['A.md', 'a.md'])).kind, 'invalid')
  assert.is(refusal(() => checkTemplatePaths(['a', 'A/b.md'])).kind, 'invalid')
  checkTemplatePaths(['a/b.md', 'a/c.md', '.gitbook/assets/{{name}}.png'])
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 4 }), parts => {
      try {
        checkTemplatePaths([parts.join('/')])
      } catch (error) {
        assert.ok(error instanceof Fault)
        return
      }
      for (const part of parts.join('/').split('/')) assert.is(fileName(part, 'x'), part)
    }),
    { numRuns: runs(300) },
  )
})

test('an invalid template.yaml is refused with the reason', () => {
  const read = (text: string) => readTemplateWords(encode(text))
  assert.equal(read('title: A\nrefs:\n  x: {kinds: url, required: true}\n'), {
    title: 'A',
    description: '',
    refs: [{ name: 'x', kinds: ['url'], description: '', required: true }],
  })

  for (const text of [
    '',
    'title: ""',
    'title: [a]',
    'title: a\ntitle: b',
    'title: a\nother: b',
    'title: a\nrefs: [x]',
    'title: a\nrefs: {X: {kinds: url}}',
    'title: a\nrefs: {x: {kinds: [user]}}',
    'title: a\nrefs: {x: {kinds: url, more: 1}}',
    'title: a\nrefs: {x: {}}',
    '- a',
    ': : :',
    '[['.repeat(10_000),
    'a: &a [*a]',
  ])
    assert.is(refusal(() => read(text)).kind, 'invalid', text.slice(0, 40))
})

test('filling is linear in the size of the files', () => {
  const refs = [{ name: 'x', kinds: ['url' as const], description: '', required: false }]
  const hostile = template(
    {
      'a.md': '[a](ref:x) '.repeat(150_000),
      'b.md': '<!-- if:x -->\n'.repeat(50_000),
      'c.md': '<!-- if:x -->\n\n<!-- end:x -->\n'.repeat(20_000),
    },
    refs,
  )

  const filled = fillTemplate(
    hostile,
    new Map([['x', { url: 'https://example.org' }]]),
    path => path,
  )

  assert.is(decode(filled.get('a.md')!).text, '[a](https://example.org) '.repeat(150_000))
  assert.is(decode(filled.get('b.md')!).text, '')
})

test.run()
