import { type Change, checkEdited, merge, openChanged } from '../editing.ts'
import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { withPlumbing } from '../plumbing.ts'
import { importSpaces } from '../space.ts'
import { withStemma } from '../stemma.ts'
import { pageText, seeded } from '../words.ts'

const shape = { pages: 1_070, bytes: 4_000, commits: 1 }
const perRound = 6

/** Merges of one-page change requests that were all created before the first merge. */
export const mergeRow = (pace: Pace): Promise<Figure[]> =>
  withStemma(stemma =>
    withPlumbing(shape, async plumbing => {
      const [space] = await importSpaces(stemma, [shape])
      const random = seeded(4)
      const pages = space!.pages.slice(60, 60 + perRound * (pace.rounds + 1))
      const changes: Change[] = []

      for (const [index, page] of pages.entries()) {
        changes.push(await openChanged(stemma, space!, page))
        await plumbing.branch(`b-${index}`, 60 + index, pageText('Changed', shape.bytes, random))
      }

      const subject = (round: number) =>
        typical(perRound, time => merge(stemma, changes[round * perRound + time]!))
      const commands = (round: number) =>
        typical(perRound, async time => {
          const started = performance.now()
          await plumbing.merge(`b-${round * perRound + time}`)
          return performance.now() - started
        })

      await subject(pace.rounds)
      await commands(pace.rounds)
      const ms = await interleave(pace.rounds, { subject, commands })
      const last = await openChanged(stemma, space!, pages[3]!)

      await merge(stemma, last)
      await checkEdited(stemma, space!, pages[3]!)
      const work = `merge of a one-page change request, ${shape.pages} pages, p50`
      const reference = {
        what: 'merge-tree, commit-tree, update-ref, with core.fsync=all',
        value: ms.commands,
      }

      return [
        {
          work,
          value: ms.subject,
          unit: 'ms',
          reference,
          target: { of: 'ratio', is: 'at most', value: 1.5 },
        },
        { work, value: ms.subject, unit: 'ms', target: { of: 'figure', is: 'under', value: 30 } },
      ]
    }),
  )
