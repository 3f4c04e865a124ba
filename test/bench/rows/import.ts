import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corpus } from '../corpus.ts'
import { forgetDerived } from '../derived.ts'
import { clocked, type Figure, interleave, type Pace } from '../figure.ts'
import { git } from '../git.ts'
import { fill, makeSpace, withRemote } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

/** The repository with which comparable systems were measured. */
export const imported = { pages: 2_000, bytes: 7_900, commits: 5_000 }

const allowed = { times: 1.5, more: 3_000 }

/** An import over HTTP until its pages can be read, without any data derived before. */
export const importRow = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const name = await corpus(imported)
    return withRemote(async ({ origin }) => {
      const remote = `${origin}/${name}`
      const ms = await interleave(Math.min(3, pace.rounds), {
        subject: () => importOnce(stemma, remote),
        clone: () => cloneOnce(remote),
      })
      const work = `import of ${imported.pages} pages, ${imported.commits} commits, until they can be read`
      const limit = ms.clone * allowed.times + allowed.more

      return [
        {
          work,
          value: ms.subject,
          unit: 'ms',
          reference: { what: 'git clone --bare of it', value: ms.clone },
          target: { of: 'figure', is: 'at most', value: Math.round(limit) },
          note: `the target is ${allowed.times} times the clone and ${allowed.more / 1000} s`,
        },
      ]
    })
  })

async function importOnce(stemma: Stemma, remote: string): Promise<number> {
  const { path } = await makeSpace(stemma)
  forgetDerived(stemma)
  let pages = 0
  const ms = await clocked(async () => {
    pages = (await fill(stemma, path, remote)).length
  })
  if (pages !== imported.pages) throw new Error(`The import has ${pages} pages.`)
  return ms
}

async function cloneOnce(remote: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'stemma-bench-clone-'))
  try {
    return await clocked(() => git(folder, ['clone', '-q', '--bare', remote, 'a.git']))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
