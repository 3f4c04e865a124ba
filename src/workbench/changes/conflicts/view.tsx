import { atLeast } from '../../../access/roles.ts'
import type { Conflict } from '../../../actions/revisions/name-conflicts.ts'
import type { View } from '../../frame/page.ts'
import { Commands } from '../../parts/commands.tsx'
import { Form, Submit } from '../../parts/form.tsx'
import { Empty, Section } from '../../parts/pieces.tsx'
import type { RequestPage } from '../load-request.ts'
import { requestPath } from '../paths.ts'
import { requestView } from '../request-view.tsx'
import { ConflictCards } from './cards.tsx'
import { ShowResult } from './result-view.tsx'
import type { Results } from './results.ts'

const sideNames = { ours: 'This change request', theirs: 'Published' }

export type ConflictsPage = RequestPage & {
  conflicts: readonly Conflict[]
  results: Results
  remote: string
}

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

function Resolve({ place: { request, role }, conflicts, results }: ConflictsPage) {
  const cards = <ConflictCards conflicts={conflicts} names={sideNames} results={results} />
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
        This change request and changes that were published since changed the same places. Choose a
        version for each place; everything else is merged already. Your choices become one merge
        commit on the branch.
      </p>
      {cards}
      <div class="buttons">
        <Submit kind="primary">Resolve and update</Submit>
        <ShowResult />
      </div>
    </Form>
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
