import { Drawn } from '../../ui/parts/icon.tsx'
import { fill, type SurfaceWords } from '../../ui/words/all.ts'
import type { Frame, SearchHit, SearchPage, SearchResults } from './model.ts'

/** Returns the main part of the page of a search. */
export function Search({ frame, page }: { frame: Frame; page: SearchPage }) {
  const { words } = frame
  return (
    <main id="~content" tabindex={-1}>
      <h1>{words.search}</h1>
      <SearchForm frame={frame} query={page.query} scope={page.scope} />
      {page.query && (
        <div class="results">
          <Filters words={words} page={page} />
          <Hits words={words} found={page} />
        </div>
      )}
    </main>
  )
}

type FoundProps = { words: SurfaceWords; found: SearchResults }

/** Returns the results of a search for pages other than the search page. */
export function Results({ words, found }: FoundProps) {
  return (
    <div class="results">
      <Hits words={words} found={found} />
    </div>
  )
}

function Hits({ words, found }: FoundProps) {
  return (
    <>
      <Outcome words={words} page={found} />
      <ol class="plain hits">
        {found.hits.map(hit => (
          <li>
            <a href={hit.href}>
              <HitText hit={hit} />
            </a>
          </li>
        ))}
      </ol>
    </>
  )
}

/** Returns the field of a page that searches the site, also without a script. */
export function SearchForm({
  frame,
  query,
  scope,
}: {
  frame: Frame
  query: string
  scope?: string
}) {
  const { words } = frame
  return (
    <search>
      <form class="field" action={frame.search.action}>
        <input
          type="search"
          name="q"
          value={query}
          aria-label={words.search}
          placeholder={words.searchPlaceholder}
        />
        {scope && <input type="hidden" name="in" value={scope} />}
        <button class="btn primary" type="submit">
          {words.search}
        </button>
      </form>
    </search>
  )
}

/**
 * Returns what the dialog shows below its field: filters, the number of results, and the results as
 * options.
 */
export function Found({
  frame: { words },
  page,
}: {
  frame: Pick<Frame, 'words'>
  page: SearchPage
}) {
  return (
    <>
      <Filters words={words} page={page} />
      <Outcome words={words} page={page} />
      {page.hits.length > 0 && (
        <div class="hits" id="~hits" role="listbox" aria-label={words.search}>
          {page.hits.map((hit, index) => (
            <a
              role="option"
              id={`~hit-${index}`}
              href={hit.href}
              tabindex={-1}
              aria-selected="false"
            >
              <HitText hit={hit} />
            </a>
          ))}
        </div>
      )}
      {page.more && (
        <a class="all" href={page.all}>
          {words.searchAll}
        </a>
      )}
    </>
  )
}

const combobox = {
  type: 'text',
  inputmode: 'search',
  enterkeyhint: 'search',
  role: 'combobox',
  list: undefined,
  'aria-autocomplete': 'list',
  'aria-expanded': 'false',
  'aria-controls': '~hits',
} as const

/** Returns the dialog of the search, which the script opens. */
export function SearchDialog({ frame: { words, search } }: { frame: Frame }) {
  return (
    <dialog id="~search" aria-label={words.search}>
      <search>
        <form action={search.action}>
          <Drawn name="search" />
          <input
            {...combobox}
            name="q"
            aria-label={words.search}
            placeholder={words.searchPlaceholder}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
          />
          <button class="btn icon bare" type="button" data-close aria-label={words.close}>
            <Drawn name="close" />
          </button>
        </form>
      </search>
      <p class="sr" role="status" data-failed={words.failed} />
      <div class="found" />
    </dialog>
  )
}

function Filters({ words, page }: { words: SurfaceWords; page: SearchPage }) {
  if (page.filters.length === 0) return null
  return (
    <nav class="filters" aria-label={words.searchFilters}>
      {page.filters.map(list => (
        <div>
          {list.map(({ title, href, current }) => (
            <a href={href} aria-current={current ? 'true' : undefined}>
              {title}
            </a>
          ))}
        </div>
      ))}
    </nav>
  )
}

function Outcome({ words, page }: { words: SurfaceWords; page: SearchResults }) {
  const { count, more, query, suggestion } = page
  const nothing = fill(words.searchNothing, { query })
  if (!suggestion && page.hits.length === 0) return <p class="count">{nothing}</p>
  const without = page.without?.length
    ? ` · ${fill(words.searchWithout, { words: page.without.join(', ') })}`
    : ''
  if (!suggestion) {
    const results =
      count === 1 && !more
        ? words.searchResult
        : fill(words.searchResults, { count: more ? `${count}+` : count })
    return <p class="count">{results + without}</p>
  }

  const [before, after] = words.searchSuggestion.split('{query}')

  return (
    <p class="count">
      {nothing} {before}
      <a href={suggestion.href}>{suggestion.query}</a>
      {after}
      {without}
    </p>
  )
}

function HitText({ hit }: { hit: SearchHit }) {
  return (
    <>
      {hit.path && <small class="where">{hit.path}</small>}
      <b>{hit.title}</b>
      {hit.passage.length > 0 && (
        <small class="passage">
          {hit.passage.map(({ text, found }) => (found ? <mark>{text}</mark> : text))}
        </small>
      )}
    </>
  )
}
