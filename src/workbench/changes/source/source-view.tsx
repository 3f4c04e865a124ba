import type { ComponentChildren } from 'preact'
import type { SourceLine } from '../../../content/changes/source.ts'
import { A } from '../../parts/link.tsx'
import type { Source } from './load-source.ts'

/** How many lines around a change are shown, and how many unchanged ones are folded at least. */
const around = 3
const leastFolded = 4

/**
 * The most lines that are written by default, and in folds; the most lines of a fold; the most characters of lines
 * that are not folded, and of those that are.
 */
const mostLines = 4_000
const mostInFolds = 10_000
const mostFolded = 1_000
const mostCharacters = 1_500_000

const gitShowsIt = 'The rest is left out: compare it with “git diff”.'

/** Lines next to each other; `isClosed` of folded ones that are only counted. */
type Run = { lines: readonly SourceLine[]; isFolded: boolean; isClosed?: boolean }

/** Returns lines in runs: long runs of unchanged ones are folded, but for those next to a change. */
function runsOf(lines: readonly SourceLine[], below: LineNotes['below']): Run[] {
  const runs: Run[] = []
  const isQuiet = (line: SourceLine): boolean => line.kind === 'same' && !below(line)
  let at = 0
  while (at < lines.length) {
    let end = at
    const isSame = isQuiet(lines[at]!)
    while (end < lines.length && isQuiet(lines[end]!) === isSame) end++
    const [from, to] = isSame
      ? [at === 0 ? at : at + around, end === lines.length ? end : end - around]
      : [at, at]
    if (isSame && to - from >= leastFolded) {
      runs.push({ lines: lines.slice(at, from), isFolded: false })
      runs.push({ lines: lines.slice(from, to), isFolded: true })
      runs.push({ lines: lines.slice(to, end), isFolded: false })
    } else runs.push({ lines: lines.slice(at, end), isFolded: false })
    at = end
  }

  return runs.filter(run => run.lines.length > 0)
}

/** What stands at lines: below one, and where a comment on it begins. */
export type LineNotes = {
  below: (line: SourceLine) => ComponentChildren
  /** A path of the workbench; undefined for a line that takes no comment. */
  add: (line: SourceLine) => string | undefined
}

type SourceProps = {
  source: Source
  most?: number
  rest?: ComponentChildren
  notes?: LineNotes | undefined
}

const noNotes: LineNotes = { below: () => undefined, add: () => undefined }

/** Returns the lines of a text in two versions, with what differs marked; `rest` stands for those left out. */
export function SourceView(props: SourceProps) {
  const { source, most = mostLines, rest = gitShowsIt, notes = noNotes } = props
  if ('why' in source) return <p class="muted">{source.why}</p>
  const isSame = source.lines.every(({ kind }) => kind === 'same')
  if (isSame && !props.notes) return <p class="muted">The text is the same.</p>
  const { runs, isCut } = fit(runsOf(source.lines, notes.below), most)

  return (
    <>
      {isSame && <p class="muted">The text is the same.</p>}
      <section class="source" aria-label="Source with changes">
        {runs.map(run =>
          run.isFolded ? (
            <Folded {...run} notes={notes} />
          ) : (
            <Lines lines={run.lines} notes={notes} />
          ),
        )}
      </section>
      {isCut && <p class="muted">{rest}</p>}
    </>
  )
}

/** Cuts runs so that they fit into a page. */
function fit(runs: readonly Run[], most: number): { runs: Run[]; isCut: boolean } {
  const open = { lines: most, characters: mostCharacters }
  const folded = { lines: mostInFolds, characters: mostCharacters }
  const shown: Run[] = []

  for (const run of runs) {
    const left = run.isFolded ? folded : open
    const lines = []
    for (const line of run.lines) {
      left.lines--
      left.characters -= line.pieces.reduce((sum, { text }) => sum + text.length, 0)
      if (left.lines < 0 || left.characters < 0) break
      lines.push(line)
    }
    const isWhole = lines.length === run.lines.length
    if (run.isFolded) {
      const isClosed = !isWhole || run.lines.length > mostFolded
      shown.push({ ...run, isClosed })
      continue
    }
    shown.push({ ...run, lines })
    if (!isWhole) return { runs: shown, isCut: true }
  }

  return { runs: shown, isCut: false }
}

function Folded({ lines, isClosed, notes }: Run & { notes: LineNotes }) {
  const said = `${lines.length} lines unchanged`
  if (isClosed) return <p class="fold">{said}</p>
  return (
    <details class="unchanged">
      <summary>{said}</summary>
      <Lines lines={lines} notes={notes} />
    </details>
  )
}

const signs = { same: ' ', removed: '−', added: '+' }
const spoken = { same: undefined, removed: 'removed', added: 'added' }

type LinesProps = { lines: readonly SourceLine[]; notes: LineNotes }

const Lines = ({ lines, notes }: LinesProps) => (
  <table>
    <tbody>
      {lines.map((line, at) => (
        <Line
          line={line}
          notes={notes}
          isStart={line.kind !== 'same' && (lines[at - 1]?.kind ?? 'same') === 'same'}
        />
      ))}
    </tbody>
  </table>
)

type LineProps = { line: SourceLine; notes: LineNotes; isStart: boolean }

/** Returns a line; `isStart` of the first one of a change. */
function Line({ line, notes, isStart }: LineProps) {
  const { kind, before, after, pieces } = line
  const add = notes.add(line)
  const below = notes.below(line)
  return (
    <>
      <tr class={kind === 'same' ? undefined : kind} data-change={isStart ? '' : undefined}>
        <td class="no">{before}</td>
        <td class="no">{after}</td>
        <td class="sign">
          <span aria-hidden="true">{signs[kind]}</span>
          {spoken[kind] && <span class="sr">{spoken[kind]}</span>}
        </td>
        <td class="text" dir="auto">
          {pieces.map(({ text, isChanged }) =>
            isChanged ? kind === 'removed' ? <del>{text}</del> : <ins>{text}</ins> : text,
          )}
        </td>
        {notes !== noNotes && (
          <td class="add">
            {add !== undefined && (
              <A to={add} class="plus" label={`Comment on line ${after}`}>
                +
              </A>
            )}
          </td>
        )}
      </tr>
      {below && (
        <tr class="below">
          <td colSpan={5}>{below}</td>
        </tr>
      )}
    </>
  )
}
