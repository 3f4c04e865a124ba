import type { Frame, HistoryPage } from './model.ts'

/** Returns the main part of the page of a page's former versions. */
export function History({ frame: { words }, page }: { frame: Frame; page: HistoryPage }) {
  return (
    <main id="~content" tabindex={-1}>
      <p class="status">{words.history}</p>
      <h1>{page.title}</h1>
      <ol class="plain history">
        {page.entries.map(({ date, revision, author, subject, changeRequest, asOf, changed }) => (
          <li>
            <p class="subject">{subject}</p>
            <p class="small">
              <time datetime={date.iso}>{date.text}</time>
              <code>{revision}</code>
              <span>{author}</span>
              {changeRequest && <a href={changeRequest.href}>{changeRequest.title}</a>}
              <a href={asOf}>{words.asOfThen}</a>
              {changed && <a href={changed}>{words.whatChanged}</a>}
            </p>
          </li>
        ))}
      </ol>
      {page.older && (
        <p>
          <a href={page.older}>{words.older}</a>
        </p>
      )}
    </main>
  )
}
