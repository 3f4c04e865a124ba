/** What crawlers may read. */
export type CrawlerRules = {
  /** The names of the crawlers; `*` for all without rules of their own. */
  agents: readonly string[]
  /** The beginnings of paths. The longest that fits counts. */
  allow: readonly string[]
  disallow: readonly string[]
}

/** What crawlers need of the addresses with a tilde below a site: images, files, styles and icons of its pages. */
const shown = ['~gitbook/icon', '~gitbook/ogimage', '~stemma/assets', '~stemma/files', '~stemma/theme']

/** Returns the rules for a base of pages, a path with a slash at its end: searches, former versions and the like are left out. */
export const pagesOnly = (base: string): Pick<CrawlerRules, 'allow' | 'disallow'> => ({
  allow: shown.map(path => base + path),
  disallow: [`${base}~`],
})

/** Returns `robots.txt`: what crawlers may read, and where the site maps are. */
export function robotsText(rules: readonly CrawlerRules[], sitemaps: readonly string[]): string {
  const groups = rules.map(({ agents, allow, disallow }) => [
    ...agents.map(name => `User-agent: ${name}`),
    ...allow.map(path => `Allow: ${path}`),
    ...disallow.map(path => `Disallow: ${path}`),
  ])
  const maps = sitemaps.map(address => `Sitemap: ${address}`)
  return `${[...groups, ...(maps.length > 0 ? [maps] : [])].map(lines => lines.join('\n')).join('\n\n')}\n`
}
