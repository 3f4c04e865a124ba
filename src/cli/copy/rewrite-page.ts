/** What the address in a page becomes: another address, or undefined for none. */
type Readdress = (address: string, of: 'page' | 'file') => string | undefined

/**
 * What a page without a server has no use for: scripts, the search, actions, forms, calls of
 * operations, addresses of its own, and frames of diagrams.
 */
const useless: readonly RegExp[] = [
  /<script\b[^>]*>.*?<\/script>/gs,
  /<dialog id="~search".*?<\/dialog>/gs,
  /<a class="btn find" id="~find".*?<\/a>/gs,
  /<button [^>]*\bdata-query=.*?<\/button>/gs,
  /<button class="[^"]*\bactions\b.*?<\/button><div class="menu".*?<\/div>/gs,
  /<form\b.*?<\/form>/gs,
  /<div class="try\b.*?<\/div>/gs,
  /<link rel="stylesheet" href="[^"]*\/call\.[^"]*"\s*\/?>/g,
  /<link rel="(?:canonical|alternate)"[^>]*>/g,
  /<meta property="og:[^>]*>/g,
  /<meta name="(?:robots|twitter:card)"[^>]*>/g,
  / (?:srcset|sizes|data-fragment|data-href|data-try|data-try-words|integrity)="[^"]*"/g,
]

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&#39;': "'",
}

const plain = (text: string): string =>
  text.replace(/&(?:amp|quot|lt|gt|#39);/g, entity => entities[entity]!)

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/**
 * Returns a page of a site as it stands in a copy: without what needs a server, and with other
 * addresses.
 */
export function rewritePage(html: string, readdress: Readdress): string {
  let page = html.replace(/<iframe\b[^>]*><\/iframe><details>/g, '<details open>')
  for (const pattern of useless) page = page.replace(pattern, '')
  return withoutDeadLinks(
    page.replace(/<(a|link|img)\b[^>]*>/g, (tag, name: string) =>
      tag.replace(/ (href|src)="([^"]*)"/, (_, attribute: string, address: string) => {
        const isPage =
          name === 'a' && !tag.includes(' download') && !/class="[^"]*\bzoom\b/.test(tag)
        const target = readdress(plain(address), isPage ? 'page' : 'file')
        return target === undefined ? '' : ` ${attribute}="${escaped(target)}"`
      }),
    ),
  )
}

/**
 * Removes links without an address from the header and the footer of a page. In the text, they stay
 * as words.
 */
const withoutDeadLinks = (page: string): string =>
  page
    .replace(/<a class="(?:quiet|btn[^"]*)">[^<]*<\/a>/g, '')
    .replace(/<footer class="foot">.*?<\/footer>/gs, footer =>
      footer.replace(/<li><a>[^<]*<\/a><\/li>/g, ''),
    )

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
  const to = escaped(address)
  return `<!doctype html><meta charset="utf-8"><title>${to}</title><meta http-equiv="refresh" content="0; url=${to}"><a href="${to}">${to}</a>\n`
}
