import * as fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  mergeChosen,
  mergeSummaries,
  summaryConflicts,
} from '../../../src/content/summary/merge.ts'
import { mergeEntries } from '../../../src/content/summary/merge-entries.ts'
import { parseSummary, type SummaryEntry } from '../../../src/content/summary/parse.ts'

const base = '# Summary\n\n* [First](first.md)\n* [Mid](mid.md)\n* [Last](last.md)\n'

const merge = (base: string, ours: string, theirs: string) => mergeEntries(base, ours, theirs).text

type Edit = (source: string) => string

const last = '* [Last](last.md)\n'
const edits: Record<string, Edit> = {
  'add at the top': source => source.replace('\n\n', '\n\n* [Top](top.md)\n'),
  'add at the end': source => `${source}* [End](end.md)\n`,
  'add below Last': source => `${source}  * [Child](child.md)\n`,
  'rename First': source => source.replace('[First](first.md)', '[Start](start.md)'),
  'rename Last': source => source.replace('[Last](last.md)', '[Final](final.md)'),
  'retitle Last': source => source.replace('[Last]', '[The last]'),
  'delete Last': source => source.replace(last, ''),
  'move Last to the top': source => source.replace(last, '').replace('\n\n', `\n\n${last}`),
}

/** Pairs that change the same entry in ways that do not fit. */
const conflicts = [
  'add below Last, delete Last',
  'rename Last, retitle Last',
  'rename Last, delete Last',
  'retitle Last, delete Last',
  'delete Last, move Last to the top',
]

/** Returns every entry as its parents and its target, in the order of the text. */
function pathsOf(source: string): string[] {
  const walk = (entries: readonly SummaryEntry[], above: string): string[] =>
    entries.flatMap(({ title, target, children }) => {
      const path = `${above}/${title} ${target}`
      return [path, ...walk(children, path)]
    })
  return parseSummary(source).groups.flatMap(({ entries }) => walk(entries, ''))
}

const names = Object.keys(edits)
const pairs = names.flatMap((a, at) => names.slice(at + 1).map(b => [a, b] as const))

test('of the 28 pairs of changes around neighbours, those of different entries merge', () => {
  assert.is(pairs.length, 28)
  for (const [a, b] of pairs) {
    const [one, two] = [edits[a]?.(base) ?? '', edits[b]?.(base) ?? '']
    const merged = mergeSummaries(base, one, two)
    const mirrored = mergeSummaries(base, two, one)
    const name = `${a}, ${b}`
    if (conflicts.includes(name)) {
      assert.equal([merged, mirrored], [undefined, undefined], name)
      continue
    }

    assert.ok(merged !== undefined && mirrored !== undefined, `${name} is a conflict`)
    assert.equal(pathsOf(merged).sort(), pathsOf(mirrored).sort(), name)
    for (const [before, after] of [
      [base, one],
      [base, two],
    ] as const) {
      const gone = pathsOf(before).filter(path => !pathsOf(after).includes(path))
      assert.not(
        pathsOf(merged).some(path => gone.includes(path)),
        `${name}: a removed entry is there`,
      )
    }
  }
})

/** Returns the entry of a target with its title and the titles above it; undefined without one. */
const lineOf = (source: string, target: RegExp) => pathsOf(source).find(path => target.test(path))

test('entries in conflict are named, and a choice for each of them merges the rest', () => {
  const added = `${base}* [End](end.md)\n`
  const more = (source: string) => source.replace('[First]', '[Start]')
  const below = (source: string) =>
    source.replace('(first.md)\n', '(first.md)\n  * [End](end.md)\n')

  for (const [a, b] of pairs.filter(([a, b]) => conflicts.includes(`${a}, ${b}`))) {
    const name = `${a}, ${b}`
    const [one, two] = [more(edits[a]?.(base) ?? ''), below(edits[b]?.(base) ?? '')]
    for (const texts of [
      [base, one, two],
      [base, two, one],
    ] as const) {
      const found = summaryConflicts(texts)
      if (name === 'add below Last, delete Last') {
        assert.is(found, undefined, name)
        continue
      }
      assert.equal(
        found?.map(({ entry }) => entry),
        ['> last.md'],
        name,
      )
      for (const side of ['ours', 'theirs'] as const) {
        const merged = mergeChosen(texts, new Map([['> last.md', side]])) ?? ''
        const wanted = side === 'ours' ? texts[1] : texts[2]
        const entry = /(last|final)\.md$/
        assert.is(lineOf(merged, entry), lineOf(wanted, entry), `${name}: ${side}`)
        assert.match(merged, '[Start](first.md)')
        assert.match(merged, '[End](end.md)')
      }
    }
  }

  const both = [
    added,
    added.replace('[End]', '[The end]'),
    added.replace('[End]', '[Fin]'),
  ] as const
  assert.equal(summaryConflicts(both), [
    {
      entry: '> end.md',
      base: { title: 'End', target: 'end.md', after: 'Last' },
      ours: { title: 'The end', target: 'end.md', after: 'Last' },
      theirs: { title: 'Fin', target: 'end.md', after: 'Last' },
    },
  ])
  assert.is(mergeChosen(both, new Map()), undefined)
})

test('of two entries that both sides added, the chosen one stays where its author put it', () => {
  const ours = base.replace('* [First]', '* [New](new.md)\n* [First]')
  const theirs = `${base}  * [Newer](new.md)\n`
  const choose = (side: 'ours' | 'theirs') =>
    mergeChosen([base, ours, theirs], new Map([['> new.md', side]]))
  assert.equal(pathsOf(choose('ours') ?? ''), pathsOf(ours))
  assert.equal(pathsOf(choose('theirs') ?? ''), pathsOf(theirs))
})

test('a title and a target of one entry, and its words and its place, merge', () => {
  const titled = base.replace('[Mid]', '[Middle]')
  const moved = base.replace('mid.md', 'guide/mid.md')
  const both = base.replace('[Mid](mid.md)', '[Middle](guide/mid.md)')
  assert.is(merge(base, titled, moved), both)
  assert.is(merge(base, moved, titled), both)
  const up = base
    .replace('* [Mid](mid.md)\n', '')
    .replace('* [First]', '* [Mid](mid.md)\n* [First]')

  assert.is(merge(base, titled, up), up.replace('[Mid]', '[Middle]'))
  assert.is(merge(base, up, titled), up.replace('[Mid]', '[Middle]'))
})

test('the form of other lines stays, and text around the entries that one side changed', () => {
  const form = (source: string) => source.replaceAll('* [', '-   [').replaceAll('\n', '\r\n')
  const ours = form(base).replace('[Last]', '[**Very** last]').replace('# Summary', '# Contents')
  const theirs = form(base).replace('-   [First]', '-   [New](new.md "Words")\r\n-   [First]')
  assert.is(
    merge(form(base), ours, theirs),
    ours.replace('-   [First]', '-   [New](new.md "Words")\r\n-   [First]'),
  )
  const heading = form(base).replace('-   [Last]', '\r\n## More\r\n\r\n-   [Last]')

  assert.is(merge(form(base), ours, heading), undefined)
})

test('edits of the same words, or of text beside words and target, are a conflict', () => {
  const titled = base.replace('(mid.md)', '(mid.md "Words")')
  const renamed = base.replace('[Mid](mid.md)', '[Middle](middle.md)')
  for (const [ours, theirs] of [
    [titled, renamed],
    [renamed, titled],
    [base.replace('[Mid]', '[One]'), base.replace('[Mid]', '[Two]')],
  ] as const)
    assert.is(mergeSummaries(base, ours, theirs), undefined)
  const end = `${titled}* [End](end.md)\n`

  assert.is(mergeSummaries(base, titled, `${base}* [End](end.md)\n`), end)
})

test('a rule that one side adds does not take entries to another group', () => {
  const ruled = '# Summary\n\n* [A](a.md)\n\n***\n\n* [C](c.md)\n'
  const ours = '# Summary\n\n* [A](a.md)\n\n***\n\n* [N](n.md)\n\n***\n\n* [See](c.md)\n'
  assert.is(mergeEntries(ruled, ours, `${ruled}* [E](e.md)\n`).text, undefined)
})

test('tables with many changes, and those beyond the limit of a table, are left to Git', () => {
  const list = (count: number, name: string) =>
    `# Summary\n\n${Array.from({ length: count }, (_, at) => `* [${name} ${at}](${name}-${at}.md)\n`).join('')}`
  const [before, after] = [list(5000, 'a'), list(5000, 'b')]
  assert.is(mergeEntries(before, after, before.replace('a 7]', 'x]')).text, undefined)
  assert.is(mergeSummaries(before, after, before.replace('a 7]', 'x]')), undefined)
  const large = '* a\n'.repeat(300_000)

  assert.is(mergeSummaries(large, `${large}* b\n`, `* c\n${large}`), undefined)
})

test('a subtree that one side moves takes along what the other side adds below it', () => {
  const tree = `${base}  * [Child](child.md)\n`
  const moved = `# Summary\n\n* [First](first.md)\n  * [Last](last.md)\n    * [Child](child.md)\n* [Mid](mid.md)\n`
  const grown = tree.replace('* [Child]', '* [New](new.md)\n  * [Child]')
  assert.is(
    merge(tree, moved, grown),
    moved.replace('    * [Child]', '    * [New](new.md)\n    * [Child]'),
  )
  assert.equal(pathsOf(merge(tree, grown, moved) ?? ''), [
    '/First first.md',
    '/First first.md/Last last.md',
    '/First first.md/Last last.md/New new.md',
    '/First first.md/Last last.md/Child child.md',
    '/Mid mid.md',
  ])
})

test('two entries that each side puts below the other are a conflict, and so are repeated targets', () => {
  const under = (parent: string, child: string) =>
    `# Summary\n\n* [${parent}](${parent}.md)\n  * [${child}](${child}.md)\n`
  const flat = '# Summary\n\n* [a](a.md)\n* [b](b.md)\n'
  assert.is(merge(flat, under('a', 'b'), under('b', 'a')), undefined)
  const twice = `${base}${last}`

  assert.is(merge(twice, `${twice}* [X](x.md)\n`, twice.replace('Mid', 'M')), undefined)
})

type Line = { name: string; title: string; deep: boolean }

const textOf = (lines: readonly Line[]): string =>
  `# Summary\n\n${lines
    .map(({ name, title, deep }, at) => `${deep && at > 0 ? '  ' : ''}* [${title}](${name}.md)\n`)
    .join('')}`

type Change = { kind: string; at: number; to: number; deep: boolean }

const change = fc.record({
  kind: fc.constantFrom('add', 'remove', 'retitle', 'move'),
  at: fc.nat(7),
  to: fc.nat(7),
  deep: fc.boolean(),
})

/** Returns entries, some of them nested, with random changes. */
const changed = (lines: readonly Line[], tag: string, list: Change[]) =>
  list.reduce<readonly Line[]>((now, { kind, at, to, deep }, count) => {
    const here = now.length === 0 ? 0 : at % now.length
    const line = now[here]
    if (kind === 'add' || !line) {
      const name = `${tag}${count}`
      return now.toSpliced(at % (now.length + 1), 0, { name, title: name, deep })
    }
    if (kind === 'remove') return now.toSpliced(here, 1)
    if (kind === 'retitle') return now.with(here, { ...line, title: `${line.title}${tag}` })
    const rest = now.toSpliced(here, 1)
    return rest.toSpliced(to % (rest.length + 1), 0, line)
  }, lines)

test('a merge has every change of both sides, or none', () => {
  const start = ['a', 'b', 'c', 'd', 'e'].map((name, at) => ({ name, title: name, deep: at === 2 }))
  const some = fc.array(change, { minLength: 1, maxLength: 2 })
  let [merges, tries] = [0, 0]
  fc.assert(
    fc.property(some, some, (mine, other) => {
      tries++
      const [before, ours, theirs] = [
        start,
        changed(start, 'o', mine),
        changed(start, 't', other),
      ].map(textOf) as [string, string, string]
      const merged = merge(before, ours, theirs)
      if (merged === undefined) return
      merges++
      const entries = (source: string) =>
        new Map(pathsOf(source).map(path => [path.split(' ').at(-1), path.split('/').at(-1)]))
      const [was, one, two, now] = [before, ours, theirs, merged].map(entries) as [
        Map<string, string>,
        Map<string, string>,
        Map<string, string>,
        Map<string, string>,
      ]

      for (const key of new Set([...was.keys(), ...one.keys(), ...two.keys()])) {
        const sides = [one.get(key), two.get(key)]
        const wanted = sides.find(side => side !== was.get(key)) ?? was.get(key)
        assert.is(now.get(key), sides.includes(undefined) && was.has(key) ? undefined : wanted, key)
      }
    }),
  )
  assert.ok(merges * 10 > tries, `${merges} of ${tries} were merged`)
})

test.run()
