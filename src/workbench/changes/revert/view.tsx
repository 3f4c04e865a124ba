import { revertTitle } from '../../../actions/change-requests/revert.ts'
import type { Conflict } from '../../../actions/revisions/name-conflicts.ts'
import type { View } from '../../frame/page.ts'
import { Form, Submit, TextField } from '../../parts/form.tsx'
import { A } from '../../parts/link.tsx'
import { Note } from '../../parts/pieces.tsx'
import { ConflictCards } from '../conflicts/cards.tsx'
import { ShowResult } from '../conflicts/result-view.tsx'
import type { Results } from '../conflicts/results.ts'
import type { RequestPage } from '../load-request.ts'
import { requestPath } from '../paths.ts'
import { requestView } from '../request-view.tsx'

type Revertible = RequestPage & { conflicts: readonly Conflict[]; results: Results }
export type RevertPage = Revertible | (RequestPage & { why: string })

const sideNames = { ours: 'As published now', theirs: 'As before this change request' }

/** Returns the form that takes back what a merged change request brought. */
export const revertView = (data: RevertPage): View =>
  requestView(data, 'overview', {
    body: 'why' in data ? <Note tone="warning">{data.why}</Note> : <Revert {...data} />,
  })

function Revert({ place: { request }, conflicts, results }: Revertible) {
  const path = requestPath(request)
  return (
    <Form to={`${path}/revert`} label="Revert">
      <h2>Revert this change request</h2>
      <p class="muted">
        This creates a change request that undoes these changes and keeps later ones. Restored pages
        keep their comments. Nothing is published until it is merged.
      </p>
      <TextField
        name="subject"
        label="Title"
        value={revertTitle(request)}
        maxlength={100}
        required
      />
      {conflicts.length > 0 && (
        <>
          <Note tone="warning">
            The same places were changed again later. Choose the text for each place.
          </Note>
          <ConflictCards conflicts={conflicts} names={sideNames} results={results} />
        </>
      )}
      <div class="buttons">
        <Submit kind="primary">Create the change request</Submit>
        {conflicts.length > 0 && <ShowResult />}
        <A to={path} class="btn">
          Cancel
        </A>
      </div>
    </Form>
  )
}
