import type { ComponentChildren } from 'preact'
import { renderToStaticMarkup } from 'preact-render-to-string'
import { inlineScript } from '../../ui/frame/inline-script.ts'
import { Drawn } from '../../ui/parts/icon.tsx'
import { Menu } from '../../ui/parts/menu.tsx'
import { A } from '../parts/link.tsx'
import { type Surroundings, SurroundingsProvider, useAt } from '../parts/surroundings.ts'
import { KeptFields } from './kept-fields.tsx'
import type { Key, View } from './page.ts'

/** What the frame of a page shows, whatever the page is. */
type Framed = {
  /** The path of the server, without a slash at its end. */
  base: string
  assets: { style: string; script: string; more: (name: string) => string }
  /** The user; undefined for a page that asks to sign in. */
  me: { name: string } | undefined
  csrf: string
  /** Whether the server refuses writes at the moment. */
  readOnly: boolean
  /** What the form before this page did, as a sentence. */
  notice?: string | undefined
  entered?: Surroundings['entered']
  /** The words that were searched for, to show them in the search field. */
  query?: string | undefined
}

/** Returns a page as an HTML document. */
export function renderDocument(framed: Framed, view: View): string {
  let isShown = false
  const surroundings: Surroundings = {
    base: framed.base,
    csrf: framed.csrf,
    entered: framed.entered,
    onShown: () => {
      isShown = true
    },
  }
  const inside = (children: ComponentChildren) =>
    renderToStaticMarkup(
      <SurroundingsProvider value={surroundings}>{children}</SurroundingsProvider>,
    )

  // The frame says what the form said if the page does not have the form any more.
  const main = inside(<Main view={view} {...framed} />)
  const lost = framed.entered && !isShown ? inside(<Lost entered={framed.entered} />) : ''
  const document = inside(<Document framed={framed} view={view} main={lost + main} />)

  return `<!doctype html>${document}`
}

type Parts = { framed: Framed; view: View; main: string }

function Document({ framed, view, main }: Parts) {
  const { side, width = 'text' } = view
  const { assets } = framed
  return (
    <html lang="en" data-switch="1" data-copy="Copy" data-copied="Copied">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{[view.title, ...crumbTitles(view), 'Stemma'].join(' · ')}</title>
        <meta name="description" content={`${view.title}, for members who write and review.`} />
        <meta name="color-scheme" content="light dark" />
        <script dangerouslySetInnerHTML={{ __html: inlineScript }} />
        <link rel="stylesheet" href={assets.style} />
        {view.styles?.map(name => (
          <link rel="stylesheet" href={assets.more(name)} />
        ))}
        <script type="module" src={assets.script} />
        {view.scripts?.map(name => (
          <script type="module" src={assets.more(name)} />
        ))}
        <link rel="icon" href="data:," />
      </head>
      <body>
        <a class="skip" href="#~content">
          Skip to content
        </a>
        <Header framed={framed} hasSide={side !== undefined} />
        <div class={`frame ${width}${side ? ' with-side' : ''}`}>
          {side && (
            <nav class="side" id="~side" popover="auto" aria-label={side.label}>
              {side.body}
            </nav>
          )}
          <main id="~content" tabindex={-1} dangerouslySetInnerHTML={{ __html: main }} />
        </div>
      </body>
    </html>
  )
}

const crumbTitles = ({ crumbs = [] }: View): string[] =>
  crumbs.map(({ title }) => title).toReversed()

function Header({ framed, hasSide }: { framed: Framed; hasSide: boolean }) {
  const { me, base, query } = framed
  return (
    <header class="top">
      {hasSide && (
        <button
          class="btn icon bare when-small"
          type="button"
          popovertarget="~side"
          aria-label="Pages"
        >
          <Drawn name="bars" />
        </button>
      )}
      <A to="" class="brand">
        Stemma
      </A>
      {me && (
        <search class="search-all">
          <form action={`${base}/app/search`}>
            <label for="~q" class="sr">
              Search everything you may read
            </label>
            <Drawn name="search" />
            <input
              id="~q"
              name="q"
              type="search"
              value={query}
              placeholder="Search"
              maxlength={500}
            />
          </form>
        </search>
      )}
      {me && <Person framed={framed} name={me.name} />}
      {!me && (
        <a class="btn" href={`${base}/sso/sign-in`}>
          Sign in
        </a>
      )}
    </header>
  )
}

function Person({ framed: { base, csrf }, name }: { framed: Framed; name: string }) {
  return (
    <div class="person">
      <Menu
        id="~person"
        class="btn bare"
        label={`You are ${name}`}
        button={
          <>
            <span class="initial" data-initial={[...name.trim()][0]?.toUpperCase() ?? '?'} />
            <span class="when-wide name">{name}</span>
          </>
        }
      >
        <ul class="plain">
          <li>
            <A to="">Home</A>
          </li>
          <li>
            <a href={`${base}/`}>Sites</a>
          </li>
          <li>
            <A to="/account">Your account</A>
          </li>
          <li>
            <A to="/people">People</A>
          </li>
          <li class="with-script schemes">
            {(['light', 'dark'] as const).map(scheme => (
              <button type="button" data-scheme={scheme} aria-pressed="false">
                {scheme === 'light' ? 'Light' : 'Dark'}
              </button>
            ))}
          </li>
          <li>
            <form method="post" action={`${base}/sso/sign-out`}>
              <input type="hidden" name="csrf" value={csrf} />
              <button type="submit">Sign out</button>
            </form>
          </li>
        </ul>
      </Menu>
    </div>
  )
}

type Told = Pick<Framed, 'notice' | 'readOnly'>

function Main({ view, notice, readOnly }: Told & { view: View }) {
  const { crumbs = [], heading = view.title, actions, live, hasTabsAbove = false } = view
  const at = useAt()
  const tabs = <Tabs {...view} />
  return (
    <>
      {live !== undefined && <p class="live" role="status" data-live={at(live)} />}
      {readOnly && (
        <p class="note warning">
          This server is read-only at the moment. You can read everything, but nothing can be saved.
        </p>
      )}
      {crumbs.length > 0 && (
        <nav aria-label="Where this page is">
          <ol class="plain crumbs">
            {crumbs.map(({ title, to }) => (
              <li>
                <A to={to}>{title}</A>
              </li>
            ))}
          </ol>
        </nav>
      )}
      {hasTabsAbove && tabs}
      {heading !== null && (
        <div class="page-head">
          <h1>{heading}</h1>
          {actions && <div class="actions">{actions}</div>}
        </div>
      )}
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      {!hasTabsAbove && tabs}
      {view.body}
      <Keys keys={view.keys ?? []} />
    </>
  )
}

function Tabs({ tabs, title, crumbs = [], hasTabsAbove }: View) {
  const named = (hasTabsAbove && crumbs.at(-1)?.title) || title
  return tabs ? (
    <nav class="tabbar" aria-label={`Parts of ${named}`}>
      <ul class="plain">
        {tabs.map(({ title, to, current, count }) => (
          <li>
            <A to={to} class="tab" current={current}>
              {title}
              {count !== undefined && <span class="count">{count}</span>}
            </A>
          </li>
        ))}
      </ul>
    </nav>
  ) : null
}

/** The keys of every page. */
const everywhere: readonly Key[] = [
  ['/', 'search'],
  ['Ctrl Enter', 'send the form that one types in'],
  ['?', 'list the keys'],
]

/** Returns the list of keys; a script shows it in a dialog. */
const Keys = ({ keys }: { keys: readonly Key[] }) => (
  <details class="keys" id="~keys">
    <summary>Keys</summary>
    <noscript>They need JavaScript.</noscript>
    <dl>
      {[...keys, ...everywhere].map(([key, does]) => (
        <div>
          <dt>
            {key.split(' ').map(each => (
              <kbd>{each}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </details>
)

/** Returns what was typed into a form that the page does not have any more. */
function Lost({ entered }: { entered: NonNullable<Framed['entered']> }) {
  return (
    <div class="lost">
      <p class="alert" role="alert">
        {entered.alert || 'The form that you sent is not on this page any more.'}
      </p>
      <KeptFields values={entered.values} />
    </div>
  )
}
