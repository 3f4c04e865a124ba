import { slugOfTitle } from '../text/slug.ts'

/** The first segments below a site that are not paths of sections and spaces. */
const reserved: ReadonlySet<string> = new Set([
  'v1',
  'sso',
  'files',
  'sitemap.xml',
  'sitemap-pages.xml',
  'robots.txt',
  'llms.txt',
  'llms-full.txt',
  'rss.xml',
  'favicon.ico',
  'index',
])

/** Returns a path for a title that is not taken: the slug of the title, with `-1`, `-2`, … if needed. */
export function derivePath(
  title: string,
  taken: ReadonlySet<string>,
  fallback: 'section' | 'space' | 'site',
): string {
  const plain = slugOfTitle(title)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 100)
    .replace(/[^a-z0-9]+$/, '')
  const path = plain === '' ? fallback : plain
  const isFree = (each: string) => !taken.has(each) && !reserved.has(each)
  if (isFree(path)) return path
  for (let n = 1; ; n++) {
    const end = `-${n}`
    const next = path.slice(0, 100 - end.length) + end
    if (isFree(next)) return next
  }
}
