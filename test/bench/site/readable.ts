import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { editPrimary } from '../editing.ts'
import type { Figure, Pace } from '../figure.ts'
import { git } from '../git.ts'
import { commitStream } from '../plumbing.ts'
import type { Space } from '../space.ts'
import { repositoryOf, type Stemma } from '../stemma.ts'

/** How many times a page changes in a round. */
const perRound = 20

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

/**
 * How long after a commit a reader gets the page with it: after an edit over the API, and after a
 * push.
 */
export async function readableAfter(
  stemma: Stemma,
  { space, path }: { space: Space; path: string },
  { rounds }: Pace,
): Promise<Figure[]> {
  const page = space.pages[0]!
  const edits: number[] = []
  const read = async () => (await stemma.caller.call('GET', path)).bytes.toString()

  for (let time = 0; time < rounds * perRound; time++) {
    const before = await read()
    await editPrimary(stemma, space, page)
    const started = performance.now()
    while ((await read()) === before)
      if (performance.now() - started > 10_000) throw new Error('It is not read.')
    edits.push(performance.now() - started)
  }

  const pushes = await afterPushes(stemma, { space, file: page.file, read }, rounds)

  return [...figures('an edit over the API', edits, 50, 300), ...figures('a push', pushes, 50, 300)]
}

type Pushing = { space: Space; file: string; read: () => Promise<string> }

async function afterPushes(
  stemma: Stemma,
  { space, file, read }: Pushing,
  rounds: number,
): Promise<number[]> {
  const taken: number[] = []
  const folder = await mkdtemp(join(tmpdir(), 'stemma-bench-push-'))
  const remote = repositoryOf(stemma, space.id)

  try {
    await git(folder, ['clone', '-q', '--bare', remote, 'a.git'])
    const dir = join(folder, 'a.git')
    for (let time = 0; time < rounds * 4; time++) {
      const word = `pushed${time}`
      const text = `# Pushed\n\nThe word is ${word}.\n`
      await git(
        dir,
        ['fast-import', '--quiet'],
        commitStream('refs/heads/main', 'refs/heads/main^0', file, text),
      )
      await git(dir, ['push', '-q', remote, 'main'])
      const started = performance.now()

      while (!(await read()).includes(word))
        if (performance.now() - started > 10_000) throw new Error('It is not read.')
      taken.push(performance.now() - started)
    }

    return taken
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function figures(after: string, taken: number[], p50: number, p99: number): Figure[] {
  const sorted = taken.toSorted((a, b) => a - b)
  const figure = (what: string, share: number, value: number): Figure => ({
    work: `a page is read with its change after ${after}, ${what}`,
    value: at(sorted, share),
    unit: 'ms',
    target: { of: 'figure', is: 'at most', value },
    note: `${sorted.length} changes`,
  })

  return [figure('p50', 0.5, p50), figure('p99', 0.99, p99)]
}
