import { inlineScript } from '../../ui/frame/inline-script.ts'
import type { Frame, Head, SitePage } from './model.ts'

/** Returns the head of a document. */
export function DocumentHead({ frame, page }: { frame: Frame; page: SitePage }) {
  const { head } = page
  const title = head.title === frame.title ? head.title : `${head.title} | ${frame.title}`
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      {head.description && <meta name="description" content={head.description} />}
      {!frame.isCopy && head.robots && <meta name="robots" content={head.robots} />}
      {!frame.isCopy && head.canonical && <link rel="canonical" href={head.canonical} />}
      <meta name="color-scheme" content={frame.scheme === 'auto' ? 'light dark' : frame.scheme} />
      {!frame.isCopy && <script dangerouslySetInnerHTML={{ __html: inlineScript }} />}
      <link rel="stylesheet" href={frame.assets.style} />
      {usesTravel(frame, page) && <link rel="stylesheet" href={frame.assets.travel} />}
      {hasCalls(page) && <link rel="stylesheet" href={frame.assets.callStyle} />}
      {frame.assets.theme && <link rel="stylesheet" href={frame.assets.theme} />}
      {frame.assets.fonts?.map(href => (
        <link rel="stylesheet" href={href} />
      ))}
      {!frame.isCopy && <Scripts frame={frame} page={page} />}
      <link rel="icon" href={frame.favicon.href} type={frame.favicon.type} />
      {frame.touchIcon && <link rel="apple-touch-icon" href={frame.touchIcon} />}
      {!frame.isCopy && <ForPrograms frame={frame} page={page} />}
    </head>
  )
}

function Scripts({ frame: { assets }, page }: { frame: Frame; page: SitePage }) {
  return (
    <>
      <script type="module" src={assets.script} />
      {hasDiagrams(page) && <script type="module" src={assets.diagramScript} />}
      {assets.scripts?.map(address => (
        <script async src={address} />
      ))}
    </>
  )
}

/** Returns the other forms of the page, and what other services show of a link to it. */
function ForPrograms({ frame, page }: { frame: Frame; page: SitePage }) {
  const { head } = page
  return (
    <>
      <Alternates head={head} />
      <Preview frame={frame} page={page} />
      {head.crumbs.length > 0 && <Crumbs head={head} />}
    </>
  )
}

/** Returns whether a page has parts that the style sheet of earlier versions and members is for. */
const usesTravel = ({ banner, toolbar }: Frame, { kind }: SitePage): boolean =>
  banner !== undefined || toolbar.length > 0 || kind === 'history'

/** Returns whether a page has operations that readers can call. */
export const hasCalls = (page: SitePage): boolean => page.kind === 'article' && page.calls === true

/** Returns whether a page has diagrams that frames draw. */
const hasDiagrams = (page: SitePage): boolean => page.kind === 'article' && page.diagrams === true

function Alternates({ head }: { head: Head }) {
  return (
    <>
      {head.markdown && <link rel="alternate" type="text/markdown" href={head.markdown} />}
      {head.feed && <link rel="alternate" type="application/rss+xml" href={head.feed} />}
      {head.alternates.map(({ lang, href }) => (
        <link rel="alternate" hreflang={lang} href={href} />
      ))}
    </>
  )
}

/** What other services show of a link to the page. */
function Preview({ frame, page: { head, kind } }: { frame: Frame; page: SitePage }) {
  return (
    <>
      <meta property="og:type" content={kind === 'article' ? 'article' : 'website'} />
      <meta property="og:site_name" content={frame.title} />
      <meta property="og:title" content={head.title} />
      {head.description && <meta property="og:description" content={head.description} />}
      {head.canonical && <meta property="og:url" content={head.canonical} />}
      {head.image && <meta property="og:image" content={head.image} />}
      <meta name="twitter:card" content={head.image ? 'summary_large_image' : 'summary'} />
    </>
  )
}

function Crumbs({ head }: { head: Head }) {
  const list = {
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: head.crumbs.map(({ title, href }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: title,
      item: href,
    })),
  }
  const json = JSON.stringify(list).replaceAll('<', '\\u003c')
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
}
