import { renderToStaticMarkup } from 'preact-render-to-string'
import { Form, Submit, TextArea } from '../parts/form.tsx'
import { SurroundingsProvider, useSurroundings } from '../parts/surroundings.ts'
import type { PageThreads } from './page-threads.ts'
import { type ThreadPlace, Threads } from './thread.tsx'

type CommentedProps = { html: string; threads: PageThreads; place: ThreadPlace }

/** Returns the text of a page with the comments on its blocks below them, and others below the page. */
export function CommentedText({ html, threads: { placed, whole, lost }, place }: CommentedProps) {
  const surroundings = useSurroundings()
  let from = 0
  const parts = placed.map(({ at, threads }) => {
    const before = html.slice(from, at)
    from = at
    const below = (
      <SurroundingsProvider value={surroundings}>
        <section class="thread-list" aria-label="Comments on the block above">
          <Threads {...place} threads={threads} />
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
        <div class="thread-list">
          <Threads {...place} threads={whole} />
        </div>
        {lost.length > 0 && (
          <div class="thread-list">
            <p class="small muted">On lines of the source, and on removed blocks:</p>
            <Threads {...place} threads={lost} />
          </div>
        )}
        {place.mayReply ? (
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
          <p class="muted">Replying needs the role “comment” in this space.</p>
        )}
      </section>
    </>
  )
}
