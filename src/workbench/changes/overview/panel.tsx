import { atLeast } from '../../../access/roles.ts'
import { countFindings } from '../../../content/findings/count.ts'
import { countedFindings, type FindingKind } from '../../../content/findings/kinds.ts'
import { Commands } from '../../parts/commands.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, Hidden, Select, Submit } from '../../parts/form.tsx'
import { requestPath } from '../paths.ts'
import type { Overview, Reviewer } from './load.ts'

/** Returns what stands beside the overview: reviewers, rules, findings, and the branch. */
export function Panel(data: Overview) {
  return (
    <>
      <Reviewers {...data} />
      <Rules {...data} />
      <Findings {...data} />
      <UpToDate {...data} />
      <Branch {...data} />
    </>
  )
}

const reviewWords = { approved: 'approved', 'changes-requested': 'requested changes' }

function Reviewers({ place: { request, role }, reviewers, candidates, merge }: Overview) {
  const path = requestPath(request)
  const mayAsk = merge !== undefined && atLeast(role, 'edit')
  return (
    <section aria-labelledby="reviewers">
      <h2 id="reviewers">Reviewers</h2>
      {reviewers.length === 0 && <p class="muted small">No review has been requested yet.</p>}
      <ul class="plain">
        {reviewers.map(each => (
          <li class="reviewer">
            <bdi>{each.name}</bdi> <ReviewState {...each} />
            {mayAsk && each.isAsked && each.review === undefined && (
              <Form to={`${path}/reviewers`} name={each.id}>
                <Hidden name="remove" value={each.id} />
                <Submit class="bare small" label={`Withdraw the review request for ${each.name}`}>
                  ×
                </Submit>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {mayAsk && candidates.length > 0 && (
        <Fold to={`${path}/reviewers`} summary="Request a review" class="ask">
          <Form to={`${path}/reviewers`} label="Request a review">
            <Select
              name="user"
              label="Reviewer"
              hidesLabel
              options={candidates.map(({ id, name }) => ({ value: id, title: name }))}
            />
            <Submit>Ask</Submit>
          </Form>
        </Fold>
      )}
    </section>
  )
}

function ReviewState({ review, isEarlier, isAsked }: Reviewer) {
  if (review === undefined) return <span class="muted small">{isAsked && 'has not reviewed'}</span>
  return (
    <span class={`small ${review === 'approved' ? 'success' : 'danger'}${isEarlier ? ' old' : ''}`}>
      {review === 'approved' ? '✓ ' : '✗ '}
      {reviewWords[review]}
      {isEarlier && ' an earlier revision'}
    </span>
  )
}

function Rules({ merge }: Overview) {
  if (!merge || merge.rules.length === 0) return null
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Merge rules</h2>
      <ul class="plain checks">
        {merge.rules.map(({ rule, unmet }) => (
          <li class={unmet ? 'unmet' : 'met'}>
            <span aria-hidden="true">{unmet ? '✗' : '✓'}</span>
            <span>
              <span class="sr">{unmet ? 'Not met: ' : 'Met: '}</span>
              {unmet ? unmet.message : metWords(rule.rule)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Returns the name of a rule in words: `require_one_review` is "one review". */
function metWords(rule: string): string {
  const words = rule.replace(/^require_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The most findings that the panel lists. */
const mostFindings = 5

function Findings({ findings, merge }: Overview) {
  if (!merge) return null
  const counts = countFindings(findings)
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      {findings.length === 0 && <p class="small muted">Adds none.</p>}
      {findings.length > 0 && (
        <details>
          <summary>
            {Object.entries(counts)
              .map(([kind, count]) => countedFindings(kind as FindingKind, count))
              .join(', ')}
          </summary>
          <ul class="plain small">
            {findings.slice(0, mostFindings).map(({ file, line, message }) => (
              <li>
                {file !== undefined && (
                  <code>
                    {file}
                    {line !== undefined && `:${line}`}
                  </code>
                )}{' '}
                {message}
              </li>
            ))}
          </ul>
          {findings.length > mostFindings && (
            <p class="small muted">And {findings.length - mostFindings} more.</p>
          )}
        </details>
      )}
    </section>
  )
}

function UpToDate({ place: { request, role, outdated }, commits: { behind }, merge }: Overview) {
  if (!merge) return null
  const path = requestPath(request)
  const conflicts = merge.conflicts.length
  return (
    <section aria-labelledby="up-to-date">
      <h2 id="up-to-date">Up to date</h2>
      {!outdated && <p class="small muted">It contains all published changes.</p>}
      {outdated && (
        <p class="small">
          {behind} {behind === 1 ? 'commit' : 'commits'} behind the published content.
        </p>
      )}
      {outdated && conflicts === 0 && atLeast(role, 'edit') && (
        <Form to={`${path}/update`} label="Update">
          <Submit>Update</Submit>
        </Form>
      )}
    </section>
  )
}

function Branch({ place: { request }, remote, merge }: Overview) {
  if (!merge) return null
  const name = `change-requests/${request.number}`
  const commands = [`git fetch ${remote} ${name}`, `git switch -c ${name} FETCH_HEAD`].join('\n')
  const push = `git push ${remote} HEAD:${name}`
  return (
    <section aria-labelledby="branch">
      <h2 id="branch">Branch</h2>
      <p class="small">
        <code>{name}</code>
      </p>
      <details>
        <summary>With Git</summary>
        <p class="small">Get it:</p>
        <Commands text={commands} />
        <p class="small">Send your commits:</p>
        <Commands text={push} />
      </details>
    </section>
  )
}
