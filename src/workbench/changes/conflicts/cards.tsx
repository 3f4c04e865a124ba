import type { ComponentChildren } from 'preact'
import type { Conflict } from '../../../actions/revisions/name-conflicts.ts'
import { Choice, TextArea } from '../../parts/form.tsx'
import { fieldName } from './fields.ts'
import { ResultOf } from './result-view.tsx'
import type { Results } from './results.ts'

/** What the two sides of a conflict are called. */
type SideNames = { ours: string; theirs: string }

type CardsProps = { conflicts: readonly Conflict[]; names: SideNames; results: Results }

/** Returns a card for each file in conflict, with a choice for each place that both sides changed. */
export const ConflictCards = ({ conflicts, names, results }: CardsProps) => (
  <>
    {conflicts.map((conflict, at) => (
      <Card conflict={conflict} names={names}>
        <ResultOf id={`result-${at}`} path={conflict.path} result={results?.get(conflict.path)} />
      </Card>
    ))}
  </>
)

type CardProps = { conflict: Conflict; names: SideNames; children: ComponentChildren }

function Card({ conflict, names, children }: CardProps) {
  const { path, type, hunks = [], entries } = conflict
  return (
    <section class="conflict" aria-label={path}>
      <h2>
        <code>
          <bdi>{path}</bdi>
        </code>
        {type !== 'content' && <span class="muted small"> {type}</span>}
      </h2>
      {entries
        ? entries.map(entry => <EntryRow path={path} entry={entry} names={names} />)
        : hunks.map(hunk => <HunkRow path={path} hunk={hunk} names={names} />)}
      {!entries && hunks.length === 0 && <FileRow path={path} type={type} names={names} />}
      {children}
    </section>
  )
}

type OfEntry = { path: string; names: SideNames; entry: NonNullable<Conflict['entries']>[number] }

function EntryRow({ path, names, entry: { entry, base, ours, theirs } }: OfEntry) {
  const said = (side: typeof ours) =>
    side === undefined
      ? 'no entry'
      : [
          `“${side.title}”`,
          side.target && `→ ${side.target}`,
          side.parent && `below “${side.parent}”`,
          side.after && `after “${side.after}”`,
        ]
          .filter(Boolean)
          .join(' ')
  return (
    <div class="hunk">
      {base && <p class="small muted">Before: {said(base)}</p>}
      <Choice
        name={fieldName('entry', path, entry)}
        label={`The entry ${(ours ?? theirs ?? base)?.title ?? entry}`}
        required
        options={[
          { value: 'ours', title: names.ours, hint: said(ours) },
          { value: 'theirs', title: names.theirs, hint: said(theirs) },
        ]}
      />
    </div>
  )
}

type OfHunk = { path: string; names: SideNames; hunk: NonNullable<Conflict['hunks']>[number] }

function HunkRow({ path, names, hunk: { hunk, base, ours, theirs, lines } }: OfHunk) {
  return (
    <div class="hunk">
      <div class="hunk-sides">
        <Side title={names.ours} text={ours} />
        <Side title={names.theirs} text={theirs} />
      </div>
      <details>
        <summary>Before both</summary>
        <pre>{base || '(nothing)'}</pre>
      </details>
      <Choice
        name={fieldName('hunk', path, hunk)}
        label={`Text at line ${lines.ours}`}
        required
        options={[
          { value: 'ours', title: names.ours },
          { value: 'theirs', title: names.theirs },
          { value: 'both', title: 'Both, in this order' },
          { value: 'write', title: 'The text below' },
        ]}
      />
      <TextArea
        name={fieldName('text', path, hunk)}
        label="Text to write instead"
        value={ours}
        rows={Math.min(12, 2 + ours.split('\n').length)}
      />
    </div>
  )
}

const Side = ({ title, text }: { title: string; text: string }) => (
  <div>
    <p class="small muted">{title}</p>
    <pre dir="auto">{text === '' ? '(removed)' : text}</pre>
  </div>
)

type OfFile = { path: string; type: string; names: SideNames }

function FileRow({ path, type, names }: OfFile) {
  return (
    <div class="hunk">
      <Choice
        name={fieldName('file', path)}
        label={`The file (${type})`}
        required
        options={[
          { value: 'ours', title: names.ours },
          { value: 'theirs', title: names.theirs },
        ]}
      />
    </div>
  )
}
