import type { ComponentChildren } from 'preact'
import { renderToStaticMarkup } from 'preact-render-to-string'
import { fill, type SurfaceWords } from '../../ui/words/all.ts'
import type { ArticlePage, CommentPost, CommentThread, Frame } from './model.ts'

/** Returns the HTML of a page with the comments on its blocks below them. */
export function withComments(
  { html, comments }: Pick<ArticlePage, 'html' | 'comments'>,
  words: SurfaceWords,
): string {
  let from = 0
  const parts = (comments?.placed ?? []).map(({ at, level, threads }) => {
    const before = html.slice(from, at)
    from = at
    return before + renderToStaticMarkup(<Below words={words} level={level} threads={threads} />)
  })

  return parts.join('') + html.slice(from)
}

type BelowProps = { words: SurfaceWords; level: number; threads: readonly CommentThread[] }

/** Returns the comments on a block. `level` is that of the heading above them. */
function Below({ words, level, threads }: BelowProps) {
  const id = `~comments-${threads[0]?.id}`
  return (
    <Section id={id} level={Math.min(6, level + 1)} title={words.comments}>
      <Threads words={words} threads={threads} />
    </Section>
  )
}

/**
 * Returns the comments that stand below the text of a page: those on the page as a whole, those on
 * blocks that the page does not have, and those on the change request as a whole.
 */
export function CommentsBelow({
  frame: { words },
  page: { comments },
}: {
  frame: Frame
  page: ArticlePage
}) {
  if (!comments) return null
  const { whole, lost, request, more } = comments
  const onPage = whole.length + lost.length > 0 || more !== ''

  return (
    <>
      {onPage && (
        <Section id="~comments" level={2} title={words.commentsOnPage}>
          {whole.length > 0 && <Threads words={words} threads={whole} />}
          {lost.length > 0 && <p>{words.commentsLost}</p>}
          {lost.length > 0 && <Threads words={words} threads={lost} />}
          {more !== '' && <p>{fill(words.moreComments, { count: more })}</p>}
        </Section>
      )}
      {request.length > 0 && (
        <Section id="~comments-request" level={2} title={words.commentsOnRequest}>
          <Threads words={words} threads={request} />
        </Section>
      )}
    </>
  )
}

type SectionProps = { id: string; level: number; title: string; children: ComponentChildren }

function Section({ id, level, title, children }: SectionProps) {
  const Heading = `h${level}` as 'h2'
  return (
    <section class="prose comments" aria-labelledby={id}>
      <Heading id={id}>{title}</Heading>
      {children}
    </section>
  )
}

type ThreadsProps = { words: SurfaceWords; threads: readonly CommentThread[] }

function Threads({ words, threads }: ThreadsProps) {
  return (
    <ol class="plain threads">
      {threads.map(thread => (
        <li id={`~comment-${thread.id}`}>
          {thread.resolved ? (
            <details>
              <summary>{thread.resolved}</summary>
              <Posts words={words} thread={thread} />
            </details>
          ) : (
            <Posts words={words} thread={thread} />
          )}
        </li>
      ))}
    </ol>
  )
}

/** Returns a comment and its replies. */
function Posts({ words, thread }: { words: SurfaceWords; thread: CommentThread }) {
  return (
    <>
      <Post words={words} post={thread} />
      {thread.replies.length > 0 && (
        <ol class="plain replies" aria-label={words.commentReplies}>
          {thread.replies.map(reply => (
            <li id={`~reply-${reply.id}`}>
              <Post words={words} post={reply} />
            </li>
          ))}
        </ol>
      )}
      {thread.more > 0 && <p>{fill(words.moreReplies, { count: thread.more })}</p>}
    </>
  )
}

function Post({ words, post }: { words: SurfaceWords; post: CommentPost }) {
  return (
    <>
      <p class="by">
        <b>{post.author}</b> <time datetime={post.at.iso}>{post.at.text}</time>
        {post.isEdited && <> ({words.edited})</>}
      </p>
      <div class="said" dir="auto" dangerouslySetInnerHTML={{ __html: post.html }} />
    </>
  )
}
