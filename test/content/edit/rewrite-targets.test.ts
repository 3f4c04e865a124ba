import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Change } from '../../../src/content/edit/changes.ts'
import { linkClassifier } from '../../../src/content/links/classify.ts'
import { findLinks, resolveLink } from '../../../src/content/links/find.ts'
import { Fault } from '../../../src/errors.ts'
import { type Content, edit, from, refusal, textOf } from '../../support/content.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

const pages = [
  'guides/README.md',
  'guides/install.md',
  'guides/deep/a.md',
  'other/my page.md',
  'zoë.md',
]
const odd = ['guides/x(1).md', 'guides/a&b.md', 'guides/c#d.md']
const others = ['.gitbook/assets/pic one.png', '.gitbook/assets/p.png', 'loose.md']
const sources = [
  'README.md',
  'guides/README.md',
  'guides/install.md',
  'guides/deep/a.md',
  'loose.md',
]

const docs = (texts: readonly string[], root: string): Content => {
  const files = Object.fromEntries([...pages, ...odd, ...others].map(path => [path, `# ${path}\n`]))
  const entries = [...pages, ...odd].map(path => `* [P](<${path.replace('#', '%23')}>)\n`)
  files['SUMMARY.md'] = `# Table of contents\n\n* [Docs](README.md)\n${entries.join('')}`
  for (const [at, path] of sources.entries()) files[path] = `# ${path}\n\n${texts[at]}\n`
  const rooted = Object.entries(files).map(([path, text]) => [root + path, text])
  if (root) rooted.push(['.gitbook.yaml', `root: ./${root}\n`])
  return from(Object.fromEntries(rooted))
}

const relative = (source: string, path: string) => '../'.repeat(source.split('/').length - 1) + path

type Written = { to: string; form: string; encodes: boolean; tail: string; how: string }

/** A link in one of the spellings that authors and tools use. */
function write(source: string, { to, form, encodes, tail, how }: Written): string {
  let path = form === 'absolute' ? `/${to}` : relative(source, to)
  if (form === 'dot' && !path.startsWith('.')) path = `./${path}`
  if (form === 'folder') path = path.replace(/README\.md$/, '') || './'
  if (form === 'bare') path = path.replace(/(?:\/README)?\.md$/, '')
  if (encodes || how === 'unquoted') path = path.split('/').map(encodeURIComponent).join('/')

  const target = path.replace(/#/g, '%23') + tail
  const inMarkdown = /[ ()]/.test(target) ? `<${target}>` : target
  if (how === 'image') return `![t](${inMarkdown} "T")`
  if (how === 'html') return `<a href="${target.replace(/&/g, '&amp;')}">x</a>`
  if (how === 'unquoted') return `<a href=${target}>x</a>`
  if (how === 'tag')
    return `\n\n{% content-ref url="${target}" %}\n[t](<${target}>)\n{% endcontent-ref %}\n\n`
  if (how === 'definition') return `\n\n[d]: ${inMarkdown}\n\n`

  return `[t](${inMarkdown})`
}

const link = fc.record({
  to: fc.constantFrom(...pages, ...odd, ...others),
  form: fc.constantFrom('relative', 'dot', 'absolute', 'folder', 'bare'),
  encodes: fc.boolean(),
  tail: fc.constantFrom('', '#a', '#caf%C3%A9', '#é', '?x=1', '?raw=true#b'),
  how: fc.constantFrom('link', 'image', 'html', 'unquoted', 'tag', 'definition'),
})
const rename = fc.oneof(
  fc.record({
    path: fc.constantFrom(...pages, ...odd),
    slug: fc.constantFrom('new', 'zz_top', 'zoë2', 'v1.2'),
  }),
  fc.record({
    path: fc.constantFrom('.gitbook/assets/pic one.png', '.gitbook/assets/p.png'),
    name: fc.constantFrom(
      'n w.png',
      'né.png',
      'a(1).png',
      'x#y.png',
      'a&b.png',
      '100%.png',
      "it's.png",
    ),
  }),
)

const renaming = (
  { tree }: Content,
  path: string,
  to: { slug: string } | { name: string },
): Change =>
  'slug' in to
    ? { operation: 'update_page', page: tree.pageByFile.get(path)!.id, slug: to.slug }
    : { operation: 'rename_file', file: tree.fileByPath.get(path)!.id, name: to.name }

/** Returns the destination of every link, with its query and fragment. */
const meanings = (content: Content, paths: readonly string[]) => {
  const classify = linkClassifier(content.tree, { spaceId: 'space', own: 'http://x' })
  return paths.map(path =>
    findLinks(textOf(content, path)).map(each => {
      const { to, fragment, status } = classify(path, { target: each.target })
      return { to, fragment, status, query: /\?[^#]*/.exec(each.target)?.[0] }
    }),
  )
}

test('after a rename, every link has the same destination, fragment and query, including links of the page to itself', () => {
  const texts = fc.tuple(
    ...sources.map(source =>
      fc
        .array(link, { maxLength: 5 })
        .map(links => links.map(each => write(source, each)).join(' and ')),
    ),
  )
  fc.assert(
    fc.property(texts, rename, fc.constantFrom('', 'docs/'), (bodies, { path, ...to }, root) => {
      const before = docs(bodies, root)
      const change = renaming(before, root + path, to as { slug: string })
      let after: Content

      try {
        after = edit(before, change).after
      } catch (error) {
        if (error instanceof Fault) return
        throw error
      }

      const now = (source: string) => {
        const page = before.tree.pageByFile.get(source)
        return (page && after.tree.pageById.get(page.id)?.file?.path) ?? source
      }
      const rooted = sources.map(source => root + source)

      assert.equal(meanings(after, rooted.map(now)), meanings(before, rooted))
    }),
    { numRuns: runs(150) },
  )
})

test('the query and fragment of a link are preserved as written', () => {
  const before = docs(
    [
      '[a](guides/install.md#caf%C3%A9) <a href="other/my%20page.md#a">x</a> ![p](.gitbook/assets/p.png?raw=true)',
      '',
      '[me](install.md#x) [me](/guides/install.md) [me](#here)',
      '',
      '',
    ],
    '',
  )
  const to = (content: Content, path: string, slug: string) =>
    edit(content, renaming(content, path, { slug })).after
  const moved = to(to(before, 'guides/install.md', 'set-up'), 'other/my page.md', 'new')
  const file = moved.tree.fileByPath.get('.gitbook/assets/p.png')!.id
  const { after } = edit(moved, { operation: 'rename_file', file, name: 'q.png' })

  assert.is(
    textOf(after, 'README.md'),
    '# README.md\n\n[a](guides/set-up.md#caf%C3%A9) <a href="other/new.md#a">x</a> ![p](.gitbook/assets/q.png?raw=true)\n',
  )

  assert.is(
    textOf(after, 'guides/set-up.md'),
    '# guides/install.md\n\n[me](set-up.md#x) [me](/guides/set-up.md) [me](#here)\n',
  )
})

test('the new path of a cover may contain a number sign', () => {
  const before = docs(['', '', '', '', ''], '')
  const files = Object.fromEntries(
    [...before.files.keys()].map(path => [path, textOf(before, path)]),
  )
  const covered = from({ ...files, 'zoë.md': '---\ncover: .gitbook/assets/p.png\n---\n\n# Z\n' })
  const change = renaming(covered, '.gitbook/assets/p.png', { name: 'p #1.png' })

  assert.match(
    textOf(edit(covered, change).after, 'zoë.md'),
    /^cover: \.gitbook\/assets\/p%20#1\.png$/m,
  )
})

test('a link is found in any spelling and resolves to one file', () => {
  const links = (...targets: string[]) =>
    `# L\n\n${targets.map(target => `[x](${target})`).join(' ')}\n`
  const before = from({
    'README.md': '# Docs\n',
    'SUMMARY.md': ['README', 'c++/README', 'guide', 'guide/README', 'h#h/README']
      .map(path => `* [P](${path.replace('#', '%23')}.md)\n`)
      .join(''),
    'c++/README.md': '# C\n',
    'guide.md': '# Guide\n',
    'guide/README.md': links('./', '../guide.md'),
    'h#h/README.md': '# H\n',
    'to-c.md': links('c%2B%2B/README.md', 'c\\+\\+/README.md'),
    'to-guide.md': links('guide', 'guide/', 'guide.md'),
    'to-h.md': links('/h#h/', '/h#h/README.md'),
    'to-home.md': links('/', '/#a', './'),
  })
  const renamed = (path: string, slug: string) =>
    edit(before, renaming(before, path, { slug })).after
  assert.is(
    textOf(renamed('c++/README.md', 'cpp'), 'to-c.md'),
    links('cpp/README.md', 'cpp/README.md'),
  )
  const other = renamed('guide.md', 'other')

  assert.is(textOf(other, 'to-guide.md'), links('guide', 'guide/', 'other.md'))
  assert.is(textOf(other, 'guide/README.md'), links('./', '../other.md'))
  assert.is(textOf(renamed('h#h/README.md', 'h'), 'to-h.md'), links('/h/', '/h/README.md'))
  const [page = '', replaceWith] = ['README.md', 'guide.md'].map(
    path => before.tree.pageByFile.get(path)!.id,
  )
  const { after } = edit(before, { operation: 'delete_page', page, replaceWith })

  // Without its extension it would lead to the folder of the same name.
  assert.is(textOf(after, 'to-home.md'), links('/guide.md', '/guide.md', './guide.md'))
})

test('the first page of a space keeps the file named in the settings', () => {
  const before = from({
    '.gitbook.yaml': 'structure:\n  readme: intro.md\n',
    'intro.md': '# Intro\n',
    'a.md': '[x](./) [y](/)\n',
    'SUMMARY.md': '* [Intro](intro.md)\n* [A](a.md)\n',
  })
  const { kind, message } = refusal(() =>
    edit(before, renaming(before, 'intro.md', { slug: 'start' })),
  )
  assert.is(kind, 'invalid')
  assert.match(message, /"\.gitbook\.yaml" names its file/)
  assert.is(
    textOf(edit(before, renaming(before, 'a.md', { slug: 'b' })).after, 'b.md'),
    '[x](./) [y](/)\n',
  )
})

test('a new path of a cover that is special in YAML does not damage other keys', () => {
  for (const name of ['[x].png', '@p.png', "'p'.png", '- p.png', '#1.png', '12', 'null']) {
    const before = from({
      'README.md': '---\ncover: p\nhidden: true\n---\n\n# Docs\n',
      p: 'x',
    })
    const { after } = edit(before, renaming(before, 'p', { name }))
    const { facts } = after.tree.pageByFile.get('README.md')!
    assert.is(facts?.frontMatter.hidden, true, name)
    const [link] = findLinks(textOf(after, 'README.md'))

    assert.ok(resolveLink('README.md', link!.target).candidates.includes(name), name)
  }
})

test('a table of contents that names a page very often, and a section of many pages, are rewritten in linear time', () => {
  const many = Array.from(
    { length: 4_000 },
    (_, at) => `* [P${at}](guides/install.md#p${at})\n`,
  ).join('')
  const section = Array.from({ length: 400 }, (_, at) => `s/p${at}.md`)
  const before = from({
    'README.md': '# Docs\n',
    'guides/install.md': '# Install\n',
    's/README.md': '# Section\n',
    ...Object.fromEntries(section.map(path => [path, `# ${path}\n`])),
    'SUMMARY.md': `* [Docs](README.md)\n* [S](s/README.md)\n${section.map(path => `  * [P](${path})\n`).join('')}* [I](guides/install.md)\n${many}`,
  })
  const [page = '', replaceWith] = ['s/README.md', 'guides/install.md'].map(
    path => before.tree.pageByFile.get(path)!.id,
  )
  const begun = cpuTime()
  const { after } = edit(
    before,
    { operation: 'delete_page', page, replaceWith },
    renaming(before, 'guides/install.md', { slug: 'set-up' }),
  )
  const spent = cpuTime() - begun

  assert.is(textOf(after, 'SUMMARY.md').match(/\(guides\/set-up\.md#p/g)?.length, 4_000)
  assert.ok(spent < 10_000, `${spent} ms`)
})

test('links in the form of other tools follow the file that they lead to', () => {
  const content = from({
    'README.md': '# Home\n\n[A](guide.html#x) ![P](/img/p.png) [B](deep/index.html)\n',
    'guide.md': '# Guide\n',
    'deep/README.md': '# Deep\n',
    'static/img/p.png': 'png',
  })
  const { pageByFile, fileByPath } = content.tree
  const page = pageByFile.get('guide.md')?.id ?? ''
  const file = fileByPath.get('static/img/p.png')?.id ?? ''
  const { after } = edit(
    content,
    { operation: 'update_page', page, slug: 'manual' },
    { operation: 'rename_file', file, name: 'q.png' },
  )
  const [, , links] = textOf(after, 'README.md').split('\n')
  assert.is(links, '[A](manual.md#x) ![P](/img/q.png) [B](deep/index.html)')
})

test('a relative link in the form of other tools follows the page that it is in', () => {
  const content = from({
    'README.md': '# Home\n',
    'SUMMARY.md': '* [Home](README.md)\n* [A](a/README.md)\n* [C](a/c.md)\n',
    'a/README.md': '# A\n\n[C](c.html#x)\n',
    'a/c.md': '# C\n',
  })
  const page = content.tree.pageByFile.get('a/README.md')?.id ?? ''
  const { after } = edit(content, { operation: 'update_page', page, slug: 'z' })
  assert.is(textOf(after, 'z/README.md'), '# A\n\n[C](../a/c.md#x)\n')
})

test.run()
