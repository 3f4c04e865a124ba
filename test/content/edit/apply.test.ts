import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { changeSteps, type Edits } from '../../../src/content/edit/apply.ts'
import { answersFrom } from '../../../src/content/edit/apply-in-memory.ts'
import type { Change } from '../../../src/content/edit/changes.ts'
import { answerTo } from '../../../src/content/edit/requests.ts'
import { encode } from '../../../src/content/text/bytes.ts'
import { Fault } from '../../../src/errors.ts'
import {
  type Content,
  edit,
  from,
  idAt,
  open,
  refusal,
  sourceOf,
  textOf,
} from '../../support/content.ts'
import { runs } from '../../support/long-run.ts'

const ids = (content: Content) =>
  new Map([...content.tree.pageById.values()].map(page => [page.key, page.id]))
const kindOf = (work: () => unknown): string => {
  try {
    work()
    return 'taken'
  } catch (error) {
    return (error as Fault).kind
  }
}

const docs = () =>
  from({
    'README.md': '# Docs\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Docs](README.md)\n* [Guides](guides/README.md)\n  * [Install](guides/install.md)\n  * Words\n    * [Deep](guides/deep.md)\n* [Away](https://example.org)\n\n## Reference\n\n* [API](reference/api.md)\n\n***\n\n* [Last](last.md)\n',
    'guides/README.md': '# Guides\n',
    'guides/install.md': '# Install\n',
    'guides/deep.md': '# Deep\n',
    'reference/api.md': '# API\n',
    'last.md': '# Last\n',
    '.gitbook/assets/a.png': 'png',
  })

test('pages and groups are inserted at the given place, and files of a group go into its folder', () => {
  const before = docs()
  const { after, edits } = edit(
    before,
    { operation: 'insert_group', title: 'Get started', at: 3, ref: 'start' },
    { operation: 'insert_page', title: 'First', document: {}, into: 'start', ref: 'first' },
    {
      operation: 'insert_page',
      title: 'More',
      document: { markdown: 'See [it](./first.md).' },
      into: idAt(before, 'reference'),
    },
    { operation: 'insert_page', title: 'Top', document: {} },
    { operation: 'insert_link', title: 'Status', url: 'https://status.example.org', at: 0 },
    { operation: 'insert_page', title: 'Below the first', document: {}, into: idAt(before, '') },
  )

  assert.is(
    textOf(after, 'SUMMARY.md'),
    '# Table of contents\n\n* [Status](https://status.example.org)\n* [Docs](README.md)\n  * [Below the first](readme/below-the-first.md)\n* [Guides](guides/README.md)\n  * [Install](guides/install.md)\n  * Words\n    * [Deep](guides/deep.md)\n* [Away](https://example.org)\n* [Top](top.md)\n\n## Get started\n\n* [First](get-started/first.md)\n\n## Reference\n\n* [API](reference/api.md)\n* [More](reference/more.md)\n\n***\n\n* [Last](last.md)\n',
  )
  assert.is(textOf(after, 'reference/more.md'), '# More\n\nSee [it](../get-started/first.md).')
  assert.equal(
    edits.outcomes.map(({ object, ref }) => [object, ref]),
    [
      ['created_page', 'start'],
      ['created_page', 'first'],
      ['created_page', undefined],
      ['created_page', undefined],
      ['created_page', undefined],
      ['created_page', undefined],
    ],
  )
  for (const [key, id] of ids(before)) assert.is(ids(after).get(key), id, key)
})

test('a move changes only lines of the table of contents, and pages without a file keep their ids', () => {
  const before = docs()
  const words = idAt(before, 'guides/words')
  const { after, edits } = edit(before, {
    operation: 'update_page',
    page: words,
    into: idAt(before, 'reference'),
    at: 0,
  })

  assert.match(
    textOf(after, 'SUMMARY.md'),
    '## Reference\n\n* Words\n  * [Deep](guides/deep.md)\n* [API](reference/api.md)\n',
  )
  assert.equal([...edits.files.keys()], ['SUMMARY.md'])
  assert.is(idAt(after, 'reference/words'), words)
  assert.is(idAt(after, 'reference/words/deep'), idAt(before, 'guides/words/deep'))
  const back = edit(after, {
    operation: 'update_page',
    page: words,
    into: idAt(after, 'guides'),
  }).after

  assert.is(textOf(back, 'SUMMARY.md'), textOf(before, 'SUMMARY.md'))
  assert.is(idAt(back, 'guides/words'), words)
  const own = refusal(() =>
    edit(before, { operation: 'update_page', page: idAt(before, 'guides'), into: words }),
  )

  assert.match(own.message, /^Change 0 \(update_page\): A page cannot move below itself/)
})

test('a group is renamed with its pages, moved and deleted', () => {
  const before = docs()
  const group = idAt(before, 'reference')
  const renamed = edit(before, { operation: 'update_group', page: group, title: 'Handbook' }).after
  assert.is(idAt(renamed, 'handbook'), group)
  assert.is(idAt(renamed, 'handbook/api'), idAt(before, 'reference/api'))
  const slugged = edit(before, { operation: 'update_group', page: group, slug: 'ref' }).after

  assert.match(textOf(slugged, 'SUMMARY.md'), '## Reference <a href="#ref" id="ref"></a>\n')
  assert.is(idAt(slugged, 'ref'), group)
  const gone = edit(before, { operation: 'delete_page', page: group })

  assert.is(gone.after.files.has('reference/api.md'), false)
  assert.not.match(textOf(gone.after, 'SUMMARY.md'), 'Reference')
  assert.equal(
    gone.edits.outcomes.map(outcome => outcome.object),
    ['deleted_page', 'deleted_page'],
  )
})

test('taken and invalid names and slugs are refused, derived ones get a number', () => {
  const before = docs()
  const insert = (set: object): Change => ({
    operation: 'insert_page',
    document: {},
    into: idAt(before, 'guides'),
    ...set,
  })
  const taken = refusal(() => edit(before, insert({ title: 'x', slug: 'Install' })))
  assert.is(taken.kind, 'conflict')
  assert.equal(taken.detail, {
    index: 0,
    page: idAt(before, 'guides/install'),
    path: 'guides/install',
  })

  for (const slug of [
    '../up',
    'a/b',
    'a\\b',
    'con',
    'a.',
    ' x',
    'a:b',
    'README',
    '.git',
    'a b',
    'x'.repeat(300),
  ])
    assert.is(
      kindOf(() => edit(before, insert({ slug }))),
      'invalid',
      slug,
    )

  const twice = edit(before, insert({ title: 'Install' }), insert({ title: 'INSTALL' })).after

  assert.equal(
    ['guides/install-1.md', 'guides/install-2.md'].map(path => twice.files.has(path)),
    [true, true],
  )

  const name = (file: string): Change => ({
    operation: 'insert_files',
    files: [{ name: file, bytes: encode('x') }],
  })

  for (const file of [
    '../x',
    'a/b',
    '..',
    '.',
    '.git',
    'con.md',
    'a\0',
    '',
    'a. ',
    'x'.repeat(5000),
    'a\u202eb',
    'a:b',
  ])
    assert.is(
      kindOf(() => edit(before, name(file))),
      'invalid',
      file,
    )

  const file = refusal(() => edit(before, { operation: 'delete_file', file: idAt(before, 'last') }))

  assert.match(file.message, 'delete_page')
})

test('files: equal bytes reuse a file, others get another name, and references follow a rename', () => {
  const before = from({
    'README.md': '# A\n\n![x](<.gitbook/assets/my a.png>) <img src=".gitbook/assets/my%20a.png">\n',
    'SUMMARY.md': '* [A](README.md)\n',
    '.gitbook/assets/my a.png': 'png',
  })

  const { after, edits } = edit(before, {
    operation: 'insert_files',
    files: [
      { name: 'my a.png', bytes: encode('png') },
      { name: 'MY A.png', bytes: encode('other') },
      { name: 'b.txt', bytes: encode('b'), ref: 'b' },
    ],
  })

  assert.equal(
    edits.insertedFiles.map(file => file.name),
    ['my a.png', 'MY A-1.png', 'b.txt'],
  )
  assert.is(edits.insertedFiles[0]!.id, before.tree.files[0]!.id)
  const id = before.tree.files[0]!.id
  const renamed = edit(after, { operation: 'rename_file', file: id, name: 'new name.png' }).after

  assert.is(renamed.tree.fileById.get(id)?.path, '.gitbook/assets/new name.png')
  assert.is(
    textOf(renamed, 'README.md'),
    '# A\n\n![x](<.gitbook/assets/new name.png>) <img src=".gitbook/assets/new%20name.png">\n',
  )
})

test('the first change that needs a table of contents creates one', () => {
  const before = from({
    'README.md': '# Docs\n',
    'b/one.md': '---\ntitle: "One: [1]"\n---\n\n# Other\n',
    'b/c/two.md': 'no heading\n',
    'emoji.md': '# 🚀 Go\n',
  })

  const body = edit(before, {
    operation: 'update_page',
    page: idAt(before, 'emoji'),
    title: 'Went',
  })

  assert.equal([...body.edits.files.keys()], ['emoji.md'])
  assert.is(textOf(body.after, 'emoji.md'), '# 🚀 Went\n')
  const { after } = edit(before, {
    operation: 'insert_page',
    title: 'New',
    document: {},
    into: idAt(before, 'b'),
  })

  assert.is(
    textOf(after, 'SUMMARY.md'),
    '# Table of contents\n\n* [Docs](README.md)\n* B\n  * C\n    * [two](b/c/two.md)\n  * [One: \\[1\\]](b/one.md)\n  * [New](b/new.md)\n* [🚀 Go](emoji.md)\n',
  )
  for (const [key, id] of ids(before)) assert.is(ids(after).get(key), id, key)
})

test('an index keeps its address when the first table of contents is written', () => {
  const before = from({
    'index.md': '# Welcome\n\n[Guide](guide/) [Setup](guide/setup.md)\n',
    'guide/index.md': '# Guide\n\n[Home](../)\n',
    'guide/setup.md': '# Setup\n\n[Up](./#top) [Index](index.md)\n',
  })
  const guide = idAt(before, 'guide')
  const { after } = edit(before, {
    operation: 'insert_page',
    title: 'More',
    document: {},
    into: guide,
  })

  assert.is(
    textOf(after, 'SUMMARY.md'),
    '# Table of contents\n\n* [Welcome](./)\n* [Guide](guide/)\n  * [Setup](guide/setup.md)\n  * [More](guide/more.md)\n',
  )
  for (const [path, page] of before.tree.pageByPath) assert.is(idAt(after, path), page.id, path)

  for (const content of [before, after]) {
    const renamed = edit(content, { operation: 'update_page', page: guide, slug: 'manual' }).after
    assert.is(idAt(renamed, 'manual'), guide)
    assert.ok(renamed.files.has('manual/index.md'))
    assert.is(
      textOf(renamed, 'index.md'),
      '# Welcome\n\n[Guide](manual/) [Setup](guide/setup.md)\n',
    )
    assert.is(
      textOf(renamed, 'guide/setup.md'),
      '# Setup\n\n[Up](../manual/#top) [Index](../manual/index.md)\n',
    )
  }
})

test('set_variables replaces all variables', () => {
  const before = from({ 'README.md': '# A\n', '.gitbook/vars.yaml': '# kept\na: 1\nb: x\n' })
  const { after } = edit(before, { operation: 'set_variables', variables: { b: 'y', c: true } })
  assert.is(textOf(after, '.gitbook/vars.yaml'), '# kept\nb: y\nc: true\n')
  assert.is(
    edit(after, { operation: 'set_variables', variables: { b: 'y', c: true } }).edits.files.size,
    0,
  )
})

fc.configureGlobal({ includeErrorInReport: true })

// Small spaces of every kind: line ends, byte-order marks, odd front matter, unlisted files.
const eols = fc.constantFrom('\n', '\r\n')
const words = fc.constantFrom(
  'Install',
  'Über [x]',
  'a_b',
  '# 1',
  '🚀 Go',
  '*b*',
  'Same',
  'Same',
  '快速',
)
const names = fc.constantFrom('a', 'b', 'Same', 'guides', 'x y', 'ü', 'c.d')
const front = fc.constantFrom(
  '',
  '---\ntitle: T\ndescription: >-\n  long\n  text # no\nzz: [1, 2]\n---\n\n',
  '---\nhidden: true # why\n---\n',
)
type Node = { title: string; name: string | null; front: string; pages: Node[] }
const nodeOver = (pages: fc.Arbitrary<Node[]>): fc.Arbitrary<Node> =>
  fc.record({ title: words, name: fc.option(names, { nil: null }), front, pages })
const node = [0, 1].reduce(
  below => nodeOver(fc.array(below, { maxLength: 3 })),
  nodeOver(fc.constant([])),
)

const spaces = fc
  .record({
    groups: fc.array(
      fc.record({ title: fc.option(words), nodes: fc.array(node, { maxLength: 3 }) }),
      {
        maxLength: 3,
      },
    ),
    eol: eols,
    bom: fc.boolean(),
    end: fc.boolean(),
    listed: fc.boolean(),
  })
  .map(({ groups, eol, bom, end, listed }) => {
    const files: Record<string, string> = { 'other/unlisted.md': 'x' }
    let summary = `# Table of contents\n`
    const lines = (nodes: Node[], folder: string, indent: string) => {
      for (const { title, name, front, pages } of nodes) {
        const path = `${folder}${name}.md`
        const escaped = title.replace(/[[\]_*#\\]/g, '\\$&')
        summary += `${indent}* ${name === null ? escaped : `[${escaped}](<${path}>)`}\n`

        if (name !== null)
          files[path] = `${bom ? '\ufeff' : ''}${front}# ${escaped}\n\nText.\n`.replaceAll(
            '\n',
            eol,
          )

        lines(pages, name === null ? folder : `${folder}${name}/`, `${indent}  `)
      }
    }

    for (const [i, { title, nodes }] of groups.entries()) {
      if (i > 0)
        summary += title === null ? '\n***\n' : `\n## ${title.replace(/[[\]_*#]/g, '\\$&')}\n`
      summary += '\n'
      lines(nodes, i === 0 ? '' : `g${i}/`, '')
    }

    if (listed) files['SUMMARY.md'] = (end ? summary : summary.trimEnd()).replaceAll('\n', eol)

    return files
  })

/** The space, with a binary file. */
const opened = (texts: Record<string, string>): Content => {
  const { files } = from(texts)
  return open(new Map([...files, ['unlisted.bin', new Uint8Array([0xff, 0, 1])]]))
}

type Pick = { what: number; page: number; other: number; at: number; title: string; slug: string }
const picks = fc.record({
  what: fc.nat(9),
  page: fc.nat(100),
  other: fc.nat(100),
  at: fc.nat(4),
  title: words,
  slug: fc.constantFrom('new', 'a', 'moved', 'g1'),
})

/** A change that may be valid for some content. */
function changeFor(content: Content, { what, page, other, at, title, slug }: Pick): Change {
  const pages = [...content.tree.pageById.values()]
  const some = pages[page % Math.max(1, pages.length)]
  const holders = pages.filter(({ type }) => type === 'document' || type === 'group')
  const holder = holders[other % Math.max(1, holders.length)]
  const into = other % 3 === 0 || !holder ? null : holder.id
  if (!some || what === 0)
    return { operation: 'insert_page', title, document: { markdown: 'Text.\n' }, into, at }
  if (what === 1) return { operation: 'insert_group', title, at }

  if (some.type === 'group')
    return what < 5
      ? { operation: 'update_group', page: some.id, title }
      : { operation: 'update_group', page: some.id, at }

  if (what === 2) return { operation: 'update_page', page: some.id, title }
  if (what === 3) return { operation: 'update_page', page: some.id, slug }
  if (what === 4) return { operation: 'update_page', page: some.id, into, at }
  if (what === 5) return { operation: 'update_page', page: some.id, description: 'd', hidden: true }
  if (what === 6) return { operation: 'delete_page', page: some.id }
  if (what === 7) return { operation: 'insert_link', title, url: 'https://example.org', into, at }
  if (what === 8) return { operation: 'update_page', page: some.id, emoji: '🎉' }

  return { operation: 'update_page', page: some.id, at }
}

test('no batch changes the ids of other pages or the bytes of other files', () => {
  fc.assert(
    fc.property(spaces, fc.array(picks, { minLength: 1, maxLength: 5 }), (texts, chosen) => {
      let content = opened(texts)
      for (const pick of chosen) {
        const change = changeFor(content, pick)
        let result: ReturnType<typeof edit>
        try {
          result = edit(content, change)
        } catch (error) {
          if (error instanceof Fault) continue
          throw error
        }

        const { after, edits } = result

        checkIds(content, after, change)
        checkFiles(content, after, edits)
        content = after
      }
    }),
    { numRuns: runs(150) },
  )
})

function checkIds(before: Content, after: Content, change: Change): void {
  const gone = new Set<string>()
  if (change.operation === 'delete_page') {
    const walk = (id: string) => {
      gone.add(id)
      for (const page of before.tree.pageById.get(id)!.pages) walk(page.id)
    }
    walk(change.page)
  }

  for (const [id, page] of before.tree.pageById) {
    if (gone.has(id)) continue
    // A folder without a file exists only while it has pages; a second entry of a file is not a
    // page.
    if (!before.tree.summary || page.type === 'link') continue
    const now = after.tree.pageById.get(id)
    assert.ok(now, `"${page.title}" (${page.key}) lost its id by ${JSON.stringify(change)}`)
  }
}

function checkFiles(before: Content, after: Content, edits: Edits): void {
  for (const [path, bytes] of before.files)
    if (!edits.files.has(path)) assert.is(after.files.get(path), bytes)
  assert.ok(after.files.has('unlisted.bin'))
}

test('inserting and deleting a page leaves no trace', () => {
  fc.assert(
    fc.property(spaces, picks, (texts, pick) => {
      const start = opened(texts)
      if (!start.tree.summary) return
      const change = changeFor(start, { ...pick, what: 0 })
      let made: ReturnType<typeof edit>

      try {
        made = edit(start, change)
      } catch (error) {
        if (error instanceof Fault) return
        throw error
      }

      const { after } = edit(made.after, {
        operation: 'delete_page',
        page: made.edits.outcomes[0]!.page,
      })

      assert.equal([...after.files.keys()].sort(), [...start.files.keys()].sort())

      // The first entry of an empty list may have added blank lines.
      const { groups } = start.tree.summary
      const exact =
        groups[0]?.title === null &&
        !groups[0].rule &&
        groups.every(group => group.entries.length > 0)

      const seen = (content: Content, path: string) =>
        exact
          ? textOf(content, path)
          : textOf(content, path)
              .replace(/[\r\n]+/g, '\n')
              .trim()

      for (const path of start.files.keys()) assert.is(seen(after, path), seen(start, path), path)
    }),
    { numRuns: runs(150) },
  )
})

test('writing a page back unchanged changes nothing', () => {
  fc.assert(
    fc.property(spaces, fc.nat(100), (texts, n) => {
      const start = opened(texts)
      const pages = [...start.tree.pageById.values()].filter(page => page.file)
      const page = pages[n % Math.max(1, pages.length)]
      if (!page) return

      const markdown = textOf(start, page.file!.path)
      const { edits } = edit(start, {
        operation: 'update_page',
        page: page.id,
        document: { markdown },
      })

      assert.is(edits.files.size, 0)
    }),
    { numRuns: runs(100) },
  )
})

test('inserting a page builds one tree', () => {
  const content = docs()
  const oid = content.tree.pageByPath.get('guides/install')!.file!.oid
  let asked = 0
  const facts = (each: string) => {
    if (each === oid) asked++
    return content.input.facts(each)
  }

  edit(
    { ...content, input: { ...content.input, facts } },
    { operation: 'insert_page', title: 'New', document: {} },
  )
  assert.is(asked, 1)
})

test('an edit of a page generated from an OpenAPI spec is refused with the reason', () => {
  const entry =
    '* ```yaml\n  type: builtin:openapi\n  dependencies: {spec: {ref: {kind: openapi, spec: pets}}}\n  ```\n'
  const described = from({
    'README.md': '# Docs\n',
    'SUMMARY.md': `# S\n\n* [Docs](README.md)\n${entry}`,
  })
  const change: Change = { operation: 'delete_page', page: 'made0fADescription00' }
  const { kind, message } = refusal(() => edit(described, change))

  assert.is(kind, 'missing')
  assert.match(message, /no page "made0fADescription00".*generated from an OpenAPI spec/)
  assert.not.match(refusal(() => edit(docs(), change)).message, /OpenAPI/)
})

test('a change of a large tree is done in many steps, each a small part of the work', () => {
  const pages = Array.from(
    { length: 3000 },
    (_, i) => `${i % 50 === 0 ? 'README' : `page-${i}`}.md`,
  )
  const path = (i: number) => (i === 0 ? 'README.md' : `part-${Math.floor(i / 50)}/${pages[i]}`)
  const texts = pages.map((_, i) => [path(i), `# Page ${i}\n\n[It](/part-2/page-101.md)\n`])
  const lines = pages.map((_, i) => `* [Page ${i}](${path(i)})\n`)
  const content = from({
    ...Object.fromEntries(texts),
    'SUMMARY.md': `# Table of contents\n\n${lines.join('')}`,
  })
  const id = (i: number) => content.tree.pageByFile.get(path(i))!.id
  const stepsOf = (change: Change) => {
    const facts = new Map(
      content.input.files.map(({ oid }) => [oid as string, content.input.facts(oid)]),
    )
    const input = { ...content.input, facts: (oid: string) => facts.get(oid) }
    const source = { ...sourceOf(content), input }
    const answering = answersFrom(source)
    const steps = changeSteps(source, [change])
    let count = 1

    for (let step = steps.next(); !step.done; count++)
      step = steps.next(step.value && answerTo(answering, step.value))

    return count
  }

  for (const change of [
    { operation: 'insert_page', title: 'New', document: {}, at: 3 },
    { operation: 'update_page', page: id(120), into: id(700) },
    { operation: 'update_page', page: id(120), title: 'Other' },
    { operation: 'delete_page', page: id(120) },
  ] satisfies Change[])
    assert.ok(stepsOf(change) > 20, `${change.operation}: ${stepsOf(change)} steps`)

  assert.ok(stepsOf({ operation: 'update_page', page: id(101), slug: 'renamed' }) > 3000)
})

test.run()
