import type { Frame, MessagePage } from './model.ts'
import { Results, SearchForm } from './search.tsx'

/**
 * Returns the main part of a page that says that there is nothing here, or why something failed.
 */
export function Message({ frame, page }: { frame: Frame; page: MessagePage }) {
  return (
    <main id="~content" tabindex={-1}>
      <p class="status">{page.status}</p>
      <h1>{page.title}</h1>
      <p class="lead">{page.text}</p>
      {page.links.length > 0 && (
        <ul class="plain ways">
          {page.links.map(({ title, href }) => (
            <li>
              <a class="card" href={href}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      )}
      {page.requestId !== undefined && <p class="small">Request {page.requestId}</p>}
      {page.query !== undefined && <SearchForm frame={frame} query={page.query} />}
      {page.found && <Results words={frame.words} found={page.found} />}
    </main>
  )
}
