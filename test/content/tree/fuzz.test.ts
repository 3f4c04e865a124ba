import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import { buildTree, keysOf, type PageNode, parentOf } from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import { settleIdentity } from '../../../src/content/tree/identity.ts'
import { joinEmoji, splitEmoji } from '../../../src/content/tree/page-node.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { runs } from '../../support/long-run.ts'

const part = fc.constantFrom(
  'a',
  'A',
  'b',
  'README',
  'readme',
  '.gitbook',
  'includes',
  'é',
  'e\u0301',
  'x y',
  'C#',
  '%2e',
  '..',
  '\u202e',
)
const path = fc
  .tuple(fc.array(part, { maxLength: 3 }), part, fc.constantFrom('.md', '', '.png', '.MD', '.yaml'))
  .map(([folders, name, end]) => [...folders, name + end].join('/'))
const mode = fc.constantFrom('100644', '100644', '100644', '100755', '120000', '160000')
const title = fc.constantFrom(
  'A',
  'a',
  '',
  '시작',
  '🛠️ Tools',
  '<x>',
  '[b]',
  '__proto__',
  '快速开始',
)
const line = fc.oneof(
  fc
    .tuple(fc.nat(4), title, path)
    .map(([depth, text, target]) => `${'  '.repeat(depth)}* [${text}](<${target}>)`),
  fc
    .tuple(fc.nat(4), title, path)
    .map(([depth, text, target]) => `${' '.repeat(depth)}- [${text}](${target}#x "t")`),
  fc.tuple(fc.nat(3), title).map(([depth, text]) => `${'  '.repeat(depth)}* ${text}`),
  title.map(text => `\n## ${text}\n`),
  fc.constantFrom(
    '',
    '***',
    '  * ```yaml\n    type: x\n    ```',
    '* [up](../../x.md)',
    '\t* [t](a.md)',
    '<!-- c -->',
    'words',
  ),
)
const given = fc.record({
  files: fc.uniqueArray(fc.tuple(path, mode), { selector: ([name]) => name, maxLength: 25 }),
  lines: fc.option(fc.array(line, { maxLength: 25 })),
  config: fc.constantFrom(
    '',
    'root: a\n',
    'structure: {readme: b.md}\n',
    'root: x y/\nstructure: {summary: ../T.md}\n',
  ),
  moved: fc.array(fc.tuple(path, path), { maxLength: 4 }),
})

const every = (pages: readonly PageNode[]): PageNode[] =>
  pages.flatMap(page => [page, ...every(page.pages)])

test('any files and table of contents result in a tree with every file exactly once', () => {
  fc.assert(
    fc.property(given, ({ files, lines, config: yaml, moved }) => {
      const { config } = readConfig(Buffer.from(yaml))
      const list = files.map(([name, how]) => ({ path: name, oid: `o:${name}` as Oid, mode: how }))
      const summary = lines === null ? null : parseSummary(`# Summary\n\n${lines.join('\n')}\n`)
      const identity = new Map(
        moved.map(([from, to], n) => [from, n % 2 ? `id-${n}` : `${to}`.replace(/\W/g, '') || 'x']),
      )
      const facts = () => undefined
      const tree = buildTree({
        spaceId: 's',
        files: list,
        identity,
        config,
        summary,
        facts,
        variables: {},
      })
      const nodes = every(tree.pages)

      assert.is(tree.pageById.size, nodes.length)
      assert.is(new Set(nodes.map(node => node.key)).size, nodes.length)
      const ids = [...nodes.map(node => node.id), ...tree.files.map(file => file.id)]

      assert.is(new Set(ids).size, ids.length)
      const paths = nodes.filter(node => node.path !== '').map(node => node.path)

      assert.is(new Set(paths.map(text => text.normalize('NFC').toLowerCase())).size, paths.length)

      for (const node of nodes) {
        assert.ok(node.title !== '' && node.id !== '')
        const addressed = node.type === 'document' || node.type === 'group'
        assert.is(node.path !== '', addressed)
        if (addressed) assert.is(tree.pageByPath.get(node.path), node)
        for (const child of node.pages) assert.is(parentOf(tree, child), node)
        assert.ok(node.type !== 'group' || !node.parentId)
      }

      const own = [
        config.summary,
        '.gitbook.yaml',
        `${config.root}.gitbook/vars.yaml`,
        `${config.root}.gitbook/tags.yaml`,
      ]

      const shown = new Set([
        ...tree.pageByFile.keys(),
        ...tree.fileByPath.keys(),
        ...tree.includes.map(file => file.path),
      ])

      for (const { path: name, mode: how } of list) {
        const isContent =
          name.startsWith(config.root) && how.startsWith('100') && !own.includes(name)
        assert.is(shown.has(name), isContent, name)
      }

      assert.not([...tree.pageByFile.keys()].some(name => tree.fileByPath.has(name)))

      const keys = keysOf(tree)

      assert.is(settleIdentity('s', new Map(), keys).size, 0)
      for (const { key } of nodes) assert.ok(keys.has(key))
      const settled = settleIdentity('s', identity, keys)

      for (const node of nodes) if (settled.has(node.key)) assert.is(node.id, settled.get(node.key))
    }),
    { numRuns: runs(1500) },
  )
})

test('splitting one emoji off a title is reversible', () => {
  const titles: [string, string | undefined, string][] = [
    ['🛠️ SDKs', '🛠️', 'SDKs'],
    ['👩‍💻 For you', '👩‍💻', 'For you'],
    ['🇫🇷 France', '🇫🇷', 'France'],
    ['1️⃣ First', '1️⃣', 'First'],
    ['🚀🚀 Twice', '🚀', '🚀 Twice'],
    ['1. First', undefined, '1. First'],
    ['© 2024', undefined, '© 2024'],
    ['# Sharp', undefined, '# Sharp'],
    ['🎉', undefined, '🎉'],
  ]
  for (const [text, emoji, rest] of titles) {
    const split = splitEmoji(text)
    assert.equal([split.emoji, split.title], [emoji, rest])
    if (text !== '🚀🚀 Twice') assert.is(joinEmoji(split.title, split.emoji), text)
  }
})

test.run()
