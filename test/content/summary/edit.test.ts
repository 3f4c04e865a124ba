import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  emptySummary,
  insertEntry,
  moveEntry,
  removeEntry,
  setEntryTarget,
  setEntryTitle,
} from '../../../src/content/summary/edit.ts'
import {
  insertGroup,
  moveGroup,
  removeGroup,
  setGroupTitle,
} from '../../../src/content/summary/groups.ts'
import {
  parseSummary,
  type Summary,
  type SummaryEntry,
} from '../../../src/content/summary/parse.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

const entry = (summary: Summary, ...path: number[]): SummaryEntry => {
  const [group, first, ...rest] = path
  return rest.reduce(
    (holder, index) => holder.children[index]!,
    summary.groups[group!]!.entries[first!]!,
  )
}
const x = { title: 'X', target: 'x.md' }

test('a new entry follows the style of the file', () => {
  const at = (source: string, index: number, ...parent: number[]) => {
    const summary = parseSummary(source)
    const place = {
      group: parent[0] ?? 0,
      index,
      ...(parent.length > 1 ? { parent: entry(summary, ...parent) } : {}),
    }
    return insertEntry(summary, place, x)
  }

  assert.is(at(emptySummary(), 0), '# Table of contents\n\n* [X](x.md)\n')
  assert.is(at('', 0), '* [X](x.md)\n')
  assert.is(at('# T', 0), '# T\n\n* [X](x.md)')
  assert.is(at('- a\n- b', 2), '- a\n- b\n- [X](x.md)')
  assert.is(at('- a\r\n- b\r\n', 0), '- [X](x.md)\r\n- a\r\n- b\r\n')
  assert.is(at('\ufeff* a\n', 0), '\ufeff* [X](x.md)\n* a\n')
  assert.is(at('* a\n\n* b\n', 1), '* a\n\n* [X](x.md)\n\n* b\n')
  assert.is(at('* a\n\n* b\n\n\n', 2), '* a\n\n* b\n\n* [X](x.md)\n\n\n')
  assert.is(at('* a\n* b\n', 0, 0, 0), '* a\n  * [X](x.md)\n* b\n')
  assert.is(at('* a\n    * b\n* c\n', 0, 0, 1), '* a\n    * b\n* c\n    * [X](x.md)\n')
  assert.is(at('- a\n\t- b\n- c', 0, 0, 1), '- a\n\t- b\n- c\n\t- [X](x.md)')
  assert.is(at('* a\n  * b\n    * c\n* d\n', 1, 0, 0), '* a\n  * b\n    * c\n  * [X](x.md)\n* d\n')
  assert.is(at('# T\n\n## G\n\n## H\n', 0, 0), '# T\n\n## G\n\n* [X](x.md)\n\n## H\n')
  assert.is(at('# T\n\n## G\n', 0, -1), '# T\n\n* [X](x.md)\n\n## G\n')
})

test('edits of numbered lists keep every other line, and the first number is 1', () => {
  const source = '1. [A](a.md)\n   1. [B](b.md)\n   2. [C](c.md)\n2. [D](d.md)\n'
  const summary = parseSummary(source)
  const [c, d] = [entry(summary, 0, 0, 1), entry(summary, 0, 1)]

  assert.is(
    insertEntry(summary, { group: 0, parent: d, index: 0 }, x),
    `${source}   1. [X](x.md)\n`,
  )
  assert.is(
    removeEntry(summary, entry(summary, 0, 0, 0)),
    '1. [A](a.md)\n   1. [C](c.md)\n2. [D](d.md)\n',
  )
  assert.is(
    moveEntry(summary, c, { group: 0, parent: d, index: 0 }),
    '1. [A](a.md)\n   1. [B](b.md)\n2. [D](d.md)\n   1. [C](c.md)\n',
  )
  assert.is(setEntryTitle(summary, d, 'E'), source.replace('[D]', '[E]'))
})

test('titles and targets are escaped as needed', () => {
  const made = (title: string, target?: string) =>
    insertEntry(
      parseSummary('* a\n'),
      { group: 0, index: 1 },
      { title, ...(target === undefined ? {} : { target }) },
    ).slice(4)

  assert.is(made('A [b] (c) *d*', 'a b.md'), '* [A \\[b\\] (c) \\*d\\*](<a b.md>)\n')
  assert.is(made('🛠️ SDKs & snake_case', 'x_(1).md'), '* [🛠️ SDKs & snake_case](<x_(1).md>)\n')
  assert.is(made('# not a heading'), '* \\# not a heading\n')
  assert.is(made('1. one'), '* 1\\. one\n')
})

test('links without list items stay, and neighbours are list items with a blank line between', () => {
  const source = '# T\n\n[A](a.md)\\\n[B](b c.md)\n\n- [C](c.md)\n'
  const summary = parseSummary(source)
  const [a, b, c] = summary.groups[0]!.entries
  const at = (index: number) => insertEntry(summary, { group: 0, index }, x)

  assert.is(at(0), source.replace('[A]', '- [X](x.md)\n\n[A]'))
  assert.is(at(1), source.replace('[B]', '\n- [X](x.md)\n\n[B]'))
  assert.is(at(2), source.replace('- [C]', '- [X](x.md)\n\n- [C]'))
  assert.is(at(3), `${source}\n- [X](x.md)\n`)
  assert.is(
    insertEntry(summary, { group: 0, parent: a!, index: 0 }, x),
    '# T\n\n- [A](a.md)\n  - [X](x.md)\n\n[B](b c.md)\n\n- [C](c.md)\n',
  )
  assert.is(
    moveEntry(summary, a!, { group: 0, parent: c!, index: 0 }),
    '# T\n\n[B](b c.md)\n\n- [C](c.md)\n  - [A](a.md)\n',
  )
  assert.is(removeEntry(summary, b!), source.replace('[B](b c.md)\n', ''))
  assert.is(setEntryTitle(summary, b!, 'D'), source.replace('[B]', '[D]'))
  assert.is(setEntryTarget(summary, b!, 'd e.md'), source.replace('b c.md', '<d e.md>'))
  const last = parseSummary('[A](a.md)')
  assert.is(insertEntry(last, { group: 0, index: 1 }, x), '[A](a.md)\n\n* [X](x.md)')
})

test('entries move with their children', () => {
  const source = '* a\n  * b\n    * c   \n* d\n'
  const summary = parseSummary(source)
  const d = entry(summary, 0, 1)
  assert.is(
    moveEntry(summary, entry(summary, 0, 0, 0), { group: 0, parent: d, index: 0 }),
    '* a\n* d\n  * b\n    * c   \n',
  )

  assert.is(
    moveEntry(summary, entry(summary, 0, 0, 0), { group: 0, index: 0 }),
    '* b\n  * c   \n* a\n* d\n',
  )
  assert.is(moveEntry(summary, d, { group: 0, index: 0 }), '* d\n* a\n  * b\n    * c   \n')
  assert.is(moveEntry(summary, d, { group: 0, index: 1 }), source)
  const bare = parseSummary('* a\n* b')

  assert.is(moveEntry(bare, entry(bare, 0, 0), { group: 0, index: 1 }), '* b\n* a')
  assert.is(moveEntry(bare, entry(bare, 0, 1), { group: 0, index: 0 }), '* b\n* a')
  assert.throws(() =>
    moveEntry(summary, entry(summary, 0, 0), {
      group: 0,
      parent: entry(summary, 0, 0, 0),
      index: 0,
    }),
  )
})

test('a title or a target changes without the other', () => {
  const summary = parseSummary(
    '*  [A **b**]( <a b.md> "t" )  \n* plain\n* [01](01\\_a.md)\n* [e]()\n',
  )
  const [first, second, third, fourth] = summary.groups[0]!.entries
  assert.ok(setEntryTitle(summary, first!, 'N]').startsWith('*  [N\\]]( <a b.md> "t" )  \n'))
  assert.ok(setEntryTarget(summary, first!, 'c.md').startsWith('*  [A **b**]( <c.md> "t" )  \n'))
  assert.ok(setEntryTarget(summary, second!, 'c.md').includes('\n* [plain](c.md)\n'))
  assert.ok(setEntryTitle(summary, second!, '+ x').includes('\n* \\+ x\n'))
  assert.ok(setEntryTarget(summary, third!, '02_b.md').includes('(02\\_b.md)'))
  assert.ok(setEntryTarget(summary, fourth!, 'f.md').includes('[e](f.md)'))
})

test('groups are added, renamed, moved and removed', () => {
  const source = '# T\n\n* a\n\n## One\n\n* b\n\n## Two <a href="#2" id="2"></a>\n\n* c\n'
  const summary = parseSummary(source)
  const [bare, one, two] = summary.groups
  const added = insertGroup(summary, 3, { title: 'New', anchor: 'n' })

  assert.is(added, `${source}\n## New <a href="#n" id="n"></a>\n`)
  const again = parseSummary(added)

  assert.is(removeGroup(again, again.groups[3]!), source)
  const middle = insertGroup(summary, 2, { title: 'New' })

  assert.is(middle, source.replace('## Two', '## New\n\n## Two'))
  assert.is(setGroupTitle(summary, two!, 'Zwei'), source.replace('Two', 'Zwei'))
  assert.is(
    setGroupTitle(summary, two!, 'Two', ''),
    source.replace(' <a href="#2" id="2"></a>', ''),
  )

  assert.is(
    setGroupTitle(summary, one!, 'One', '1'),
    source.replace('One', 'One <a href="#1" id="1"></a>'),
  )
  assert.is(removeGroup(summary, two!), '# T\n\n* a\n\n## One\n\n* b\n')
  assert.is(removeGroup(summary, one!), source.replace('## One\n\n* b\n\n', ''))
  assert.is(
    moveGroup(summary, two!, 1),
    '# T\n\n* a\n\n## Two <a href="#2" id="2"></a>\n\n* c\n\n## One\n\n* b\n',
  )
  assert.throws(() => insertGroup(summary, 0, { title: 'x' }))
  assert.throws(() => moveGroup(summary, bare!, 1))
})

type Style = {
  bullet: string
  indent: string
  eol: string
  final: boolean
  loose: boolean
  groups: number
}
const style: fc.Arbitrary<Style> = fc.record({
  bullet: fc.constantFrom('*', '-', '+', '1.', '1)', '* 1.'),
  indent: fc.constantFrom('  ', '    ', '\t', '   '),
  eol: fc.constantFrom('\n', '\r\n'),
  final: fc.boolean(),
  loose: fc.boolean(),
  groups: fc.integer({ min: 0, max: 2 }),
})
const write = ({ bullet, indent, eol, final, loose, groups }: Style, depths: number[]): string => {
  const parts = ['# Table of contents']
  for (let group = 0; group <= groups; group++) {
    if (group > 0) parts.push(`## Group ${group}`)
    let before = -1
    const counts: number[] = []
    const lines = depths.map((wanted, index) => {
      before = Math.min(wanted, before + 1)
      counts.length = before + 1
      const count = (counts[before] ?? 0) + 1
      counts[before] = count
      const step = indent === '  ' && bullet.includes('1') ? '   ' : indent
      const [odd = '', even = odd] = bullet.split(' ')
      const mark = (index % 2 ? even : odd).replace('1', String(count))
      return `${step.repeat(before)}${mark} [Entry ${index}](p${group}-${index}.md)`
    })
    parts.push(lines.join(loose ? eol + eol : eol))
  }

  return parts.join(eol + eol) + (final ? eol : '')
}
const file = fc
  .tuple(style, fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 }))
  .map(([how, depths]) => write(how, depths))
const titles = fc.oneof(fc.string(), anyText(), fc.stringMatching(/^[\][*_`<>()&#;~! a-]{1,12}$/))
const tidy = (text: string) => text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')
const all = (entries: SummaryEntry[]): SummaryEntry[] =>
  entries.flatMap(item => [item, ...all(item.children)])
const words = (summary: Summary) =>
  summary.groups.flatMap(group => all(group.entries).map(item => item.title + item.target))
const sound = (text: string) => text.isWellFormed() && !text.includes('\0')

test('any entry can be inserted at any place and removed again', () => {
  fc.assert(
    fc.property(
      file,
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      titles,
      titles,
      (source, pick, at, below, rawTitle, rawTarget) => {
        fc.pre(sound(rawTitle + rawTarget))
        const title = tidy(rawTitle) || 'x'
        const target = rawTarget.replace(/[\r\n]/g, '').trim() || 'y'
        const summary = parseSummary(source)
        const group = pick % summary.groups.length
        const holders = all(summary.groups[group]!.entries)
        const parent = below ? holders[pick % holders.length] : undefined
        const siblings = parent?.children ?? summary.groups[group]!.entries
        const index = at % (siblings.length + 1)
        const made = insertEntry(
          summary,
          { group, index, ...(parent ? { parent } : {}) },
          { title, target },
        )
        const after = parseSummary(made)
        const list = parent
          ? all(after.groups[group]!.entries).find(
              item => item.target === parent.target && item.title === parent.title,
            )!.children
          : after.groups[group]!.entries
        const found = list[index]!

        assert.is(found.title, title)
        assert.is(found.target, target)
        assert.is(list.length, siblings.length + 1)
        assert.is(removeEntry(after, found), source)
      },
    ),
    { numRuns: runs(1500) },
  )
})

test('any entry can move, and all others stay', () => {
  fc.assert(
    fc.property(file, fc.nat(), fc.nat(), fc.nat(), fc.boolean(), (source, pick, to, at, below) => {
      const summary = parseSummary(source)
      const every = summary.groups.flatMap(group => all(group.entries))
      const moving = every[pick % every.length]!
      const parent = every[to % every.length]!

      fc.pre(!all([moving]).includes(parent))
      const group = to % summary.groups.length
      const siblings = (below ? parent.children : summary.groups[group]!.entries).filter(
        item => item !== moving,
      )
      const index = at % (siblings.length + 1)
      const moved = parseSummary(
        moveEntry(summary, moving, { group, index, ...(below ? { parent } : {}) }),
      )

      assert.equal(words(moved).sort(), words(summary).sort())
      const there = moved.groups
        .flatMap(item => all(item.entries))
        .find(item => item.target === moving.target)!

      assert.equal(
        all([there]).map(item => item.title),
        all([moving]).map(item => item.title),
      )
    }),
    { numRuns: runs(1500) },
  )
})

/** Lines of a table of contents that are written in several ways, with text between them. */
const mixedLine = fc.constantFrom(
  (n: number) => `[E${n}](p${n}.md)`,
  (n: number) => `  [E${n}](p${n}.md)`,
  (n: number) => `[E${n}](p (${n}).md)\\`,
  (n: number) => `* [E${n}](p${n}.md)`,
  (n: number) => `  * [E${n}](p q ${n}.md)`,
  (n: number) => `1. [E${n}](p${n}.md)`,
  () => '',
  () => '',
  () => 'Words of a paragraph.',
  (n: number) => `## Group ${n}`,
)
const mixed = fc
  .tuple(fc.array(mixedLine, { minLength: 1, maxLength: 10 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, eol]) => lines.map((line, index) => line(index) + eol).join(''))
  .filter(source => parseSummary(source).groups.some(({ entries }) => entries.length > 0))
const wordsBut = (summary: Summary, gone: SummaryEntry) =>
  words(summary).filter(text => text !== gone.title + gone.target)

test('links without list items and paths with spaces keep their lines when other entries change', () => {
  fc.assert(
    fc.property(mixed, fc.nat(), fc.nat(), fc.boolean(), (source, pick, to, below) => {
      const summary = parseSummary(source)
      const every = summary.groups.flatMap(group => all(group.entries))
      const chosen = every[pick % every.length]!
      const group = to % summary.groups.length
      const parent = below ? every[to % every.length] : undefined
      const siblings = parent?.children ?? summary.groups[group]!.entries
      const place = { group, ...(parent && { parent }) }
      const linesOf = (text: string) =>
        text
          .split(/\r?\n/)
          .map(line => line.replace(/^[\s*]*(?:1\. )?|\\$/g, ''))
          .filter(line => line !== '')
          .sort()

      const added = insertEntry(summary, { ...place, index: pick % (siblings.length + 1) }, x)
      assert.equal(wordsBut(parseSummary(added), { ...chosen, ...x }), words(summary))
      assert.ok(words(parseSummary(added)).includes('Xx.md'), added)
      assert.equal(linesOf(added), [...linesOf(source), '[X](x.md)'].sort())

      const removed = parseSummary(removeEntry(summary, chosen))
      const rest = new Set(
        all(chosen.children)
          .concat(chosen)
          .map(each => each.title + each.target),
      )
      assert.equal(
        words(removed),
        words(summary).filter(text => !rest.has(text)),
      )

      if (parent && all([chosen]).includes(parent)) return
      const others = siblings.filter(each => each !== chosen).length
      const moved = moveEntry(summary, chosen, { ...place, index: to % (others + 1) })
      assert.equal(words(parseSummary(moved)).sort(), words(summary).sort())
      assert.equal(linesOf(moved), linesOf(source))
    }),
    { numRuns: runs(1500) },
  )
})

test('setting an entry to its current value does not change the file', () => {
  fc.assert(
    fc.property(file, fc.nat(), titles.filter(sound), (source, pick, raw) => {
      const summary = parseSummary(source)
      const every = summary.groups.flatMap(group => all(group.entries))
      const found = every[pick % every.length]!
      assert.is(setEntryTitle(summary, found, found.title), source)
      assert.is(setEntryTarget(summary, found, found.target!), source)
      const title = tidy(raw) || 'x'
      const named = setEntryTitle(summary, found, title)

      assert.ok(words(parseSummary(named)).includes(title + found.target))
      assert.is(named.split('\n').length, source.split('\n').length)
    }),
    { numRuns: runs(1000) },
  )
})

test.run()
