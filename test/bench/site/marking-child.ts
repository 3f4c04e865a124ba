import { readFileSync } from 'node:fs'
import { markChanges } from '../../../src/content/changes/mark-changes.ts'
import { pageTree } from '../../../src/content/markup/parse.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { cpuTime } from '../../support/cpu-time.ts'

/**
 * The processor time in milliseconds of each edit of a page, from two texts to one tree with marks.
 */
export type Marking = number[]

const edits: { before: string; after: string }[] = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
)

const mark = (before: string, after: string) =>
  atOnce(markChanges(atOnce(pageTree(before)), atOnce(pageTree(after))))

// The compiler of a new process is busy with the first ones.
for (const { before, after } of edits.slice(0, 40)) mark(before, after)
const taken: Marking = edits.map(({ before, after }) => {
  const started = cpuTime()
  mark(before, after)
  return cpuTime() - started
})
process.send?.(taken)
process.disconnect?.()
