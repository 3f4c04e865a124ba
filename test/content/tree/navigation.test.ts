import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findingSentences } from '../../../src/content/findings/count.ts'
import { treeFindings } from '../../../src/content/findings/pages.ts'
import { type Category, readCategory } from '../../../src/content/navigation/category.ts'
import {
  isNamedSettings,
  navigationPaths,
  readNavigation,
} from '../../../src/content/navigation/navigation.ts'
import { readPageFacts } from '../../../src/content/page/facts.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import { buildTree, type ContentTree, type PageNode } from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import { withNavigation } from '../../../src/content/tree/navigate.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { parseTxtar } from '../../support/txtar.ts'

const oidOf = (path: string) => asOid(createHash('sha1').update(path).digest('hex'))

/** Builds the tree of a txtar archive as the settings of another tool describe it. */
function treeOf(archive: string): ContentTree {
  const { files } = parseTxtar(archive)
  const paths = Object.keys(files).sort()
  const own = readConfig(undefined).config
  const path = navigationPaths.find(each => each in files)
  const lists = new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))
  const read =
    path === undefined ? undefined : readNavigation(path, Buffer.from(files[path] ?? ''), lists)
  const list = paths.map(each => ({ path: each, oid: oidOf(each), mode: '100644' }))
  const config = read ? atOnce(withNavigation(list, own, read)) : own
  const isSettings = path !== undefined && (isNamedSettings(path) || read?.groups !== undefined)
  const categories = new Map<string, Category>()
  for (const each of paths.filter(name => name.includes('_category_')))
    categories.set(
      each.slice(0, each.lastIndexOf('/') + 1),
      readCategory(Buffer.from(files[each] ?? '')),
    )
  const byOid = new Map<string, string>(paths.map(each => [oidOf(each), files[each] ?? '']))

  return buildTree({
    spaceId: 'space-1',
    files: list,
    identity: new Map(),
    config: {
      ...config,
      ...(categories.size > 0 && { categories }),
      ...(isSettings && { settings: [path, ...(read?.lists ?? [])] }),
    },
    summary: config.summary in files ? parseSummary(files[config.summary] ?? '') : null,
    facts: oid => readPageFacts(Buffer.from(byOid.get(oid) ?? '')),
    variables: {},
  })
}

/** Returns the list of pages as lines: name in the list, address, file or target. */
const outline = (pages: readonly PageNode[], indent = ''): string[] =>
  pages.flatMap(({ linkTitle, title, path, file, target, type, pages: below }) => [
    `${indent}${type === 'group' ? '# ' : ''}${linkTitle ?? title} = ${path || target}${file ? ` <${file.path}>` : ''}`,
    ...outline(below, `${indent}  `),
  ])

const findingsOf = (tree: ContentTree): string[] => findingSentences(treeFindings(tree))

test('each language of LANGS.md is a group, with the list of pages of its folder', () => {
  const tree = treeOf(`-- LANGS.md --
# Languages

* [English](en)
* [Français](fr/README.md)
* [Web](https://example.org)
* [Deutsch](de/)
-- en/README.md --
# Introduction
-- en/SUMMARY.md --
# Summary

* [Introduction](README.md)
  * [Two](./two.md)

## More

* [Three (3)](../en/a (3).md)
* [Web](https://example.org)
-- en/two.md --
# Two
-- en/a (3).md --
# A
-- fr/README.md --
# Introduction
-- fr/SUMMARY.md --
* [Deux](two.md)
-- fr/two.md --
# Deux
-- de/README.md --
# Einleitung
`)
  assert.equal(outline(tree.pages), [
    '# English = english',
    '  Introduction = en <en/README.md>',
    '    Two = en/two <en/two.md>',
    '  More = english/more',
    '    Three (3) = en/a (3) <en/a (3).md>',
    '    Web = https://example.org',
    '# Français = francais',
    '  Deux = fr/two <fr/two.md>',
    '# Deutsch = deutsch',
    '  Einleitung = de <de/README.md>',
  ])
  assert.equal(findingsOf(tree), [
    '1 page is not in the table of contents: fr/README.md',
    'LANGS.md: each language is a group of pages in this space, not a variant of its site',
    'LANGS.md: de/SUMMARY.md was not read: it is not there, or too long',
  ])
})

test('book.json and book.js name the places of the pages, and what else they have is named', () => {
  const files = (name: string, text: string) => `-- ${name} --
${text}
-- docs/INTRO.md --
# Start
-- docs/LIST.md --
* [Start](INTRO.md)
* [A](a.md)
-- docs/a.md --
# A
-- other.md --
# Other
`
  const pages = ['Start = INTRO <docs/INTRO.md>', 'A = a <docs/a.md>']
  const settings = '{"root": "./docs", "structure": {"readme": "INTRO.md", "summary": "LIST.md"'
  const json = treeOf(files('book.json', `${settings}, "glossary": "G.md"}, "plugins": ["a"]}`))
  assert.equal(outline(json.pages), pages)
  assert.equal(findingsOf(json), ['book.json: not read: "plugins", "structure.glossary"'])

  const code = treeOf(files('book.js', `// A book\nmodule.exports = ${settings}}, author: 'me',};`))
  assert.equal(outline(code.pages), pages)
  assert.equal(findingsOf(code), [])
  const run = treeOf(files('book.js', 'const a = require("a")\nmodule.exports = a()'))
  assert.equal(findingsOf(run), ['book.js: it is neither JSON nor a plain object that is exported'])

  const odd = treeOf(files('book.json', '{"root": "../x", "structure": {"summary": 5}}'))
  assert.equal(findingsOf(odd), [
    'book.json: "root" is no path in the folder',
    'book.json: "structure.summary" is no path in the folder',
  ])
  const gone = treeOf(files('book.json', '{"root": "dcs"}'))
  assert.equal(findingsOf(gone), ['book.json: the folder "dcs/" has no files'])
  const beside = treeOf(
    '-- book.json --\n{"root": "docs"}\n-- SUMMARY.md --\n* [A](a.md)\n-- a.md --\n# A\n',
  )
  assert.equal(findingsOf(beside), [])
})

test('the table of contents counts that is there, whatever book.json names, in any spelling', () => {
  const pages = '-- docs/a.md --\n# A\n-- docs/b.md --\n# B\n'
  const settings = (text: string) => `-- book.json --\n${text}\n${pages}`
  const top = treeOf(`${settings('{"root": "docs"}')}-- SUMMARY.md --\n* [Top](docs/b.md)\n`)
  assert.equal(outline(top.pages), ['Top = b <docs/b.md>'])
  assert.equal(findingsOf(top).slice(1), [
    'book.json: the table of contents is SUMMARY.md, as "docs/SUMMARY.md" is not there',
  ])

  const both = treeOf(
    `${settings('{"root": "docs"}')}-- SUMMARY.md --\n* [Top](docs/b.md)\n-- docs/SUMMARY.md --\n* [Own](a.md)\n`,
  )
  assert.equal(outline(both.pages), ['Own = a <docs/a.md>'])
  assert.is(both.config.root, 'docs/')

  for (const name of ['docs/summary.md', 'docs/Summary.md']) {
    const lower = treeOf(`${settings('{"root": "docs"}')}-- ${name} --\n* [Own](a.md)\n`)
    assert.equal(outline(lower.pages), ['Own = a <docs/a.md>'], name)
    assert.is(lower.summaryPath, name)
  }

  const list = treeOf(
    `${settings('{"structure": {"summary": "LIST.md"}}')}-- SUMMARY.md --\n* [Top](docs/b.md)\n`,
  )
  assert.equal(outline(list.pages), ['Top = b <docs/b.md>'])
})

test('the nav of mkdocs.yml is the list of pages, docs_dir its root', () => {
  const tree = treeOf(`-- mkdocs.yml --
site_name: Acme
docs_dir: manual/
theme: { name: material }
markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
plugins: [search, macros: {}]
nav:
  - Home: index.md
  - User guide:
      - guide/index.md
      - Install: guide/install.md
      - Deep:
          - guide/deep/far.md
  - Notes:
      - about.md
      - Lost: lost.md
  - Code: https://code.example.org/acme
-- manual/index.md --
# Welcome to Acme
-- manual/guide/index.md --
# The guide
-- manual/guide/install.md --
# Installing
-- manual/guide/deep/far.md --
Text.
-- manual/about.md --
# About
-- manual/unlisted.md --
# Unlisted
-- README.md --
# The repository
`)
  assert.equal(outline(tree.pages), [
    'Home = index <manual/index.md>',
    'User guide = guide <manual/guide/index.md>',
    '  Install = guide/install <manual/guide/install.md>',
    '  Deep = guide/deep',
    '    far = guide/deep/far <manual/guide/deep/far.md>',
    'Notes = notes',
    '  About = about <manual/about.md>',
    '  Lost = notes/lost',
    'Code = https://code.example.org/acme',
  ])
  assert.is(tree.pages[0]?.title, 'Welcome to Acme')
  assert.is(tree.config.navigation?.title, 'Acme')
  assert.equal(findingsOf(tree), [
    '1 entry whose page does not exist: mkdocs.yml',
    '1 entry of the table of contents to correct: mkdocs.yml',
    '1 page is not in the table of contents: manual/unlisted.md',
    'mkdocs.yml: plugins are code and do not run: macros',
  ])
})

test('without nav, or beside the pages, mkdocs.yml leaves the order to the folders', () => {
  const files = '-- index.md --\n# Home\n-- b.md --\n# B\n-- a.md --\n# A\n'
  const tree = treeOf(`-- mkdocs.yml --\nsite_name: Acme\n${files}`)
  assert.equal(outline(tree.pages), ['Home = readme <index.md>', 'A = a <a.md>', 'B = b <b.md>'])
  assert.equal(tree.files, [])
  const broken = treeOf(`-- mkdocs.yml --\nnav: [\n${files}`)
  assert.is(broken.pages.length, 3)
  assert.match(findingsOf(broken)[0] ?? '', 'mkdocs.yml: This is not valid YAML')
})

test('settings that list no page that exists leave the root and the pages as they are', () => {
  const files = '-- README.md --\n# Home\n-- docs/a.md --\n# A\n-- docs/b.md --\n# B\n'
  const plain = outline(treeOf(files).pages)
  const all = [
    '-- mkdocs.yml --\nsite_name: Acme\n',
    '-- mkdocs.yml --\nnav: [\n',
    '-- mkdocs.yml --\nnav:\n  - lost.md\n',
    `-- mkdocs.yml --\nnav:\n  - a.md\n${'# Long\n'.repeat(2_400)}`,
    '-- docs.json --\n{"navigation": {"pages": ["lost", "gone"]}}\n',
  ]
  for (const settings of all) {
    const { config, pages } = treeOf(settings + files)
    assert.is(config.root, '', settings.slice(0, 80))
    assert.equal(outline(pages), plain, settings.slice(0, 80))
  }

  const lost = treeOf(all[2] + files)
  assert.match(findingsOf(lost)[0] ?? '', /^mkdocs.yml: no page that it lists exists/)
  assert.equal(lost.config.decisive, ['docs/lost.md', 'lost.md'])
  assert.match(findingsOf(treeOf(all[3] + files))[0] ?? '', /longer than 16384/)

  const taken = treeOf(
    `-- mkdocs.yml --\nnav:\n  - b.md\n  - First: a.md\n  - Twice: b.md\n${files}`,
  )
  assert.is(taken.config.root, 'docs/')
  assert.equal(taken.config.decisive, ['docs/b.md'])
  assert.equal(outline(taken.pages), [
    'B = b <docs/b.md>',
    'First = a <docs/a.md>',
    'Twice = /b.md',
  ])
})

test('a folder says its name in JSON or YAML', () => {
  const read = (text: string) => readCategory(Buffer.from(text))
  assert.equal(read('{"label": "A b", "position": 2, "link": {"id": "x"}}'), {
    label: 'A b',
    position: 2,
    notTaken: 'the page that "link" names was not taken',
  })
  assert.equal(read('label: Getting started\nposition: 1.5\nlink:\n  title: All\n'), {
    label: 'Getting started',
    position: 1.5,
    title: 'All',
  })
  for (const text of ['', '[]', 'null', '{', 'label: *x\n', `label: ${'a '.repeat(2_000)}`])
    assert.equal(read(text), { notTaken: 'it cannot be read' }, text.slice(0, 20))
})

test('the navigation of docs.json is groups of pages; its front page need not be in it', () => {
  const tree = treeOf(`-- docs.json --
{
  "name": "Acme",
  "redirects": [{ "source": "/a", "destination": "/b" }],
  "navigation": {
    "tabs": [
      {
        "tab": "Guides",
        "groups": [
          { "group": "Start", "pages": ["quickstart", { "group": "More", "pages": ["essentials/code"] }] }
        ]
      },
      { "tab": "API", "groups": [{ "group": "Start", "pages": ["GET /plants", "api/intro"] }] }
    ],
    "global": { "anchors": [{ "anchor": "Blog", "href": "https://blog.example.org" }] }
  }
}
-- index.mdx --
---
title: Introduction
---
-- quickstart.mdx --
---
title: Quickstart of Acme
sidebarTitle: Quickstart
---
-- essentials/code.mdx --
# Code
-- api/intro.mdx --
# API
`)
  assert.equal(outline(tree.pages), [
    'Introduction = index <index.mdx>',
    '# Guides = guides',
    '  Start = guides/start',
    '    Quickstart = quickstart <quickstart.mdx>',
    '    More = guides/start/more',
    '      Code = essentials/code <essentials/code.mdx>',
    '# API = api',
    '  Start = api/start',
    '    API = api/intro <api/intro.mdx>',
    'Blog = https://blog.example.org',
  ])
  assert.is(tree.pageByPath.get('')?.title, 'Introduction')
  assert.equal(findingsOf(tree), [
    'docs.json: pages that are made from OpenAPI descriptions were not taken',
    'docs.json: its redirects were not taken',
  ])
})

test('mint.json, versions and a broken file', () => {
  const page = '-- start.mdx --\n# Start\n'
  const mint = treeOf(
    `-- mint.json --\n{"navigation": [{"group": "Start", "pages": ["start"]}], "anchors": [{"name": "Blog", "url": "https://b.example.org"}]}\n${page}`,
  )
  assert.equal(outline(mint.pages), [
    '# Start = start-section',
    '  Start = start <start.mdx>',
    'Blog = https://b.example.org',
  ])
  const versions = treeOf(
    `-- docs.json --\n{"navigation": {"versions": [{"version": "2", "pages": ["start"]}, {"version": "1", "pages": []}]}}\n${page}`,
  )
  assert.equal(outline(versions.pages), ['Start = start <start.mdx>'])
  assert.is(findingsOf(versions)[0], 'docs.json: only the first of its versions was taken')
  assert.ok(
    findingsOf(treeOf(`-- docs.json --\n{\n${page}`)).includes('docs.json: it is not valid JSON'),
  )
})

test('_category_ files name and order folders, slug gives a page its address', () => {
  const tree = treeOf(`-- intro.md --
---
slug: /
sidebar_position: 9
---
# Intro
-- a/_category_.json --
{
\t"label": "Basics",
\t"position": 3,
\t"link": { "type": "generated-index", "title": "All the basics" }
}
-- a/one.md --
---
slug: first
---
# One
-- a/two.md --
---
slug: /start/two
sidebar:
  order: 1
  label: Two!
---
# Two
-- z/_category_.yml --
position: 2.5
label: Zed
-- z/index.md --
# The page of Z
-- z/_x.yml --
-- b/_category_.json --
{
-- b/three.md --
# Three
`)
  assert.equal(outline(tree.pages), [
    'Intro = intro <intro.md>',
    'Zed = z <z/index.md>',
    'Basics = a',
    '  Two! = start/two <a/two.md>',
    '  One = a/first <a/one.md>',
    'B = b',
    '  Three = b/three <b/three.md>',
  ])
  assert.is(tree.pageByPath.get('a')?.title, 'All the basics')
  assert.is(tree.pageByPath.get('')?.title, 'Intro')
  assert.equal(
    tree.files.map(({ path }) => path),
    ['z/_x.yml'],
  )
  assert.equal(findingsOf(tree), ['_category_ of b/: it cannot be read'])
})

test('an address that a slug cannot have is not taken', () => {
  const tree = treeOf(`-- a.md --\n---\nslug: ../x\n---\n-- b.md --\n---\nslug: /~files/x\n---\n`)
  assert.equal([...tree.pageByPath.keys()].sort(), ['', 'a', 'b', 'readme'])
})

test.run()
