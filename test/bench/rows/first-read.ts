import { join } from 'node:path'
import { corpora, corpus } from '../corpus.ts'
import { forgetDerived } from '../derived.ts'
import { clocked, type Figure, interleave, type Pace } from '../figure.ts'
import { git } from '../git.ts'
import { importSpaces, readPages } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

const shape = { pages: 1_070, bytes: 4_000, commits: 1 }

/**
 * The first list of a space's pages after a restart, and, without a target, the first list ever,
 * for which every page is parsed: data derived from pages is kept in the database from then on.
 */
export const firstRead = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [shape])
    const dir = join(corpora, await corpus(shape))
    const list = () => firstList(stemma, `${space!.path}/content/pages`)
    const ms = await interleave(pace.rounds, {
      git: () => clocked(() => readWithGit(dir)),
      kept: async () => {
        await stemma.restart()
        return list()
      },
      dropped: async () => {
        await stemma.restart(() => forgetDerived(stemma))
        return list()
      },
    })

    const reference = {
      what: 'git ls-tree -r, git cat-file --batch of its Markdown',
      value: ms.git,
    }
    const work = `first list of ${shape.pages} pages`
    const target = { of: 'ratio', is: 'at most', value: 1.5 } as const

    return [
      { work: `${work} after a restart`, value: ms.kept, unit: 'ms', reference, target },
      { work: `${work} ever, also after a restart`, value: ms.dropped, unit: 'ms', reference },
    ]
  })

async function firstList(stemma: Stemma, path: string): Promise<number> {
  const { ms, bytes } = await stemma.caller.call('GET', path)
  const { length } = readPages(JSON.parse(bytes.toString()))
  if (length !== shape.pages) throw new Error(`The list has ${length} pages, not ${shape.pages}.`)
  return ms
}

/** Two processes: the files, and the bytes of those that are Markdown. */
async function readWithGit(dir: string): Promise<void> {
  const listed = (await git(dir, ['ls-tree', '-r', 'main'])).toString()
  const oids = [...listed.matchAll(/^\d+ blob ([0-9a-f]+)\t.*\.md$/gm)].map(([, oid]) => oid)
  const bytes = await git(dir, ['cat-file', '--batch'], `${oids.join('\n')}\n`)
  if (bytes.length < shape.pages * shape.bytes) throw new Error('Git gave too few bytes.')
}
