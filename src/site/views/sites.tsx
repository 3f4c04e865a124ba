import type { Frame, SitesPage } from './model.ts'

/** Returns the main part of the first page of a server: its sites, or how to publish one. */
export function Sites({ frame: { words }, page }: { frame: Frame; page: SitesPage }) {
  const none = page.sites.length === 0
  const [before, after] = words.noSitesGuide.split('{command}')
  return (
    <main id="~content" tabindex={-1}>
      <h1>{none ? words.noSites : words.sites}</h1>
      {page.account && <p class="lead">{page.account}</p>}
      {none ? (
        <>
          <p class="lead">{words.noSitesText}</p>
          <p>
            {before}
            <code>npx stemma publish ./docs</code>
            {after}
          </p>
        </>
      ) : (
        <ul class="plain cards">
          {page.sites.map(({ title, href, description }) => (
            <li>
              <a class="card" href={href}>
                <b>{title}</b>
                {description && <small>{description}</small>}
              </a>
            </li>
          ))}
        </ul>
      )}
      <p class="ways">
        <a class={page.account ? 'btn' : 'btn primary'} href={page.way.href}>
          {page.way.title}
        </a>
      </p>
    </main>
  )
}
