import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseSummary, type SummaryEntry } from '../../../src/content/summary/parse.ts'
import { readCorpora } from '../../support/corpus/corpora.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'

const outline = (entries: SummaryEntry[]): string[] =>
  entries.flatMap(({ depth, kind, title, target, children }) => [
    `${'  '.repeat(depth - 1)}${kind} ${title}${target ? ` -> ${target}` : ''}`,
    ...outline(children),
  ])
const read = (source: string) =>
  parseSummary(source).groups.flatMap(group => outline(group.entries))

test('entries are pages, links or text', () => {
  const lines = read(`# Table of contents

* [Install \\(Linux\\)](01\\_a.md "Short")
- [Part](a.md#part)
+ [Web](https://example.org/x_y)
* [Mail](mailto:x@example.org)
* Plain **bold** text
* [Empty]()
* [Blanks](<a (b).md>)
* **[Bold](b.md)**
* <https://example.org>
* ❤️ \`code\` &amp; a\\_b snake_case_x ~~gone~~
* [![i](x.png) Title](c.md)
`)
  assert.equal(lines, [
    'page Install (Linux) -> 01_a.md',
    'link Part -> a.md#part',
    'link Web -> https://example.org/x_y',
    'link Mail -> mailto:x@example.org',
    'text Plain bold text',
    'text Empty',
    'page Blanks -> a (b).md',
    'page Bold -> b.md',
    'link https://example.org -> https://example.org',
    'text ❤️ code & a_b snake_case_x gone',
    'page i Title -> c.md',
  ])
})

test('a path with spaces and parentheses reaches to the last parenthesis of its line', () => {
  const lines = read(`# Summary

* [Today (2014)](Today (2014).md)
    * [Media list](dir/Media Check List.md)
    * [Percent](ifcfg%253A1.md)
    * [Rate](100% sure.md)
* [Open](a(b.md)
* [Close](a).md)
* [Blank] (a.md)
* **[Bold](a b.md)**
* [Title](a b.md "Short")
* [Quote](a "b" c.md)
* [x [y] z](a b.md)
* [First](a b.md) and [Second](c d.md)
* [No end](a b.md
* [Web](https://example.org/a b)
* [A](a.md) (see below)
* [note] (see below)
* \`[a](b c)\` code
* ![i](a b.png)
* ![i](x.png) [A](b c.md)
* \\[a](b c.md)
`)
  assert.equal(lines, [
    'page Today (2014) -> Today (2014).md',
    '  page Media list -> dir/Media Check List.md',
    '  page Percent -> ifcfg%253A1.md',
    '  page Rate -> 100% sure.md',
    'page Open -> a(b.md',
    'page Close -> a).md',
    'page Blank -> a.md',
    'page Bold -> a b.md',
    'page Title -> a b.md',
    'page Quote -> a "b" c.md',
    'page x [y] z -> a b.md',
    'page First -> a b.md',
    'page No end -> a b.md',
    'link Web -> https://example.org/a b',
    'page A -> a.md',
    'text [note] (see below)',
    'text [a](b c) code',
    'text ![i](a b.png)',
    'page A -> b c.md',
    'text [a](b c.md)',
  ])
})

test('words in brackets without a path are a title', () => {
  assert.equal(read('* [Intro][1]\n* [[Wiki]]\n* [Intro]\n* [ ] todo\n* [a] b\n'), [
    'text Intro',
    'text Wiki',
    'text Intro',
    'text [ ] todo',
    'text [a] b',
  ])
})

test('a link alone on a line of a paragraph is an entry', () => {
  const source =
    '# T\n\n[Intro](README.md)\n**[Two](a b.md)**\\\n\n* [B](b.md)\n\nSee [c](c.md).\n[D](d.md)\ntext\nmore\n[E](e.md)  \n\n## G\n\n[F](f.md)\n* [G](g.md)\n[H](h.md)\n'
  assert.equal(read(source), [
    'page Intro -> README.md',
    'page Two -> a b.md',
    'page B -> b.md',
    'page D -> d.md',
    'page E -> e.md',
    'page F -> f.md',
    'page G -> g.md',
  ])
  const { groups, issues } = parseSummary(source)
  assert.equal(
    groups.map(({ title, entries }) => [title, entries.length]),
    [
      [null, 5],
      ['G', 2],
    ],
  )
  assert.equal(
    issues.map(({ line }) => line),
    [8, 10, 17],
  )
})

test('entries are nested by the rules of CommonMark', () => {
  assert.equal(read('* a\n  * b\n    * c\n* d'), ['text a', '  text b', '    text c', 'text d'])
  assert.equal(read('* a\n    * b\n        * c\n'), ['text a', '  text b', '    text c'])
  assert.equal(read('* a\n\t* b\n\t\t* c\r\n'), ['text a', '  text b', '    text c'])
  assert.equal(read('* a\r * b\r  * c\r'), ['text a', 'text b', 'text c'])
  assert.equal(read('* a\n      * b\n'), ['text a * b'])
  assert.equal(read('* a\n\n  * b\n\n* c\n'), ['text a', '  text b', 'text c'])
  assert.equal(read('\ufeff* a\nlazy\n'), ['text a lazy'])
  assert.equal(read('* - + x\n'), ['text ', '  text ', '    text x'])
  assert.equal(read('*\n  * a\n'), ['text ', '  text a'])
  assert.equal(read('    * code\n'), [])
  assert.equal(read('<!--\n* a\n\n* b\n-->\n* c\n'), ['text c'])
  assert.equal(read('```\n* a\n```\n* b'), ['text b'])
  assert.equal(read('> * a\n\n* b'), ['text b'])
  assert.equal(read('* a\n  1. b\n     * c\n  * d\n'), [
    'text a',
    '  text b',
    '    text c',
    '  text d',
  ])
  assert.equal(read('1. a\n   1) b\n2. c\n'), ['text a', '  text b', 'text c'])
})

test('groups, rules and anchors', () => {
  const source =
    '# T\n\n* a\n\n## One *x* <a href="#o" id="o"></a>\n\n* b\n\nTwo\n---\n* c\n\n* * *\n* d\n---\n'
  const { groups, title, issues } = parseSummary(source)
  assert.is(title, 'T')
  const shown = groups.map(group => [
    group.title,
    group.anchor,
    group.entries.map(entry => entry.title).join(),
  ])

  assert.equal(shown, [
    [null, undefined, 'a'],
    ['One x', 'o', 'b'],
    ['Two', undefined, 'c'],
    [null, undefined, 'd'],
    [null, undefined, ''],
  ])
  assert.equal(issues, [])
  assert.is(
    groups.map(({ range }) => source.slice(range.start, range.end)).join(''),
    source.slice(5),
  )
})

test('a fenced block of YAML is a computed entry', () => {
  const source =
    '* [E](e/README.md)\n  * ```yaml\n    type: x\n    props:\n      a: true\n    ```\n* ```yaml\n  a: 1\n  ```\n'
  const [first, second] = parseSummary(source).groups[0]!.entries
  assert.is(first!.children[0]!.kind, 'computed')
  assert.is(first!.children[0]!.yaml, 'type: x\nprops:\n  a: true\n')
  assert.is(second!.yaml, 'a: 1\n')
  assert.is(source.slice(second!.lines.start), '* ```yaml\n  a: 1\n  ```\n')
})

test('content without a meaning becomes an issue', () => {
  const { groups, issues } = parseSummary(
    '# T\ntext\n\n### deep\n\n1. one\n* [a](b) and more\n\n  second\n',
  )
  assert.is(groups[0]!.entries.length, 2)
  assert.equal(
    issues.map(({ line }) => line),
    [2, 4, 7, 9],
  )
})

test('front matter above the list is not a heading', () => {
  assert.equal(read('---\ndescription: x\n---\n\n# T\n\n* a\n'), ['text a'])
  assert.is(parseSummary('---\n\n* a\n\n---\n').groups.length, 2)
})

test('hostile files are parsed in linear time and without deep recursion', () => {
  const sources = [
    '* [a](b.md)\n'.repeat(100_000),
    `${'* '.repeat(10_000)}x`,
    `${'- '.repeat(10_000)}x\n${'\n'.repeat(20_000)}y`,
    Array.from({ length: 2000 }, (_, depth) => `${'  '.repeat(depth)}* [a](b.md)\n`).join(''),
    `* ${'['.repeat(300_000)}`,
    `* ${'[]('.repeat(100_000)}`,
    `* ${'](<'.repeat(100_000)}`,
    `* ${'] '.repeat(150_000)}(a`,
    `* ${'[a] (b '.repeat(50_000)}`,
    `* [a](b ${'" '.repeat(100_000)}"`,
    `${'[a](b c\\\n'.repeat(30_000)}`,
    `${'[a]('.repeat(80_000)}`,
    `* [a](b) ${'.md)'.repeat(80_000)}x`,
    `* [a](b c${'\\'.repeat(300_000)}x`,
    `* ${'<!-- '.repeat(100_000)}`,
    `* ${'*a **a '.repeat(50_000)}`,
    `${'> - '.repeat(3000)}\n${'>\n'.repeat(50_000)}`,
    `## ${'<a '.repeat(100_000)}`,
  ]

  for (const source of sources) {
    let groups: ReturnType<typeof parseSummary>['groups'] = []
    const took = leastCpuTime(() => {
      groups = parseSummary(source).groups
    }, 15_000)
    assert.ok(took < 15_000, `${source.slice(0, 10)} took ${took} ms`)
    const deepest = Math.max(
      0,
      ...groups
        .flatMap(group => outline(group.entries).slice(0, 70))
        .map(line => line.search(/\S/)),
    )

    assert.ok(deepest <= 126)
  }

  const deep = parseSummary(sources[3]!)
  assert.is(outline(deep.groups[0]!.entries).length, 2000)
  assert.is(deep.issues.length, 1)
})

test('real tables of contents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'summary-'))
  try {
    for (const { name, source, commit, roots } of readCorpora()) {
      const repo = join(folder, name)
      execFileSync('git', ['clone', '-q', '--bare', source, repo], { stdio: 'ignore' })

      for (const { root, summary: wanted } of roots) {
        const path = root === '.' ? 'SUMMARY.md' : `${root}/SUMMARY.md`
        const source = execFileSync('git', ['-C', repo, 'show', `${commit}:${path}`], {
          encoding: 'utf8',
        })
        const summary = parseSummary(source)
        const all = (entries: SummaryEntry[]): SummaryEntry[] =>
          entries.flatMap(entry => [entry, ...all(entry.children)])
        const entries = summary.groups.flatMap(group => all(group.entries))
        const depths: Record<string, number> = {}

        for (const { depth } of entries) depths[depth] = (depths[depth] ?? 0) + 1
        assert.is(summary.title, wanted.heading)
        assert.is(entries.length, wanted.entries)
        assert.is(entries.filter(({ kind }) => kind === 'page').length, wanted.file)
        assert.is(entries.filter(({ kind }) => kind === 'text').length, wanted.text)
        assert.is(entries.filter(({ kind }) => kind === 'computed').length, wanted.computed)
        assert.is(
          entries.filter(({ linkTitle }) => linkTitle !== undefined).length,
          wanted.linkTitles,
        )
        assert.is(summary.groups.filter(({ title }) => title !== null).length, wanted.groups)
        assert.is(summary.groups.filter(({ rule }) => rule).length, wanted.separators)
        assert.equal(depths, wanted.depthHist)
        assert.equal(summary.issues, [])
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.run()
