import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { markChanges } from '../../../src/content/changes/mark-changes.ts'
import { pageTree } from '../../../src/content/markup/parse.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { largeCorpora, smallHistory } from '../../support/corpus/corpora.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { isLongRun } from '../../support/long-run.ts'
import { assertMarked } from '../../support/marked-page.ts'

/** The number of edits: of the checkout in every run, and of the large corpora in a long run. */
const ofCheckout = 60
const ofCorpora = 300
const warm = 20
const markdown = new MarkdownIt({ html: true })
const folder = mkdtempSync(join(tmpdir(), 'stemma-edits-'))

test.after(() => rmSync(folder, { recursive: true, force: true }))

type Edit = { label: string; before: string; after: string }

/** Returns as many edits of pages as asked for, spread over the history of a repository. */
function editsOf(name: string, source: string, commit: string, count: number): Edit[] {
  const dir = join(folder, name)
  gitOutside(folder, ['init', '-q', '--bare', dir])
  gitOutside(dir, ['fetch', '-q', source, `${commit}:refs/heads/main`])
  const log = gitOutside(dir, [
    ...[
      'log',
      '--no-merges',
      '--no-renames',
      '--diff-filter=M',
      '--raw',
      '--no-abbrev',
      '--format=',
      'main',
    ],
    ...['--', '*.md', ':(exclude)*SUMMARY.md'],
  ])
  const lines = log.split('\n').filter(line => line !== '')
  const step = Math.max(1, lines.length / count)
  const chosen = Array.from(
    { length: Math.min(count, lines.length) },
    (_, at) => lines[Math.floor(at * step)]!,
  )

  return chosen.map(line => {
    const [, , before = '', after = ''] = line.split(/\s+/)
    const read = (oid: string) => gitOutside(dir, ['cat-file', 'blob', oid])
    return { label: line.split('\t')[1] ?? line, before: read(before), after: read(after) }
  })
}

/** Returns the edits of a run. */
function chosenEdits(): Edit[] {
  const { name, source, commit } = smallHistory()
  const own = editsOf(name, source, commit, ofCheckout)
  const corpora = isLongRun ? largeCorpora() : []
  const share = Math.ceil(ofCorpora / Math.max(1, corpora.length))
  return [...own, ...corpora.flatMap(each => editsOf(each.name, each.source, each.commit, share))]
}

test('edits of real histories: the marked page contains both versions, in time', () => {
  const edits = chosenEdits()
  assert.ok(edits.length >= ofCheckout, `${edits.length} edits`)
  const times: number[] = []

  // The same processor renders the same texts with markdown-it alone: a slow or busy machine slows
  // both down.
  let reference = 0

  // The compiler of a new process is busy with the first ones.
  for (const { before, after } of edits.slice(0, warm)) {
    atOnce(markChanges(atOnce(pageTree(before)), atOnce(pageTree(after))))
    for (const text of [before, after]) markdown.render(text)
  }

  for (const { label, before, after } of edits) {
    const versions = [atOnce(pageTree(before)), atOnce(pageTree(after))] as const
    const start = cpuTime()
    const page = atOnce(markChanges(...versions))
    const end = cpuTime()

    times.push(end - start)
    for (const text of [before, after]) markdown.render(text)
    reference += cpuTime() - end

    try {
      assertMarked(page, ...versions)
    } catch (error) {
      throw new Error(`${label}: ${(error as Error).message}`, { cause: error })
    }
  }

  times.sort((a, b) => a - b)
  const average = times.reduce((sum, time) => sum + time, 0) / times.length
  const slow = times[Math.floor(times.length * 0.95)]!
  const rendered = reference / times.length
  const figures = `${edits.length} edits: ${average.toFixed(2)} ms on average, ${slow.toFixed(2)} ms at the 95th percentile; markdown-it ${rendered.toFixed(2)} ms`

  console.log(figures)
  assert.ok(average <= rendered && slow <= 5 * rendered, figures)
})

test.run()
