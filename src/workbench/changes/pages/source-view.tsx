import type { SourceLine } from '../../../content/changes/source.ts'
import type { Source } from './load.ts'

/** How many lines around a change are shown, and how many unchanged ones are folded at least. */
const around = 3
const leastFolded = 4

/** The most lines that are written, and the most in a fold. */
const mostLines = 4_000
const mostFolded = 1_000

type Run = { lines: readonly SourceLine[]; isFolded: boolean }

/** Returns lines in runs: long runs of unchanged ones are folded, but for those next to a change. */
function runsOf(lines: readonly SourceLine[]): Run[] {
  const runs: Run[] = []
  let at = 0
  while (at < lines.length) {
    let end = at
    const isSame = lines[at]!.kind === 'same'
    while (end < lines.length && (lines[end]!.kind === 'same') === isSame) end++
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

/** Returns the lines of a text in two versions, with what differs marked. */
export function SourceView({ source }: { source: Source }) {
  if ('why' in source) return <p class="muted">{source.why}</p>
  if (source.lines.every(({ kind }) => kind === 'same'))
    return <p class="muted">The text is the same.</p>
  let left = mostLines
  const runs = []

  for (const run of runsOf(source.lines)) {
    if (left <= 0) break
    runs.push({
      ...run,
      lines: run.isFolded ? run.lines : run.lines.slice(0, left),
      all: run.lines.length,
    })
    if (!run.isFolded) left -= run.lines.length
  }

  return (
    <>
      <section class="source" aria-label="Source with changes">
        {runs.map(run =>
          run.isFolded ? <Folded lines={run.lines} /> : <Lines lines={run.lines} />,
        )}
      </section>
      {left <= 0 && <p class="muted">The rest is left out: compare it with “git diff”.</p>}
    </>
  )
}

function Folded({ lines }: { lines: readonly SourceLine[] }) {
  const said = `${lines.length} lines unchanged`
  if (lines.length > mostFolded) return <p class="fold">{said}</p>
  return (
    <details class="unchanged">
      <summary>{said}</summary>
      <Lines lines={lines} />
    </details>
  )
}

const signs = { same: ' ', removed: '−', added: '+' }
const spoken = { same: undefined, removed: 'removed', added: 'added' }

const Lines = ({ lines }: { lines: readonly SourceLine[] }) => (
  <table>
    <tbody>
      {lines.map(({ kind, before, after, pieces }) => (
        <tr class={kind === 'same' ? undefined : kind}>
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
        </tr>
      ))}
    </tbody>
  </table>
)
