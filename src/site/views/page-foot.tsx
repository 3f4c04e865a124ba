import type { SurfaceWords } from '../../ui/words/all.ts'
import type { ArticlePage } from './model.ts'

/** Returns links to the previous and the next page. */
export function Pagination({ words, page }: { words: SurfaceWords; page: ArticlePage }) {
  const { previous, next } = page
  if (!previous && !next) return null
  return (
    <nav class="pager" aria-label={words.pagination}>
      {previous && (
        <a rel="prev" href={previous.href}>
          <small>{words.previous}</small>
          {previous.title}
        </a>
      )}
      {next && (
        <a rel="next" href={next.href}>
          <small>{words.next}</small>
          {next.title}
        </a>
      )}
    </nav>
  )
}

/**
 * Returns what stands below a text: its date, the link to edit it, and the question whether it
 * helped.
 */
export function PageFoot({ words, page }: { words: SurfaceWords; page: ArticlePage }) {
  const { updated, feedback } = page
  const edit = page.actions.find(({ kind }) => kind === 'edit')
  if (!updated && !edit && !feedback) return null

  return (
    <div class="meta">
      {updated && <Updated updated={updated} />}
      {edit && <a href={edit.href}>{edit.title}</a>}
      {feedback?.isThanked && <p role="status">{words.feedbackThanks}</p>}
      {feedback && !feedback.isThanked && (
        <form class="feedback" method="post" action={feedback.action}>
          <input type="hidden" name="page" value={page.id} />
          <fieldset>
            <legend>{words.feedback}</legend>
            <Face value="no" title={words.feedbackNo} face="☹" />
            <Face value="partly" title={words.feedbackPartly} face="😐" />
            <Face value="yes" title={words.feedbackYes} face="☺" />
          </fieldset>
          <p role="status" data-thanks={words.feedbackThanks} data-failed={words.failed} />
        </form>
      )}
    </div>
  )
}

function Updated({
  updated: { iso, text, href },
}: {
  updated: NonNullable<ArticlePage['updated']>
}) {
  const time = <time datetime={iso}>{text}</time>
  return <span>{href ? <a href={href}>{time}</a> : time}</span>
}

function Face({ value, title, face }: { value: string; title: string; face: string }) {
  return (
    <button
      class={`face ${value}`}
      type="submit"
      name="rating"
      value={value}
      aria-label={title}
      title={title}
    >
      <span aria-hidden="true">{face}</span>
    </button>
  )
}
