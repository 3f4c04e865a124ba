import type { ComponentChildren } from 'preact'
import { atLeast } from '../../../access/roles.ts'
import type { MergeState } from '../../../actions/reviewing/merge-state.ts'
import { Checkbox, Form, Hidden, Submit } from '../../parts/form.tsx'
import { A, ButtonLink } from '../../parts/link.tsx'
import { Time } from '../../parts/time.tsx'
import { requestPath } from '../paths.ts'
import type { Overview } from './load.ts'

/** Returns the end of a change request: merging and closing it, or what became of it. */
export function MergeBox(data: Overview) {
  const { request, role } = data.place
  const path = requestPath(request)
  return (
    <section class="merge-box" id="merge" aria-label="Merge">
      {data.merge ? <Merge data={data} merge={data.merge} /> : <Ended {...data} />}
      {atLeast(role, 'edit') && request.status !== 'merged' && (
        <div class="merge-more">
          {request.status === 'draft' && (
            <StatusForm path={path} status="open">
              Ready for review
            </StatusForm>
          )}
          {request.status === 'open' && (
            <StatusForm path={path} status="draft">
              Make it a draft
            </StatusForm>
          )}
          {request.status === 'archived' ? (
            <StatusForm path={path} status="open">
              Open again
            </StatusForm>
          ) : (
            <StatusForm path={path} status="archived">
              Close without merging
            </StatusForm>
          )}
        </div>
      )}
    </section>
  )
}

type StatusFormProps = { path: string; status: string; children: ComponentChildren }

const StatusForm = ({ path, status, children }: StatusFormProps) => (
  <Form to={`${path}/status`} name={status}>
    <Hidden name="status" value={status} />
    <Submit>{children}</Submit>
  </Form>
)

function Ended({ place: { request, role }, conversation }: Overview) {
  if (request.status === 'archived')
    return <p>Closed without merging. Its branch is kept, and nothing was published.</p>
  const merged = conversation.happenings.find(({ kind }) => kind === 'merged')
  return (
    <>
      <p>
        Merged{merged && ` by ${merged.who}`}
        {request.merged_at !== null && (
          <>
            {' '}
            <Time at={request.merged_at} />
          </>
        )}
        {request.revision_merged !== null && (
          <>
            {' '}
            as <code>{request.revision_merged.slice(0, 10)}</code>
          </>
        )}
        .
      </p>
      {atLeast(role, 'edit') && (
        <ButtonLink to={`${requestPath(request)}/revert`}>Revert…</ButtonLink>
      )}
    </>
  )
}

function Merge({ data, merge }: { data: Overview; merge: MergeState }) {
  const { request } = data.place
  const path = requestPath(request)
  const unmet = merge.rules.flatMap(({ unmet }) => unmet ?? [])
  const obstacles = obstaclesOf(merge, path)
  const bypasses = unmet.length > 0 && merge.mayBypass
  if (obstacles.length > 0 || (unmet.length > 0 && !merge.mayBypass))
    return (
      <div class="note warning">
        <p>
          <strong>This cannot be merged yet.</strong>
        </p>
        <ul>
          {obstacles.map(each => (
            <li>{each}</li>
          ))}
          {unmet.map(({ message }) => (
            <li>
              <a href="#rules">{message}</a>
            </li>
          ))}
        </ul>
      </div>
    )

  return (
    <Form to={`${path}/merge`} class="merge" label="Merge">
      <Hidden name="revision" value={request.revision} />
      {bypasses && (
        <div class="note warning">
          <p>Merge rules are not met: {unmet.map(({ message }) => message).join(' ')}</p>
          <Checkbox name="bypass" label="Merge anyway. This is recorded in the audit log." />
        </div>
      )}
      <Submit kind="primary">{whatHappens(data, merge)}</Submit>
    </Form>
  )
}

/** Returns what a merge does, in words: "Merge: publishes 4 pages on docs.example.org". */
function whatHappens({ pages, place }: Overview, { sites }: MergeState): string {
  const files = place.compared?.files.length ?? 0
  const what =
    pages.length > 0
      ? `${pages.length} ${pages.length === 1 ? 'page' : 'pages'}`
      : `${files} ${files === 1 ? 'file' : 'files'}`
  const [first, ...others] = sites.map(site => new URL(site))
  if (!first) return `Merge: changes ${what}`
  const name = `${first.host}${first.pathname.replace(/\/$/, '')}`
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `Merge: publishes ${what} on ${name}${more}`
}

/** Returns what stands in the way of a merge besides rules. */
function obstaclesOf(merge: MergeState, path: string): ComponentChildren[] {
  const { conflicts, lacksRole, isImpossible } = merge
  return [
    ...(isImpossible
      ? ['Git cannot merge it with the published content: their histories have nothing in common.']
      : []),
    ...(conflicts.length > 0
      ? [
          <A to={`${path}/conflicts`}>
            {conflicts.length === 1
              ? 'One file conflicts with what was published meanwhile: resolve it'
              : `${conflicts.length} files conflict with what was published meanwhile: resolve them`}
          </A>,
        ]
      : []),
    ...(lacksRole
      ? [`Merging needs the role “${lacksRole}” in this space. Ask a member who has it.`]
      : []),
  ]
}
