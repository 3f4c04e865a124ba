import { kindOfName } from '../../content/changes/text-names.ts'
import { Fold } from '../parts/fold.tsx'
import { Form, Hidden, Submit, TextArea } from '../parts/form.tsx'
import { Time } from '../parts/time.tsx'
import type { ShownThread } from './show-threads.ts'

type ShownPost = ShownThread['replies'][number]

/**
 * Where comments are: the path of the page of a space, or of a change request; there, the page that is shown again
 * after a form.
 */
export type ThreadPlace = { path: string; back?: string; mayReply: boolean }

/** Returns comments one below the other. */
export const Threads = ({
  threads,
  ...place
}: ThreadPlace & { threads: readonly ShownThread[] }) => (
  <>
    {threads.map(thread => (
      <ThreadView thread={thread} {...place} />
    ))}
  </>
)

/** Returns a comment with the replies to it, and what one can do about it. */
function ThreadView({ thread, ...place }: ThreadPlace & { thread: ShownThread }) {
  const posts = <Posts thread={thread} {...place} />
  return (
    <article class="thread" id={`comment-${thread.id}`}>
      {thread.isOutdated && (
        <p class="small muted">
          On an earlier revision: the {kindOfName(thread.row.node_id ?? '')} has changed since.
        </p>
      )}
      {thread.isResolved ? (
        <Fold
          to={`${place.path}/comments/${thread.id}`}
          summary={
            <>
              Resolved{thread.resolvedBy !== undefined && ` by ${thread.resolvedBy}`}: comment of{' '}
              {thread.author}
            </>
          }
        >
          {posts}
        </Fold>
      ) : (
        posts
      )}
    </article>
  )
}

function Posts({ thread, ...place }: ThreadPlace & { thread: ShownThread }) {
  return (
    <>
      <PostView post={thread} commentId={thread.id} {...place} />
      {thread.replies.length > 0 && (
        <ol class="plain replies" aria-label="Replies">
          {thread.replies.map(reply => (
            <li id={`reply-${reply.id}`}>
              <PostView post={reply} commentId={thread.id} replyId={reply.id} {...place} />
            </li>
          ))}
        </ol>
      )}
      {thread.more > 0 && <p class="small muted">{thread.more} more replies in the API.</p>}
      <div class="thread-actions">
        {place.mayReply && <Reply thread={thread} {...place} />}
        {thread.maySettle && <Settle thread={thread} {...place} />}
      </div>
    </>
  )
}

type OfPost = ThreadPlace & { post: ShownPost; commentId: string; replyId?: string }

function PostView({ post, commentId, replyId, ...place }: OfPost) {
  return (
    <>
      <div class="by">
        <b>
          <bdi>{post.author}</bdi>
        </b>{' '}
        <Time at={post.at} />
        {post.isEdited && ' (edited)'}
        {(post.mayEdit || post.mayDelete) && (
          <PostMenu post={post} commentId={commentId} replyId={replyId ?? ''} {...place} />
        )}
      </div>
      <div class="said prose" dir="auto" dangerouslySetInnerHTML={{ __html: post.html }} />
    </>
  )
}

function PostMenu({ post, commentId, replyId, path, back }: OfPost) {
  const to = `${path}/comments/${commentId}`
  return (
    <Fold
      to={to}
      names={[`edit-${post.id}`, `delete-${post.id}`]}
      summary="Edit"
      label={`Edit or delete the comment of ${post.author}`}
      class="post-menu"
    >
      {post.mayEdit && (
        <Form to={to} name={`edit-${post.id}`}>
          <Hidden name="back" value={back ?? ''} />
          <Hidden name="reply" value={replyId ?? ''} />
          <TextArea name="text" label="Text" hidesLabel value={post.markdown} required />
          <Submit name="do" value="edit">
            Save
          </Submit>
        </Form>
      )}
      {post.mayDelete && (
        <Form to={to} name={`delete-${post.id}`}>
          <Hidden name="back" value={back ?? ''} />
          <Hidden name="reply" value={replyId ?? ''} />
          <Submit kind="danger" name="do" value="delete">
            Delete{replyId === '' ? ' with its replies' : ''}
          </Submit>
        </Form>
      )}
    </Fold>
  )
}

function Reply({ thread, path, back }: ThreadPlace & { thread: ShownThread }) {
  return (
    <Fold
      to={`${path}/comments/${thread.id}`}
      names={[`answer-${thread.id}`]}
      summary="Reply"
      class="reply"
    >
      <Form to={`${path}/comments/${thread.id}`} name={`answer-${thread.id}`}>
        <Hidden name="back" value={back ?? ''} />
        <TextArea name="text" label="Your reply" hidesLabel rows={3} required />
        <Submit name="do" value="reply">
          Reply
        </Submit>
      </Form>
    </Fold>
  )
}

function Settle({ thread, path, back }: ThreadPlace & { thread: ShownThread }) {
  return (
    <Form to={`${path}/comments/${thread.id}`} name={`settle-${thread.id}`}>
      <Hidden name="back" value={back ?? ''} />
      <Submit class="bare" name="do" value={thread.isResolved ? 'reopen' : 'resolve'}>
        {thread.isResolved ? 'Reopen' : 'Resolve'}
      </Submit>
    </Form>
  )
}
