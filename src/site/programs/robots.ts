/** A group of rules for crawlers. */
export type CrawlerRules = {
  /** The names of the crawlers; `*` stands for all without a group of their own. */
  agents: readonly string[]
  /** Prefixes of paths. The longest prefix that matches decides. */
  allow: readonly string[]
  disallow: readonly string[]
}

/** Addresses with a tilde that crawlers need to render pages: images, files, styles and icons. */
const shown = [
  '~gitbook/icon',
  '~gitbook/ogimage',
  '~stemma/assets',
  '~stemma/files',
  '~stemma/theme',
]

/**
 * Returns the rules for pages below `base`, a path that ends with a slash. They exclude searches,
 * earlier versions and similar addresses.
 */
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
