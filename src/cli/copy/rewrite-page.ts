import { escapeHtml } from '../../content/html/escape.ts'
import { decodeEntities } from '../../content/markdown/entities.ts'
import { htmlTagAt } from '../../content/markdown/html.ts'

/** What the address in a page becomes: another address, or undefined for none. */
type Readdress = (address: string, of: 'page' | 'file') => string | undefined

/** Returns a page that a site sent for a copy with other addresses. */
export function rewritePage(html: string, readdress: Readdress): string {
  const parts: string[] = []
  let end = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', Math.max(end, at + 1))) {
    const tag = htmlTagAt(html, at)
    const name = tag && /^<(a|link|img|video|source|track)\s/.exec(tag)?.[1]
    if (tag === undefined || name === undefined) continue
    parts.push(html.slice(end, at), rewriteTag(tag, name === 'a' ? 'page' : 'file', readdress))
    end = at + tag.length
  }

  parts.push(html.slice(end))

  return parts.join('')
}

/** Returns a tag with another address. A link without one stays as words. */
const rewriteTag = (tag: string, of: 'page' | 'file', readdress: Readdress): string =>
  tag.replace(/ (href|src|poster)="([^"]*)"/, (_, attribute: string, address: string) => {
    const target = readdress(decodeEntities(address), of)
    return target === undefined ? '' : ` ${attribute}="${escapeHtml(target)}"`
  })

/** Returns a style sheet with other addresses. Addresses with the data itself stay. */
export const rewriteStyle = (
  css: string,
  readdress: (address: string) => string | undefined,
): string =>
  css.replace(/url\((?!["']?data:)["']?([^"')]+)["']?\)/g, (whole, address: string) => {
    const target = readdress(address)
    return target === undefined ? whole : `url(${target})`
  })

/** Returns a page that leads to an address elsewhere. */
export function leadingPage(address: string): string {
  const to = escapeHtml(address)
  return `<!doctype html><meta charset="utf-8"><title>${to}</title><meta http-equiv="refresh" content="0; url=${to}"><a href="${to}">${to}</a>\n`
}
