/** Returns `robots.txt`: what crawlers may read below a base, and where the site map is. */
export function robotsText({
  isAllowed,
  base,
  sitemap,
  refused,
}: {
  isAllowed: boolean
  /** The path of the site, with a slash at its end. */
  base: string
  sitemap: string | undefined
  /** The names of crawlers that may read nothing. */
  refused: readonly string[]
}): string {
  const rules = isAllowed
    ? ['User-agent: *', `Allow: ${base}`, `Disallow: ${base}~`]
    : ['User-agent: *', `Disallow: ${base}`]
  const others = refused.flatMap(name => ['', `User-agent: ${name}`, `Disallow: ${base}`])
  return `${[...rules, ...others, ...(sitemap === undefined ? [] : ['', `Sitemap: ${sitemap}`])].join('\n')}\n`
}
