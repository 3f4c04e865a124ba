import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Corpus, largeCorpora } from '../../support/corpus/corpora.ts'
import type { Figure } from '../figure.ts'
import { git } from '../git.ts'
import { runBundled } from './bundle.ts'
import type { Marking } from './marking-child.ts'

/** How many edits of each handbook are marked. */
const perHandbook = 150

/**
 * What changed in a page, marked in it, for real edits. Nothing on machines without handbooks that
 * have a history.
 */
export async function marking(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const corpus of largeCorpora().slice(0, 2)) {
    const taken = (await markAll(corpus)).toSorted((a, b) => a - b)
    const work = `changes of a page marked, ${taken.length} edits of ${corpus.name}, processor time`
    const mean = taken.reduce((sum, ms) => sum + ms, 0) / taken.length
    const p95 = taken[Math.floor(taken.length * 0.95)]!

    figures.push(
      {
        work: `${work}, mean`,
        value: mean,
        unit: 'ms',
        target: { of: 'figure', is: 'at most', value: 5 },
      },
      {
        work: `${work}, p95`,
        value: p95,
        unit: 'ms',
        target: { of: 'figure', is: 'at most', value: 25 },
      },
    )
  }

  return figures
}

async function markAll({ source, commit }: Corpus): Promise<Marking> {
  const folder = await mkdtemp(join(tmpdir(), 'stemma-bench-marks-'))
  try {
    await git(folder, ['init', '-q', '--bare'])
    await git(folder, ['fetch', '-q', source, `${commit}:refs/heads/main`])
    const edits = await editsIn(folder)
    const file = join(folder, 'edits.json')
    await writeFile(file, JSON.stringify(edits))
    return await runBundled<Marking>('marking-child', [file])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns edits of pages, spread over a history. */
async function editsIn(dir: string): Promise<{ before: string; after: string }[]> {
  const log = await git(dir, [
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
  const lines = log.toString().split('\n').filter(Boolean)
  const step = Math.max(1, lines.length / perHandbook)
  const chosen = Array.from(
    { length: Math.min(perHandbook, lines.length) },
    (_, at) => lines[Math.floor(at * step)]!,
  )
  const read = async (oid = '') => (await git(dir, ['cat-file', 'blob', oid])).toString()
  const edits: { before: string; after: string }[] = []

  for (const line of chosen) {
    const [, , before, after] = line.split(/\s+/)
    edits.push({ before: await read(before), after: await read(after) })
  }

  return edits
}
