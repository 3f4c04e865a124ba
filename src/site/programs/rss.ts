/** A feed. Addresses are whole URLs. */
type Feed = {
  title: string
  description: string
  /** What the feed is about, and the feed itself. */
  link: string
  self: string
  language: string
  items: readonly FeedItem[]
}

export type FeedItem = {
  title: string
  link: string
  /** Identifies the item for ever. It is no address. */
  id: string
  date: Date
  categories: readonly string[]
  /** HTML with whole URLs. */
  html: string
}

/** Returns a text for XML: without the characters that it cannot have. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

function itemText({ title, link, id, date, categories, html }: FeedItem): string {
  const named = categories.map(category => `<category>${escaped(category)}</category>`)
  return [
    '<item>',
    `<title>${escaped(title)}</title>`,
    `<link>${escaped(link)}</link>`,
    `<guid isPermaLink="false">${escaped(id)}</guid>`,
    `<pubDate>${date.toUTCString()}</pubDate>`,
    ...named,
    `<description>${escaped(html)}</description>`,
    '</item>\n',
  ].join('')
}

/** Returns a feed as RSS 2.0. The same feed is the same text, whenever it is asked for. */
export function rssText({ title, description, link, self, language, items }: Feed): string {
  const latest = items.reduce((last, { date }) => Math.max(last, date.getTime()), 0)
  const changed =
    latest > 0 ? `<lastBuildDate>${new Date(latest).toUTCString()}</lastBuildDate>` : ''
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${escaped(title)}</title>
<link>${escaped(link)}</link>
<description>${escaped(description)}</description>
<language>${escaped(language)}</language>
${changed}<atom:link rel="self" type="application/rss+xml" href="${escaped(self)}"/>
${items.map(itemText).join('')}</channel></rss>
`
}
