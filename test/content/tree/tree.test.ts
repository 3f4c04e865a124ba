import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { PageFacts } from '../../../src/content/page/facts.ts'
import { readPageFacts } from '../../../src/content/page/facts.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import {
  buildTree,
  type ContentTree,
  neededBlobs,
  type PageNode,
  pageFileSteps,
  parentOf,
} from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import { findPageByPath } from '../../../src/content/tree/find-page.ts'
import { defaultId, type IdOverrides } from '../../../src/content/tree/identity.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { parseTxtar } from '../../support/txtar.ts'

const space = 'space-1'
type Given = {
  identity?: IdOverrides
  facts?: Record<string, Partial<PageFacts>>
  modes?: Record<string, string>
}

const oidOf = (path: string) => asOid(createHash('sha1').update(path).digest('hex'))

/** Builds the tree of a txtar archive; `-- files --` lists further files, one path per line. */
function treeOf(
  archive: string,
  { identity = new Map(), facts = {}, modes = {} }: Given = {},
): ContentTree {
  const { files } = parseTxtar(archive)
  const named = (files.files ?? '').split('\n').filter(path => path !== '')
  const paths = [
    ...Object.keys(files).filter(path => path !== 'files'),
    ...named,
    ...Object.keys(modes),
  ]
  const list = [...new Set(paths)]
    .sort()
    .map(path => ({ path, oid: oidOf(path), mode: modes[path] ?? '100644' }))
  const yaml = files['.gitbook.yaml']
  const { config, issues } = readConfig(yaml === undefined ? undefined : Buffer.from(yaml))
  const source = files[config.summary]
  const byOid = new Map<string, Partial<PageFacts>>(
    Object.entries(facts).map(([path, some]) => [oidOf(path), some]),
  )

  return buildTree({
    spaceId: space,
    files: list,
    identity,
    config,
    summary: source === undefined ? null : parseSummary(source),
    facts: oid => ({ frontMatter: {}, empty: false, issues: [], ...byOid.get(oid) }),
    variables: {},
    issues,
  })
}

/** Returns the tree as lines: type, path or target, and the source of the page. */
function outline(pages: readonly PageNode[], indent = ''): string[] {
  return pages.flatMap(page => {
    const from = page.file
      ? ` <${page.file.path}>`
      : page.missing !== undefined
        ? ` !${page.missing}`
        : ''
    const address = page.path || page.target || page.computed?.type || ''
    return [
      `${indent}${page.type} ${page.title} = ${address}${from}`,
      ...outline(page.pages, `${indent}  `),
    ]
  })
}
const messages = (tree: ContentTree) =>
  tree.issues.map(({ message, line, path }) => `${path}:${line} ${message}`)

test('every kind of entry becomes the page that the format defines', () => {
  const tree = treeOf(`-- files --
README.md
readme/deep.md
setup/README.md
setup/install.md
a.md
x/inline.md
-- SUMMARY.md --
# Table of contents

* [Welcome](README.md)
  * [Deep](readme/deep.md)
* [Setup](setup/README.md)
  * [Install](setup/install.md)
  * Old versions
    * [Long title](a.md "Short")
* [Buttons](x/inline.md#buttons)
* [Status](https://status.example.org)
  * [Inline](x/inline.md)
* [Empty]()
`)

  assert.equal(outline(tree.pages), [
    'document Welcome = readme <README.md>',
    '  document Deep = readme/deep <readme/deep.md>',
    'document Setup = setup <setup/README.md>',
    '  document Install = setup/install <setup/install.md>',
    '  document Old versions = setup/old-versions',
    '    document Long title = setup/old-versions/a <a.md>',
    'link Buttons = x/inline.md#buttons',
    'link Status = https://status.example.org',
    '  document Inline = inline <x/inline.md>',
    'document Empty = empty',
  ])
  const long = tree.pageByPath.get('setup/old-versions/a')
  assert.is(long?.linkTitle, 'Short')
  assert.is(long && parentOf(tree, long)?.title, 'Old versions')
  assert.is(long && parentOf(tree, long)?.key, '#page:setup/old-versions')
  assert.is(tree.pageByPath.get(''), tree.pages[0])
  assert.is(tree.pageByPath.get('readme'), tree.pages[0])
  assert.is(tree.pageByFile.get('a.md'), long)
  assert.is(tree.pageById.get(defaultId(space, 'a.md')), long)
  assert.is(tree.pageById.get(defaultId(space, '#link:status')), tree.pages[3])
  assert.equal(tree.issues, [])
  assert.not.throws(() => JSON.stringify(tree.pages))
})

test('a group is a path prefix, its anchor is its slug, a rule ends it, and equal names get digests', () => {
  const tree = treeOf(`-- files --
a.md
b.md
c.md
d.md
e.md
-- SUMMARY.md --
# Table of contents

* [A](a.md)

## 🛠️ Get started

* [B](b.md)

## Build a custom component <a href="#integrations" id="integrations"></a>

* [C](c.md)

## Get started

* [D](d.md)

***

* [E](e.md)
`)

  assert.equal(outline(tree.pages), [
    'document A = a <a.md>',
    'group Get started = get-started-11dd481a',
    '  document B = get-started-11dd481a/b <b.md>',
    'group Build a custom component = integrations',
    '  document C = integrations/c <c.md>',
    'group Get started = get-started-70df5b0b',
    '  document D = get-started-70df5b0b/d <d.md>',
    'document E = e <e.md>',
  ])
  assert.is(tree.pages[1]?.emoji, '🛠️')
  assert.is(tree.pages[1]?.key, '#group:get-started-11dd481a')
  assert.equal(
    tree.pages.map(page => page.group),
    [0, 1, 2, 3, 4],
  )
  assert.is(tree.issues.length, 2)
  assert.is(tree.pageByPath.get('integrations')?.type, 'group')
})

test('a file listed twice is one page, a missing file is a broken page, and both are reported with lines', () => {
  const tree = treeOf(`-- files --
a.md
pic.png
-- SUMMARY.md --
# Summary

* [A](a.md)
  * [Again](./a.md)
* [Gone](gone.md)
* [Gone too](gone.md)
* [Picture](pic.png)
* [Contents](SUMMARY.md)
`)

  assert.equal(outline(tree.pages), [
    'document A = a <a.md>',
    '  link Again = ./a.md',
    'document Gone = gone !gone.md',
    'link Gone too = gone.md',
    'link Picture = pic.png',
    'link Contents = SUMMARY.md',
  ])

  assert.equal(
    tree.issues.map(issue => issue.line),
    [4, 5, 6, 7, 8],
  )
  assert.is(tree.pageByFile.has('gone.md'), false)
  assert.is(tree.pages[1]?.id, defaultId(space, 'gone.md'), 'the id that the file will have')
  assert.equal(
    tree.files.map(file => file.path),
    ['pic.png'],
  )
})

test('targets are resolved verbatim, then decoded; directories and bare names resolve to their file', () => {
  const tree = treeOf(`-- files --
a%20b.md
c d.md
dir/README.md
dir2/README.md
bare.md
C#.md
abs.md
-- SUMMARY.md --
# Summary

* [Verbatim](a%20b.md)
* [Decoded](c%20d.md)
* [Directory](dir/)
* [Directory too](dir2)
* [Bare](bare)
* [Sharp](C#.md)
* [Absolute](/abs.md)
* [Angles](<gone (2).md>)
* [Bad percent](50%.md)
`)
  assert.equal(outline(tree.pages), [
    'document Verbatim = a-20b <a%20b.md>',
    'document Decoded = c d <c d.md>',
    'document Directory = dir <dir/README.md>',
    'document Directory too = dir2 <dir2/README.md>',
    'document Bare = bare <bare.md>',
    'document Sharp = C# <C#.md>',
    'document Absolute = abs <abs.md>',
    'document Angles = gone (2) !gone (2).md',
    'document Bad percent = 50% !50%.md',
  ])
})

test('targets outside the root are not resolved, and odd entries are left out and reported', () => {
  const tree = treeOf(
    `-- .gitbook.yaml --
root: docs
-- files --
README.md
secret.md
docs/ok.md
docs/x.txt
docs/bad\u001bname.md
docs/flip\u202emd.md
-- docs/SUMMARY.md --
# Summary

* [Up](../secret.md)
* [Passwords](../../etc/passwd)
* [Encoded](..%2fsecret.md)
* [Host](/etc/passwd)
* [Share](\\\\\\\\server\\\\x)
* [Linked](images.md)
* [Ok](ok.md)
`,
    { modes: { 'docs/images.md': '120000', 'docs/module': '160000' } },
  )

  assert.equal(outline(tree.pages), [
    'document Up = up !../secret.md',
    'document Passwords = passwords !../../etc/passwd',
    'document Encoded = encoded !..%2fsecret.md',
    'document Host = passwd !docs/etc/passwd.md',
    'document Share = share !docs/\\\\server\\x.md',
    'document Linked = images !docs/images.md',
    'document Ok = ok <docs/ok.md>',
  ])

  assert.equal(
    tree.files.map(file => file.path),
    ['docs/bad\u001bname.md', 'docs/flip\u202emd.md', 'docs/x.txt'],
  )
  assert.ok(messages(tree).some(text => text.startsWith('docs/images.md:')))
  assert.ok(messages(tree).some(text => text.startsWith('docs/module:')))
  assert.not(tree.pageByFile.has('secret.md'))
})

test('siblings whose slugs differ only in case get other ones and an issue', () => {
  const tree = treeOf(`-- files --
README.md
readme.md
x/a.md
y/A.md
y/a.md
-- SUMMARY.md --
# Summary

* [One](README.md)
* [Two](readme.md)
* [Three](x/a.md)
* [Four](y/A.md)
* [Five](y/a.md)
`)

  assert.equal(
    tree.pages.map(page => page.path),
    ['readme-b3356305', 'readme-5a831ea6', 'x-a', 'A-5e3b396f', 'a-c2cd7608'],
  )

  assert.equal(
    tree.issues.map(issue => issue.line),
    [3, 4, 5, 6, 7],
  )
  assert.is(new Set(tree.pageById.keys()).size, 5)
})

test('titles fall back from the table of contents to front matter, heading and file name', () => {
  const tree = treeOf(
    `-- files --
a.md
b.md
c.md
-- SUMMARY.md --
# Summary

* [🟩 Mirror](a.md)
* [](b.md)
* [🎉](c.md)
`,
    { facts: { 'a.md': { frontMatter: { icon: 'bolt', title: 'X' } }, 'b.md': { h1: 'Heading' } } },
  )
  assert.equal(
    tree.pages.map(({ title, emoji, icon }) => [title, emoji, icon]),
    [
      ['Mirror', '🟩', 'bolt'],
      ['Heading', undefined, undefined],
      ['🎉', undefined, undefined],
    ],
  )
})

test('a computed entry has its YAML as plain data, and a broken one an issue', () => {
  const tree = treeOf(`-- files --
api/README.md
-- SUMMARY.md --
# Summary

* [Endpoints](api/README.md)
  * \`\`\`yaml
    type: builtin:openapi
    props:
      models: true
    dependencies:
      spec:
        ref:
          kind: openapi
          spec: acme-v2
    \`\`\`
  * \`\`\`yaml
    props: [
    \`\`\`
`)
  const [computed, broken] = tree.pages[0]?.pages ?? []
  assert.equal(computed?.computed, {
    type: 'builtin:openapi',
    props: { models: true },
    dependencies: { spec: { ref: { kind: 'openapi', spec: 'acme-v2' } } },
  })
  assert.is(computed?.title, 'acme-v2')
  assert.is(computed?.key, '#computed:api/acme-v2')
  assert.is(broken?.type, 'computed')
  assert.is(broken?.computed, undefined)

  assert.ok(tree.issues.length > 0 && tree.issues.every(issue => (issue.line ?? 0) >= 14))
})

test('without a table of contents the tree follows folders and names', () => {
  const tree = treeOf(
    `-- files --
.github/x.md
.gitbook/includes/note.md
README.md
zeta.md
Alpha.md
guides/README.md
guides/b.md
guides/a.md
reference/api/x.md
empty/pic.png
`,
    { facts: { 'Alpha.md': { frontMatter: { title: 'First' } }, 'zeta.md': { h1: 'Last' } } },
  )

  assert.is(tree.summary, null)
  assert.equal(outline(tree.pages), [
    'document README = readme <README.md>',
    'document First = Alpha <Alpha.md>',
    'document guides = guides <guides/README.md>',
    '  document a = guides/a <guides/a.md>',
    '  document b = guides/b <guides/b.md>',
    'document Reference = reference',
    '  document Api = reference/api',
    '    document x = reference/api/x <reference/api/x.md>',
    'document Last = zeta <zeta.md>',
  ])
  assert.is(tree.pages[0]?.entry, undefined)
  assert.equal(
    tree.includes.map(({ title, path }) => [title, path]),
    [['note', '.gitbook/includes/note.md']],
  )

  assert.equal(
    tree.files.map(file => file.path),
    ['.github/x.md', 'empty/pic.png'],
  )
})

test('without README.md an index is the page of its folder, at every level', () => {
  const tree = treeOf(`-- files --
changelog.md
guide/_index.md
guide/setup.md
index.md
mixed/README.md
mixed/index.md
tutorial-basics/index.md
tutorial-basics/API_ref/a.md
v2.0/b.md
`)
  assert.equal(outline(tree.pages), [
    'document index = readme <index.md>',
    'document changelog = changelog <changelog.md>',
    'document guide = guide <guide/_index.md>',
    '  document setup = guide/setup <guide/setup.md>',
    'document mixed = mixed <mixed/README.md>',
    '  document mixed = mixed/index <mixed/index.md>',
    'document tutorial-basics = tutorial-basics <tutorial-basics/index.md>',
    '  document API ref = tutorial-basics/api_ref',
    '    document a = tutorial-basics/api_ref/a <tutorial-basics/API_ref/a.md>',
    'document V2.0 = v2.0',
    '  document b = v2.0/b <v2.0/b.md>',
  ])

  for (const path of ['index.md', 'guide/_index.md'])
    assert.is(tree.pageByFile.get(path)?.id, defaultId(space, path))
  for (const [path, file] of Object.entries({
    index: 'index.md',
    'guide/index': 'guide/_index.md',
    'guide/_index.md': 'guide/_index.md',
    'mixed/index': 'mixed/index.md',
    'tutorial-basics/index.md': 'tutorial-basics/index.md',
  }))
    assert.is(findPageByPath(tree, path)?.file?.path, file, path)
})

test('an inferred tree is ordered by numbers in names and positions in front matter', () => {
  const files: Record<string, string> = {
    '10-deploy.md': '# Deploy\n',
    '2-use.mdx': '# Use\n',
    '2024-05-news.md': '# News\n',
    '03-guides/b.md': '---\nsidebar_position: 1\n---\n# B\n',
    '03-guides/a.md': '# A\n',
    'intro.md': '---\nsidebar_position: 1\nsidebar_label: Start\n---\n# Introduction\n',
  }
  const texts = new Map(Object.entries(files).map(([path, text]) => [String(oidOf(path)), text]))
  const tree = buildTree({
    spaceId: space,
    files: Object.keys(files).map(path => ({ path, oid: oidOf(path), mode: '100644' })),
    identity: new Map(),
    config: readConfig(undefined).config,
    summary: null,
    facts: oid => readPageFacts(Buffer.from(texts.get(oid) ?? '')),
    variables: {},
  })

  assert.equal(outline(tree.pages), [
    'document Introduction = intro <intro.md>',
    'document Use = 2-use <2-use.mdx>',
    'document Guides = 03-guides',
    '  document B = 03-guides/b <03-guides/b.md>',
    '  document A = 03-guides/a <03-guides/a.md>',
    'document Deploy = 10-deploy <10-deploy.md>',
    'document News = 2024-05-news <2024-05-news.md>',
  ])
  assert.is(tree.pageByPath.get('')?.linkTitle, 'Start')
})

test('a page of the settings comes before an index, and a table of contents names its pages itself', () => {
  const settings = '-- .gitbook.yaml --\nstructure:\n  readme: start.md\n-- files --\n'
  assert.equal(outline(treeOf(`${settings}index.md\nstart.md\n`).pages), [
    'document start = start <start.md>',
    'document index = index <index.md>',
  ])
  assert.is(treeOf(`${settings}index.md\n`).pages[0]?.path, 'readme')
  const listed = treeOf(`-- SUMMARY.md --
* [Home](index.md)
* [Guide](guide/)
* [More](more/index.md)
-- files --
guide/index.md
index.md
more/index.md
`)

  assert.equal(outline(listed.pages), [
    'document Home = index-a48746ca <index.md>',
    'document Guide = guide <guide/index.md>',
    'document More = more <more/index.md>',
  ])
})

test('an inferred tree begins with the page named in the settings and has a maximum depth', () => {
  const deep = `${Array.from({ length: 500 }, (_, i) => `d${i}`).join('/')}/x.md`
  const tree = treeOf(
    `-- .gitbook.yaml --\nstructure:\n  readme: z/start.md\n-- files --\na.md\nz/start.md\n${deep}\n`,
  )
  assert.is(tree.pages[0]?.file?.path, 'z/start.md')
  assert.ok(tree.pageByFile.has(deep))
  let depth = 0

  for (let page = tree.pageByFile.get(deep); page; page = parentOf(tree, page)) depth++
  assert.is(depth, 63)
})

test('a file keeps its id when it becomes a page, and id overrides apply', () => {
  const files = '-- files --\na.md\nb.md\n-- SUMMARY.md --\n# Summary\n\n'
  const before = treeOf(files)
  const after = treeOf(`${files}* [A](a.md)\n`)
  assert.is(before.fileByPath.get('a.md')?.id, after.pageByFile.get('a.md')?.id)
  const moved = treeOf(`${files}* [A](a.md)\n`, {
    identity: new Map([['b.md', defaultId(space, 'a.md')]]),
  })

  assert.is(moved.fileByPath.get('b.md')?.id, defaultId(space, 'a.md'))
  assert.is.not(moved.pageByFile.get('a.md')?.id, defaultId(space, 'a.md'))
  assert.is(moved.pageById.size + moved.fileById.size, 2)
})

test('the blobs to read first are determined in two steps', () => {
  const names = [
    '.gitbook.yaml',
    'docs/.gitbook/vars.yaml',
    'docs/SUMMARY.md',
    'docs/a.md',
    'docs/b.md',
  ]

  const files = [...names, 'docs/.gitbook/includes/i.md'].map(path => ({
    path,
    oid: oidOf(path),
    mode: '100644',
  }))

  assert.equal(neededBlobs(files), { config: oidOf('.gitbook.yaml') })
  const { config } = readConfig(Buffer.from('root: docs'))

  assert.equal(neededBlobs(files, config), {
    config: oidOf('.gitbook.yaml'),
    summary: oidOf('docs/SUMMARY.md'),
    variables: oidOf('docs/.gitbook/vars.yaml'),
  })
  const summary = parseSummary('# Summary\n\n* [A](a.md)\n  * [A](a.md)\n')
  const oids = (...paths: string[]) => paths.map(oidOf)

  assert.equal(
    atOnce(pageFileSteps(files, config, summary)),
    oids('docs/.gitbook/includes/i.md', 'docs/a.md'),
  )

  assert.equal(
    atOnce(pageFileSteps(files, config, null)),
    oids('docs/.gitbook/includes/i.md', 'docs/a.md', 'docs/b.md'),
  )
})

test('10,000 pages, 1,000 equal names and 1,000 broken lines are built quickly', () => {
  const paths = Array.from({ length: 10_000 }, (_, i) => `part-${i % 100}/page-${i}.md`)
  const broken = Array.from({ length: 2000 }, (_, i) => `* [B](none-${i}.md)\n* Same\n`).join('')
  const source = `# Summary\n\n${paths.map((path, i) => `${i % 10 ? '  ' : ''}* [Page ${i}](${path})\n`).join('')}`
  const summary = parseSummary(source)
  const files = paths
    .map(path => ({ path, oid: oidOf(path), mode: '100644' }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const facts: PageFacts = { frontMatter: {}, empty: false, issues: [] }
  const { config } = readConfig(undefined)
  const input = {
    spaceId: space,
    files,
    identity: new Map(),
    config,
    summary,
    facts: () => facts,
    variables: {},
  }

  const times = [0, 1, 2, 3, 4].map(() => {
    const started = cpuTime()
    assert.is(buildTree(input).pageById.size, 10_000)
    return cpuTime() - started
  })

  console.log(`10,000 pages: ${times.map(ms => ms.toFixed(0)).join(', ')} ms`)
  assert.ok(Math.min(...times) < 1500)
  const odd = buildTree({ ...input, summary: parseSummary(source + broken) })

  assert.is(odd.pageById.size, 14_000)
  assert.is(odd.issues.length, 1001)
})

test.run()
