import type { SummaryEntry, SummaryGroup } from '../../../content/summary/parse.ts'
import { Submit } from '../../parts/form.tsx'
import { MarkedText } from '../pages/marked-view.tsx'
import type { Result } from './results.ts'

/** The most entries of a table of contents that are shown. */
const mostEntries = 1000

type ResultProps = { id: string; path: string; result: Result | undefined }

/**
 * Returns what a file will be with the choices of the form. The place is there before: a script puts new results
 * into it.
 */
export const ResultOf = ({ id, path, result }: ResultProps) => (
  <div class="result" id={id} data-result="">
    {result && (
      <section aria-label={`Result of ${path}`}>
        <h3>Result</h3>
        <Shown result={result} />
      </section>
    )}
  </div>
)

function Shown({ result }: { result: Result }) {
  switch (result.is) {
    case 'page':
      return <MarkedText marked={result.marked} />
    case 'contents':
      return <Contents groups={result.groups} />
    case 'text':
      return (
        <>
          <pre dir="auto">{result.text}</pre>
          {result.isCut && <p class="small muted">The end is left out: it is too long.</p>}
        </>
      )
    case 'gone':
      return <p class="muted">The file is removed.</p>
    case 'binary':
      return <p class="muted">The file is not a text that can be shown here.</p>
    case 'open':
      return <p class="muted">Choose a version for every place of this file to see the result.</p>
  }
}

function Contents({ groups }: { groups: readonly SummaryGroup[] }) {
  let left = mostEntries
  const list = (entries: readonly SummaryEntry[]) => {
    const shown = entries.slice(0, Math.max(0, left))
    left -= shown.length
    return shown.length === 0 ? null : (
      <ul>
        {shown.map(({ title, kind, children }) => (
          <li>
            <bdi>{kind === 'computed' ? 'Computed entries' : title}</bdi>
            {list(children)}
          </li>
        ))}
      </ul>
    )
  }
  return (
    <div class="result-contents">
      {groups.map(({ title, entries }) => (
        <>
          {title !== null && (
            <p class="small muted">
              <bdi>{title}</bdi>
            </p>
          )}
          {list(entries)}
        </>
      ))}
      {left <= 0 && <p class="small muted">Further entries are left out.</p>}
    </div>
  )
}

/** Returns the button that shows the results without resolving anything. */
export const ShowResult = () => (
  <>
    <Submit name="do" value="preview" formnovalidate class="show-result">
      Show the result
    </Submit>
    <span class="sr" role="status" data-result-said="" />
  </>
)
