import { checkEdited, editChange, editPrimary, openChange } from '../editing.ts'
import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { withPlumbing } from '../plumbing.ts'
import { importSpaces } from '../space.ts'
import { withStemma } from '../stemma.ts'
import { pageText, seeded } from '../words.ts'

const shape = { pages: 1_070, bytes: 4_000, commits: 1 }
const perRound = 12

/** One-page edits, durable: of the primary content and of a change request. */
export const edit = (pace: Pace): Promise<Figure[]> =>
  withStemma(stemma =>
    withPlumbing(shape, async plumbing => {
      const [space] = await importSpaces(stemma, [shape])
      const pageAt = (time: number) => space!.pages[60 + ((time * 7) % 900)]!
      const random = seeded(3)
      const change = await openChange(stemma, space!)
      const primary = (times: number) =>
        typical(times, time => editPrimary(stemma, space!, pageAt(time)))
      const branch = (times: number) =>
        typical(times, time => editChange(stemma, space!, change, pageAt(time)))
      const commands = (times: number) =>
        typical(times, async time => {
          const text = pageText(`Page ${time}`, shape.bytes, random)
          const started = performance.now()
          await plumbing.edit(60 + time, text)
          return performance.now() - started
        })

      for (const each of [primary, branch, commands]) await each(5)
      const ms = await interleave(pace.rounds, {
        primary: () => primary(perRound),
        branch: () => branch(perRound),
        commands: () => commands(perRound),
      })

      await editPrimary(stemma, space!, pageAt(1))
      await checkEdited(stemma, space!, pageAt(1))

      return figuresOf(ms)
    }),
  )

function figuresOf(ms: { primary: number; branch: number; commands: number }): Figure[] {
  const reference = {
    what: 'hash-object, mktree twice, commit-tree, update-ref, with core.fsync=all',
    value: ms.commands,
  }
  const work = `one-page edit of ${shape.pages} pages, p50`
  return [
    {
      work: `${work}, primary content`,
      value: ms.primary,
      unit: 'ms',
      reference,
      target: { of: 'ratio', is: 'at most', value: 0.6 },
    },
    {
      work: `${work}, primary content`,
      value: ms.primary,
      unit: 'ms',
      target: { of: 'figure', is: 'under', value: 15 },
    },
    {
      work: `${work}, change request`,
      value: ms.branch,
      unit: 'ms',
      reference,
      target: { of: 'ratio', is: 'at most', value: 0.6 },
    },
  ]
}
