import { join } from 'node:path'
import { corpora, corpus } from '../corpus.ts'
import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { git } from '../git.ts'
import { importSpaces } from '../space.ts'
import { withStemma } from '../stemma.ts'
import { imported } from './import.ts'

/** The revisions of one page. */
export const history = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [imported])
    const dir = join(corpora, await corpus(imported))
    const fileAt = (time: number) => space!.pages[(time * 37) % space!.pages.length]!.file
    const revisions = (file: string) => `${space!.path}/revisions?path=${encodeURIComponent(file)}`
    const log = (file: string) => ['log', '--format=%H', 'main', '--', file]

    const first = await stemma.caller.call('GET', revisions(fileAt(0)))

    for (let time = 0; time < 20; time++) {
      const { items } = await stemma.caller.json('GET', revisions(fileAt(time)))
      const ours = items.map((item: { id: string }) => item.id).join('\n')
      const theirs = (await git(dir, log(fileAt(time)))).toString().trim()
      if (ours !== theirs) throw new Error(`The revisions of ${fileAt(time)} differ from git log.`)
    }

    const ms = await interleave(pace.rounds, {
      subject: round =>
        typical(
          100,
          async time => (await stemma.caller.call('GET', revisions(fileAt(round * 100 + time)))).ms,
        ),
      git: round =>
        typical(6, async time => {
          const started = performance.now()
          await git(dir, log(fileAt(round * 6 + time)))
          return performance.now() - started
        }),
    })

    return [
      {
        work: `revisions of one page of ${imported.pages} in ${imported.commits} commits, p50`,
        value: ms.subject,
        unit: 'ms',
        reference: { what: 'git log of the path', value: ms.git },
        target: { of: 'figure', is: 'under', value: 3 },
        note: `the first request took ${first.ms.toFixed(0)} ms`,
      },
    ]
  })
