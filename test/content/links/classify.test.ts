import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { anchorSteps, hasAnchor } from '../../../src/content/links/anchors.ts'
import { linkClassifier } from '../../../src/content/links/classify.ts'
import { linkFactSteps } from '../../../src/content/links/facts.ts'
import { findLinks } from '../../../src/content/links/find.ts'
import {
  newlyBrokenSteps,
  type RevisionLink,
  revisionLinkSteps,
} from '../../../src/content/links/list.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import { buildTree, type ContentTree } from '../../../src/content/tree/build.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { assertLinear } from '../../support/cpu-time.ts'

function treeOf(paths: string[], summary: string, root = ''): ContentTree {
  return buildTree({
    spaceId: 's',
    files: paths.map(path => ({ path, oid: path as Oid, mode: '100644' })),
    identity: new Map(),
    config: { root, readme: `${root}README.md`, summary: `${root}SUMMARY.md`, redirects: [] },
    summary: parseSummary(summary),
    facts: () => undefined,
    variables: {},
  })
}

const summary = `# Table of contents

* [Home](README.md)
* [Guide](guide/README.md)
  * [Install](guide/install.md)
  * [Sharp](guide/a#b.md)
  * [Spaced](guide/c%20d.md)
`
const paths = [
  ...[
    'README.md',
    'SUMMARY.md',
    'guide/README.md',
    'guide/install.md',
    'guide/a#b.md',
    'guide/c d.md',
  ],
  ...['notes.md', 'other/README.md', 'bare/x.md', 'LICENSE', '.gitbook/assets/a b.png'],
  ...['.gitbook/includes/w.md', 'pages/real.md', 'ignore/README.md'],
  ...['indexed/index.md', 'both.md', 'both/index.md'],
]
const home = { spaceId: 's', own: 'https://docs.example.org' }
const tree = treeOf(paths, summary)
const classify = linkClassifier(tree, home)
const page = (path: string) => tree.pageByFile.get(path)!.id

test('targets of every kind are classified from a page in a folder', () => {
  const table: [target: string, kind: string, status: string][] = [
    ['install.md', 'page', 'ok'],
    ['./install.md#ports', 'page', 'ok'],
    ['../guide/', 'dir-page', 'ok'],
    ['./', 'dir-page', 'ok'],
    ['../indexed/', 'dir-page-unlisted', 'ok'],
    ['../indexed', 'dir-page-unlisted', 'ok'],
    ['../both', 'extensionless-page', 'ok'],
    ['../both/', 'dir-page-unlisted', 'ok'],
    ['../', 'dir-page', 'ok'],
    ['../guide', 'dir-page', 'ok'],
    ['../other/', 'dir-page-unlisted', 'ok'],
    ['../notes.md', 'page-unlisted', 'ok'],
    ['../notes', 'extensionless-page', 'ok'],
    ['#ports', 'same-page-anchor', 'ok'],
    ['../.gitbook/assets/a b.png', 'asset', 'ok'],
    ['../.gitbook/assets/a%20b.png', 'asset', 'ok'],
    ['../.gitbook/includes/w.md', 'reusable-content', 'ok'],
    ['../LICENSE', 'other-file', 'ok'],
    ['../SUMMARY.md', 'other-file', 'ok'],
    ['a#b.md', 'page', 'ok'],
    ['install.md?x=1#y', 'page', 'ok'],
    ['/guide/install.md', 'page', 'ok'],
    ['/pages/real.md', 'page-unlisted', 'ok'],
    ['https://example.org', 'external', 'ok'],
    ['//example.org/x', 'external', 'ok'],
    ['https://app.gitbook.com/join', 'external', 'ok'],
    ['https://app.gitbook.com/s/abc/x#y', 'app-space', 'in-app'],
    ['https://docs.example.org/v1/spaces/abc', 'app-space', 'in-app'],
    ['mailto:a@example.org', 'mailto', 'ok'],
    ['tel:123', 'mailto', 'ok'],
    ['ftp://example.org', 'other-scheme', 'ok'],
    ['javascript:alert(1)', 'unsafe', 'broken'],
    [`/pages/${page('guide/install.md')}#x`, 'stable-ref', 'in-app'],
    ['/spaces/abc/pages/def', 'stable-ref', 'in-app'],
    ['/openapi/acme', 'stable-ref', 'in-app'],
    ['/pages/nowhere', 'missing-ref', 'broken'],
    ['/files/nowhere', 'missing-ref', 'broken'],
    ['/broken/pages/abc', 'placeholder', 'broken'],
    ['broken-reference', 'placeholder', 'broken'],
    ['gone.md', 'missing-page', 'broken'],
    ['gone/', 'missing-page', 'broken'],
    ['gone.png', 'missing-file', 'broken'],
    ['gone', 'missing-other', 'broken'],
    ['../bare/', 'dir-no-readme', 'broken'],
    ['../bare', 'dir-no-readme', 'broken'],
    ['../../x.md', 'escape', 'broken'],
    ['Install.md', 'case-mismatch', 'broken'],
    ['', 'empty', 'broken'],
  ]
  for (const [target, kind, status] of table) {
    const found = classify('guide/install.md', { target })
    assert.equal([target, found.class, found.status], [target, kind, status])
  }
})

test('a link has its destination, by id where it is in the space', () => {
  const to = (target: string) => classify('guide/install.md', { target })
  assert.equal(to('../guide/#x').to, { kind: 'page', id: page('guide/README.md') })
  assert.is(to('../guide/#x').fragment, 'x')
  assert.equal(to('a#b.md').to, { kind: 'page', id: page('guide/a#b.md') })
  assert.is(to('a#b.md').fragment, undefined)
  assert.equal(to('#x').to, { kind: 'page', id: page('guide/install.md') })
  assert.is(to('../gone/x.md#y').missing, 'gone/x.md')
  const own = 'https://app.gitbook.com/s/s/guide/install#x'

  assert.equal(to(own).to, { kind: 'page', id: page('guide/install.md') })
  assert.equal(to(`https://docs.example.org/v1/spaces/s/content/page/${page('README.md')}`).to, {
    kind: 'page',
    id: page('README.md'),
  })
  assert.equal(to('https://app.gitbook.com/s/s/nowhere').to.kind, 'space')
})

test('paths are relative to the configured root', () => {
  const below = treeOf(paths.map(path => `docs/${path}`).concat('x.md'), summary, 'docs/')
  const inDocs = linkClassifier(below, home)
  assert.is(inDocs('docs/guide/install.md', { target: '../notes.md' }).class, 'page-unlisted')
  assert.is(inDocs('docs/guide/install.md', { target: '/notes.md' }).class, 'page-unlisted')
  assert.is(inDocs('docs/guide/install.md', { target: '../../x.md' }).class, 'escape')
  assert.is(inDocs('docs/README.md', { target: './' }).class, 'dir-page')
})

test('links are found cell by cell, and a code span does not leave its cell', () => {
  const targets = (text: string) => findLinks(text).map(link => link.target)
  assert.equal(
    targets('| a | b |\n|---|:-:|\n| ``[x](x.md) | c |\n| ``[y](y.md) | `[no](n.md)` |\n'),
    ['x.md', 'y.md'],
  )
  assert.equal(targets('``[x](x.md)\n``[y](y.md)\n'), ['y.md'])
  assert.equal(targets('> a | b\n> --|--\n> [x](x.md) | [y\\|z](y.md)\n'), ['x.md', 'y.md'])
  assert.equal(targets('a\n\n[x](x.md) | b\n'), ['x.md'])
})

test('links are found in tags, front matter and autolinks', () => {
  const facts = atOnce(
    linkFactSteps(
      Buffer.from(`---
cover: a.png
metaLinks:
  canonical: one.md
  alternates:
    - https://example.org/x
---

<https://a.example.org> <me@example.org>

{% openapi-schemas spec="acme" schemas="Pet" %}
[OpenAPI acme](https://example.org/acme.json)
{% endopenapi-schemas %}

{% include "x.md" %}
`),
    ),
  )
  assert.equal(
    facts.links.map(({ target, how, line }) => [line, target, how ?? '']),
    [
      [2, 'a.png', ''],
      [4, 'one.md', ''],
      [6, 'https://example.org/x', ''],
      [9, 'https://a.example.org', ''],
      [9, 'mailto:me@example.org', ''],
      [11, 'acme', 'spec'],
      [12, 'https://example.org/acme.json', ''],
      [15, 'x.md', 'include'],
    ],
  )
})

test('anchors in every spelling that a link may have', () => {
  const text =
    '# Page\n\n## 3. Fees & more\n\n## Über uns\n\n## Same\n\n## Same\n\n## New <a href="#old" id="old"></a>\n\n<details>\n<summary>Fold</summary>\n</details>\n\n{% tab title="Linux" %}\n'
  const anchors = atOnce(anchorSteps(atOnce(linkFactSteps(Buffer.from(text)))))
  const there = [
    'id-3.-fees-and-more',
    '3.-fees-and-more',
    'same',
    'same-1',
    'old',
    'fold',
    'linux',
    'page',
    '',
  ]

  for (const fragment of [...there, '3-fees--more', 'ueber-uns', '%C3%BCber-uns'])
    assert.ok(hasAnchor(anchors, fragment), fragment)
  for (const fragment of ['same-2', 'nowhere', 'toString'])
    assert.not(hasAnchor(anchors, fragment), fragment)
})

test('links, missing files and specs in the table of contents are listed', () => {
  const computed =
    '* [Home](README.md)\n* [Gone](gone.md)\n* [Out](https://example.org)\n* ```yaml\n  type: builtin:openapi\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: acme\n  ```\n'
  const listed = treeOf(['README.md', 'SUMMARY.md'], `# Table of contents\n\n${computed}`)
  const links = atOnce(revisionLinkSteps(listed, home, () => undefined))
  assert.equal(
    links.map(({ line, class: kind, target, how }) => [line, kind, target, how ?? '']),
    [
      [4, 'missing-page', 'gone.md', ''],
      [5, 'external', 'https://example.org', ''],
      [6, 'openapi', 'acme', 'spec'],
    ],
  )
})

test('a link is newly broken if the same file had no such broken link before', () => {
  const link = (source: string, target: string, status: RevisionLink['status']): RevisionLink => ({
    ...{ source, target, status, at: 0, line: 1 },
    class: status === 'broken' ? 'missing-page' : 'page',
    to: { kind: 'url', url: target },
  })
  const before = [link('a.md', 'x.md', 'broken'), link('a.md', 'y.md', 'ok')]
  const now = [
    ...[link('a.md', 'x.md', 'broken'), link('a.md', 'x.md', 'broken')],
    ...[link('a.md', 'y.md', 'broken'), link('b.md', 'x.md', 'broken'), link('b.md', 'z.md', 'ok')],
  ]

  assert.equal([...atOnce(newlyBrokenSteps(now, before, ({ source }) => source))], [1, 2, 3])
})

test('hostile pages are read in linear time', async () => {
  const shapes: ((n: number) => string)[] = [
    n => '| a '.repeat(n),
    n => `${'| a '.repeat(n)}|\n${'|-'.repeat(n)}|\n${'| [x](y) '.repeat(n)}|\n`,
    n => `a|b\n${'- '.repeat(n)}\n`,
    n => `a|b\n${' '.repeat(n)}x|\n`,
    n => `${'-|'.repeat(n)}x\n${'-|'.repeat(n)}x\n`,
    n => '<summary>'.repeat(n),
    n => '{% tab '.repeat(n),
    n => `---\nmetaLinks:\n${'  - x\n'.repeat(n)}---\n`,
    n => '[a]('.repeat(n),
  ]
  for (const [index, shape] of shapes.entries())
    await assertLinear(
      40_000,
      size => Buffer.from(shape(size)),
      bytes => atOnce(linkFactSteps(bytes)),
      `shape ${index}:`,
    )
})

test.run()
