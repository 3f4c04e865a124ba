import { atLeast } from '../../../access/roles.ts'
import type { Conflict } from '../../../actions/revisions/name-conflicts.ts'
import type { View } from '../../frame/page.ts'
import { Choice, Form, Submit, TextArea } from '../../parts/form.tsx'
import { Empty, Section } from '../../parts/pieces.tsx'
import { Commands } from '../commands.tsx'
import type { RequestPage } from '../load-request.ts'
import { requestPath } from '../paths.ts'
import { requestView } from '../request-view.tsx'
import { fieldName } from './fields.ts'

type ConflictsPage = RequestPage & { conflicts: readonly Conflict[]; remote: string }

/** Returns the conflicts of a change request, with a choice for each place that both sides changed. */
export const conflictsView = (data: ConflictsPage): View =>
  requestView(data, 'conflicts', {
    body:
      data.conflicts.length === 0 ? (
        <Empty>
          <p>No conflicts: it can be merged with what is published.</p>
        </Empty>
      ) : (
        <>
          <Resolve {...data} />
          <WithGit {...data} />
        </>
      ),
  })

function Resolve({ place: { request, role }, conflicts }: ConflictsPage) {
  const cards = conflicts.map(conflict => <Card conflict={conflict} />)
  if (!atLeast(role, 'edit'))
    return (
      <>
        <p class="muted">Resolving conflicts needs the role “edit” in this space.</p>
        {cards}
      </>
    )

  return (
    <Form to={`${requestPath(request)}/conflicts`} label="Resolve conflicts">
      <p class="muted">
        Both this change request and what was published meanwhile changed the same places. Choose
        for each: the rest is merged already. All choices together become one merge commit on the
        branch.
      </p>
      {cards}
      <Submit kind="primary">Resolve and update</Submit>
    </Form>
  )
}

function Card({ conflict }: { conflict: Conflict }) {
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
        ? entries.map(entry => <EntryRow path={path} entry={entry} />)
        : hunks.map(hunk => <HunkRow path={path} hunk={hunk} />)}
      {!entries && hunks.length === 0 && <FileRow path={path} type={type} />}
    </section>
  )
}

type OfEntry = { path: string; entry: NonNullable<Conflict['entries']>[number] }

function EntryRow({ path, entry: { entry, base, ours, theirs } }: OfEntry) {
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
          { value: 'ours', title: 'This change request', hint: said(ours) },
          { value: 'theirs', title: 'Published', hint: said(theirs) },
        ]}
      />
    </div>
  )
}

type OfHunk = { path: string; hunk: NonNullable<Conflict['hunks']>[number] }

function HunkRow({ path, hunk: { hunk, base, ours, theirs, lines } }: OfHunk) {
  return (
    <div class="hunk">
      <div class="hunk-sides">
        <Side title="This change request" text={ours} />
        <Side title="Published" text={theirs} />
      </div>
      <details>
        <summary>Before both</summary>
        <pre>{base || '(nothing)'}</pre>
      </details>
      <Choice
        name={fieldName('hunk', path, hunk)}
        label={`What stands at line ${lines.ours}`}
        required
        options={[
          { value: 'ours', title: 'This change request' },
          { value: 'theirs', title: 'Published' },
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

function FileRow({ path, type }: { path: string; type: string }) {
  return (
    <div class="hunk">
      <Choice
        name={fieldName('file', path)}
        label={`The file (${type})`}
        required
        options={[
          { value: 'ours', title: 'As in this change request' },
          { value: 'theirs', title: 'As published' },
        ]}
      />
    </div>
  )
}

function WithGit({ place: { request }, remote }: ConflictsPage) {
  const branch = `change-requests/${request.number}`
  const commands = [
    `git fetch ${remote} ${branch}`,
    `git switch -c ${branch} FETCH_HEAD`,
    `git pull --no-rebase ${remote} HEAD`,
    '# resolve the conflicts in your editor, then',
    'git commit -a',
    `git push ${remote} HEAD:${branch}`,
  ]
  return (
    <Section title="Or with Git" id="with-git">
      <Commands text={commands.join('\n')} />
    </Section>
  )
}
