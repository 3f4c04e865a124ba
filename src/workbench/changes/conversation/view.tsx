import type { ComponentChildren } from 'preact'
import { atLeast } from '../../../access/roles.ts'
import { kindOfName } from '../../../content/changes/text-names.ts'
import { Threads } from '../../comments/thread.tsx'
import { Choice, Form, Hidden, Submit, TextArea } from '../../parts/form.tsx'
import { A } from '../../parts/link.tsx'
import { Section } from '../../parts/pieces.tsx'
import { Time } from '../../parts/time.tsx'
import type { RequestPage } from '../load-request.ts'
import { requestPath, withQuery } from '../paths.ts'
import type { SaidThread, ShownConversation, ShownHappening } from './load.ts'

type Props = { data: RequestPage; conversation: ShownConversation }

/** Returns what happened to a change request as a list, with a form to say something. */
export function Conversation({ data, conversation: { happenings, earlier, later } }: Props) {
  const { request, role } = data.place
  const path = requestPath(request)
  return (
    <Section title="Conversation" id="conversation">
      {earlier !== undefined && (
        <p>
          <A to={withQuery(path, { before: String(earlier) })} class="btn">
            Show earlier comments
          </A>
        </p>
      )}
      <ol class="plain timeline">
        {happenings.map(each => (
          <Line happening={each} path={path} mayReply={atLeast(role, 'comment')} />
        ))}
      </ol>
      {later && (
        <p>
          <A to={path} class="btn">
            Show the latest comments
          </A>
        </p>
      )}
      <Answer {...data} />
    </Section>
  )
}

type LineProps = { happening: ShownHappening; path: string; mayReply: boolean }

const sentences = {
  opened: 'opened it',
  archived: 'closed it',
  reopened: 'reopened it',
  merged: 'merged it',
  approved: 'approved it',
  'changes-requested': 'requested changes',
}

function Line({ happening, path, mayReply }: LineProps) {
  const { at, who } = happening
  const thread = 'thread' in happening ? happening.thread : undefined
  return (
    <li class={`was-${happening.kind === 'review' ? happening.status : happening.kind}`}>
      {happening.kind !== 'comment' && (
        <p class="line">
          <b>
            <bdi>{who}</bdi>
          </b>{' '}
          {saidOf(happening)} <Time at={at} />
        </p>
      )}
      {happening.kind === 'commits' && <Commits commits={happening.commits} path={path} />}
      {thread && <OnPage thread={thread} path={path} />}
      {thread && <Threads threads={[thread]} path={path} mayReply={mayReply} />}
    </li>
  )
}

function saidOf(happening: ShownHappening): ComponentChildren {
  switch (happening.kind) {
    case 'comment':
      return 'commented'
    case 'asked':
      return `asked ${happening.reviewers.join(', ')} for a review`
    case 'commits': {
      const { length } = happening.commits
      return length === 1 ? 'committed' : `and others: ${length} commits`
    }
    case 'review':
      return (
        <>
          <span class={happening.status === 'approved' ? 'success' : 'danger'}>
            {sentences[happening.status]}
          </span>
          {happening.isEarlier && ' (an earlier revision)'}
        </>
      )
    default:
      return sentences[happening.kind]
  }
}

type OfCommits = { commits: Extract<ShownHappening, { kind: 'commits' }>['commits']; path: string }

/** The most commits that stand open in a line. */
const mostOpen = 10

function Commits({ commits }: OfCommits) {
  const list = (
    <ul class="plain commits">
      {commits.map(({ oid, subject }) => (
        <li>
          <bdi>{subject.slice(0, 200)}</bdi> <code>{oid.slice(0, 7)}</code>
        </li>
      ))}
    </ul>
  )
  return commits.length <= mostOpen ? (
    list
  ) : (
    <details>
      <summary>{commits.length} commits</summary>
      {list}
    </details>
  )
}

function OnPage({ thread, path }: { thread: SaidThread; path: string }) {
  if (!thread.page) return null
  const view = kindOfName(thread.row.node_id ?? '') === 'line' ? 'source' : undefined
  return (
    <p class="small muted">
      On{' '}
      <A
        to={`${withQuery(`${path}/pages/${thread.page.id}`, { view, comment: thread.id })}#comment-${thread.id}`}
      >
        <bdi>{thread.page.title ?? 'a page that is gone'}</bdi>
      </A>
    </p>
  )
}

const answers = [
  { value: 'comment', title: 'Comment' },
  { value: 'approved', title: 'Approve' },
  { value: 'changes-requested', title: 'Request changes' },
]

/** Returns the form for a comment or a review. */
function Answer({ place: { request, role, user } }: RequestPage) {
  const path = requestPath(request)
  if (!atLeast(role, 'comment'))
    return <p class="small muted">Commenting needs the role “comment” in this space.</p>
  const isOpen = request.status === 'open' || request.status === 'draft'
  const mayReview = isOpen && atLeast(role, 'review')
  const isOwn = request.created_by === user.id

  return (
    <Form to={`${path}/review`} class="answer" label="Comment or review">
      <Hidden name="revision" value={request.revision} />
      <TextArea
        name="text"
        label={mayReview ? 'Comment or review' : 'Comment'}
        placeholder="Markdown"
        rows={4}
      />
      <div class="answer-actions">
        {mayReview ? (
          <Choice
            name="do"
            label="Your verdict"
            hidesLabel
            value="comment"
            options={isOwn ? answers.filter(({ value }) => value !== 'approved') : answers}
          />
        ) : (
          <Hidden name="do" value="comment" />
        )}
        <Submit kind="primary">{mayReview ? 'Submit' : 'Comment'}</Submit>
      </div>
      {isOpen && !mayReview && (
        <p class="small muted">Reviewing needs the role “review” in this space.</p>
      )}
      {mayReview && isOwn && (
        <p class="small muted">
          You cannot approve your own change request: another reviewer has to.
        </p>
      )}
    </Form>
  )
}
