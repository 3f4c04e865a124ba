import { escapeHtml } from '../../content/html/escape.ts'
import { frameOf } from '../pages/frame.ts'
import { listingOf } from '../pages/listing.ts'
import { navOf } from '../pages/nav.ts'
import { canonicalBase } from '../place/canonical.ts'
import type { SitePlace } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { madeHtml, type SiteResponse } from '../sending/made.ts'
import type { ArticlePage } from '../views/model.ts'
import { renderPage } from '../views/render.tsx'

/** Returns the page that says how to connect a program to the endpoint of a site. */
export async function connectPage(place: SitePlace): Promise<SiteResponse> {
  const settings = settingsOf(place)
  const frame = await frameOf(place, settings)
  const { words } = frame
  const address = escapeHtml(`${canonicalBase(place)}~gitbook/mcp`)
  const page: ArticlePage = {
    kind: 'article',
    head: {
      title: words.mcp,
      description: '',
      canonical: '',
      robots: 'noindex',
      alternates: [],
      crumbs: [],
    },
    id: '',
    title: words.mcp,
    html: `<p>${escapeHtml(words.mcpText)}</p><figure class="code"><pre tabindex="0"><code>${address}</code></pre></figure>`,
    headings: [],
    breadcrumbs: [],
    nav: navOf(listingOf(place, settings), undefined),
    actions: [],
    layout: {
      wide: false,
      title: true,
      description: false,
      tableOfContents: true,
      outline: false,
      pagination: false,
      metadata: false,
    },
  }

  return madeHtml(renderPage(frame, page))
}
