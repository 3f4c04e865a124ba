import type { ListedPage } from './llms.ts'

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
const schema = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** The most addresses that one site map may have. */
const mostAddresses = 50_000

/** Returns the site map of the pages of a site space. */
export function pagesSitemap(pages: readonly ListedPage[]): string {
  const urls = pages.slice(0, mostAddresses).map(({ url, updated }) => {
    const changed = updated === undefined ? '' : `<lastmod>${escaped(updated)}</lastmod>`
    return `<url><loc>${escaped(url)}</loc>${changed}</url>\n`
  })
  return `${head}<urlset xmlns="${schema}">\n${urls.join('')}</urlset>\n`
}

/** Returns the site map of a site: a list of those of its site spaces. */
export const siteSitemap = (addresses: readonly string[]): string =>
  `${head}<sitemapindex xmlns="${schema}">\n${addresses
    .map(address => `<sitemap><loc>${escaped(address)}</loc></sitemap>\n`)
    .join('')}</sitemapindex>\n`
