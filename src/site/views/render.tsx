import { renderToStaticMarkup } from 'preact-render-to-string'
import { Links } from '../../ui/parts/menu.tsx'
import { Article } from './article.tsx'
import { Footer } from './footer.tsx'
import { DocumentHead, hasCalls } from './head.tsx'
import { Header } from './header.tsx'
import { History } from './history.tsx'
import { Message } from './message.tsx'
import type { Frame, NavEntry, SearchPage, SitePage } from './model.ts'
import { Entries, Nav } from './nav.tsx'
import { AnnouncementBar, BannerBar } from './notices.tsx'
import { Outline, outlined } from './outline.tsx'
import { Found, Search, SearchDialog } from './search.tsx'
import { Sites } from './sites.tsx'

/** Returns a page as an HTML document. */
export function renderPage(frame: Frame, page: SitePage): string {
  return `<!doctype html>${renderToStaticMarkup(<Page frame={frame} page={page} />)}`
}

/** Returns the list of pages that an opened entry of the list fetches. */
export function renderNav(frame: Pick<Frame, 'words'>, entries: readonly NavEntry[]): string {
  return renderToStaticMarkup(<Entries words={frame.words} entries={entries} />)
}

/** Returns the results of a search as the dialog shows them. */
export function renderHits(frame: Pick<Frame, 'words' | 'search'>, page: SearchPage): string {
  return renderToStaticMarkup(<Found frame={frame} page={page} />)
}

function Page({ frame, page }: { frame: Frame; page: SitePage }) {
  const { words } = frame
  const headings = page.kind === 'article' && page.layout.outline ? outlined(page.headings) : []
  const pages = page.nav.length > 0 && (page.kind !== 'article' || page.layout.tableOfContents)
  const drawers = { pages, outline: headings.length > 0 }

  return (
    <html {...rootAttributes(frame)} {...(hasCalls(page) && callAttributes(frame))}>
      <DocumentHead frame={frame} page={page} />
      <body>
        <a class="skip" href="#~content">
          {words.skip}
        </a>
        {frame.toolbar.length > 0 && (
          <nav class="toolbar" aria-label={words.toolbar}>
            <Links links={frame.toolbar} />
          </nav>
        )}
        <AnnouncementBar frame={frame} />
        <Header frame={frame} drawers={drawers} />
        <BannerBar frame={frame} />
        <div class={pages ? 'frame' : 'frame alone'}>
          {pages && <Nav words={words} entries={page.nav} />}
          <Main frame={frame} page={page} />
          {drawers.outline && <Outline title={words.onThisPage} headings={headings} />}
        </div>
        <Footer frame={frame} />
        {!frame.isCopy && <SearchDialog frame={frame} />}
      </body>
    </html>
  )
}

function Main({ frame, page }: { frame: Frame; page: SitePage }) {
  switch (page.kind) {
    case 'article':
      return <Article frame={frame} page={page} />
    case 'search':
      return <Search frame={frame} page={page} />
    case 'message':
      return <Message frame={frame} page={page} />
    case 'history':
      return <History frame={frame} page={page} />
    case 'sites':
      return <Sites frame={frame} page={page} />
  }
}

/** What the script needs that opens the form of a call: its address, and the words of the form. */
function callAttributes({ assets, words }: Frame) {
  const own = Object.entries(words).filter(([name]) => name.startsWith('try'))
  return {
    'data-try': assets.callScript,
    'data-try-words': JSON.stringify(Object.fromEntries(own)),
  }
}

/** The widest row of sections, in characters, that stands in the header itself. */
const narrowTabs = 36

/** What the style sheet and the script read from the root element. */
function rootAttributes(frame: Frame) {
  const { tabs, words } = frame
  const width = tabs.reduce((sum, { title }) => sum + title.length + 3, 0)
  return {
    lang: frame.lang,
    dir: frame.dir,
    'data-theme': frame.scheme === 'auto' ? undefined : frame.scheme,
    'data-switch': frame.schemeSwitch ? '1' : undefined,
    'data-news': frame.announcement?.digest,
    'data-tabs':
      tabs.length === 0 ? undefined : width > narrowTabs || frame.header.length > 2 ? 'row' : 'bar',
    'data-copy': words.copy,
    'data-copied': words.copied,
    'data-session': frame.session,
    ...frame.look,
  }
}
