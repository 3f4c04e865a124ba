import { renderToStaticMarkup } from 'preact-render-to-string'
import { Form, Submit, TextArea } from '../parts/form.tsx'
import { SurroundingsProvider, useSurroundings } from '../parts/surroundings.ts'
import { Time } from '../parts/time.tsx'
import type { PageThreads, ShownPost, ShownThread } from './read-threads.ts'

/** The page that comments are on: its path, and whether its user may write some. */
type CommentedPage = { path: string; mayComment: boolean }

type ThreadsProps = { place: CommentedPage; threads: readonly ShownThread[] }

/** Returns the text of a page with the comments on its blocks below them, and others below the page. */
export function CommentedText({
  html,
  threads: { placed, whole, lost },
  place,
}: {
  html: string
  threads: PageThreads
  place: CommentedPage
}) {
  const surroundings = useSurroundings()
  let from = 0
  const parts = placed.map(({ at, threads }) => {
    const before = html.slice(from, at)
    from = at
    const below = (
      <SurroundingsProvider value={surroundings}>
        <section class="comments" aria-label="Comments on the block above">
          <Threads place={place} threads={threads} />
        </section>
      </SurroundingsProvider>
    )
    return before + renderToStaticMarkup(below)
  })
  const text = parts.join('') + html.slice(from)

  return (
    <>
      <article class="prose" dangerouslySetInnerHTML={{ __html: text }} />
      <section class="section" aria-labelledby="comments">
        <div class="section-head">
          <h2 id="comments">Comments on this page</h2>
        </div>
        {whole.length > 0 && (
          <div class="comments">
            <Threads place={place} threads={whole} />
          </div>
        )}
        {lost.length > 0 && (
          <div class="comments">
            <p class="small muted">On blocks that the page does not have any more:</p>
            <Threads place={place} threads={lost} />
          </div>
        )}
        {place.mayComment ? (
          <Form to={`${place.path}/comments`} class="new-comment">
            <TextArea
              name="text"
              label="Comment"
              hidesLabel
              placeholder="Write a comment in Markdown"
              required
            />
            <Submit>Comment</Submit>
          </Form>
        ) : (
          <p class="muted">The role “comment” lets you answer here.</p>
        )}
      </section>
    </>
  )
}

const Threads = ({ place, threads }: ThreadsProps) => (
  <ol class="plain threads">
    {threads.map(thread => (
      <li id={`comment-${thread.id}`}>
        {thread.isResolved ? (
          <details>
            <summary>Resolved: comment of {thread.author}</summary>
            <Posts place={place} thread={thread} />
          </details>
        ) : (
          <Posts place={place} thread={thread} />
        )}
      </li>
    ))}
  </ol>
)

function Posts({ place, thread }: { place: CommentedPage; thread: ShownThread }) {
  const to = `${place.path}/comments/${thread.id}`
  return (
    <>
      <Post post={thread} />
      {thread.replies.length > 0 && (
        <ol class="plain replies" aria-label="Replies">
          {thread.replies.map(reply => (
            <li id={`reply-${reply.id}`}>
              <Post post={reply} />
            </li>
          ))}
        </ol>
      )}
      {thread.more > 0 && <p class="small muted">{thread.more} more replies are not shown.</p>}
      {place.mayComment && (
        <details class="answer">
          <summary>Reply</summary>
          <Form to={`${to}/replies`}>
            <TextArea name="text" label="Reply" hidesLabel rows={2} required />
            <Submit class="small">Reply</Submit>
          </Form>
        </details>
      )}
      {thread.mayResolve && (
        <Form to={`${to}/status`}>
          <Submit class="small" name="status" value={thread.isResolved ? 'open' : 'resolved'}>
            {thread.isResolved ? 'Open again' : 'Resolve'}
          </Submit>
        </Form>
      )}
    </>
  )
}

const Post = ({ post }: { post: ShownPost }) => (
  <>
    <p class="by">
      <b>{post.author}</b> <Time at={post.at} />
      {post.isEdited && ' (edited)'}
    </p>
    <div class="said" dir="auto" dangerouslySetInnerHTML={{ __html: post.html }} />
  </>
)
