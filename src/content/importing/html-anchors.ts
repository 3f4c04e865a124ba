import type TurndownService from 'turndown'
import { slugOfTitle } from '../text/slug.ts'

const headings = 'h1, h2, h3, h4, h5, h6'

/** Returns the links of an element to places on its own page, by the name of the place. */
function linksWithin(content: Element): Map<string, Element[]> {
  const links = new Map<string, Element[]>()
  for (const link of Array.from(content.querySelectorAll('a[href^="#"]'))) {
    const name = nameIn(link.getAttribute('href')!)
    const known = links.get(name)
    if (known) known.push(link)
    else links.set(name, [link])
  }
  return links
}

function nameIn(href: string): string {
  try {
    return decodeURIComponent(href.slice(1))
  } catch {
    return href.slice(1)
  }
}

/**
 * Settles the bookmarks of a Word document, which has some in each heading of a table of contents: those
 * that no link needs go, and links to a heading get the id that it has on a page.
 */
export function settleBookmarks(content: Element): void {
  const links = linksWithin(content)
  const slugs = new Map<Element, string>()
  const counts = new Map<string, number>()
  for (const heading of Array.from(content.querySelectorAll(headings))) {
    const slug = slugOfTitle(heading.textContent ?? '')
    slugs.set(heading, slug)
    counts.set(slug, (counts.get(slug) ?? 0) + 1)
  }

  for (const bookmark of Array.from(content.querySelectorAll('a[id]:not([href])'))) {
    const leading = links.get(bookmark.id) ?? []
    const heading = bookmark.closest(headings)
    const slug = heading === null ? undefined : slugs.get(heading)
    const isOne = slug !== undefined && counts.get(slug) === 1
    if (isOne) for (const link of leading) link.setAttribute('href', `#${slug}`)
    if (isOne || leading.length === 0) bookmark.remove()
  }
}

/** Marks the places outside of headings that links of the page lead to. */
export function markPlaces(content: Element): void {
  const links = linksWithin(content)
  for (const place of Array.from(content.querySelectorAll('a[id], a[name]'))) {
    const isLink = place.hasAttribute('href')
    if (!isLink && links.has(nameOf(place)) && place.closest(headings) === null)
      place.setAttribute(marked, '')
  }
}

const marked = 'data-place'

/** The rule that keeps marked places. */
export const placeRule: TurndownService.Rule = {
  filter: node => node.nodeName === 'A' && node.hasAttribute(marked),
  replacement: (content, node) => placeOf(node as unknown as Element) + content,
}

const nameOf = (place: Element): string => place.id || (place.getAttribute('name') ?? '')

/** Returns a place as Markdown has it, so that links to it hold. */
function placeOf(place: Element): string {
  const name = nameOf(place)
  return isFitName(name) ? anchorOf(name) : ''
}

/** Returns whether the name of a place can be an id of a page. */
export const isFitName = (name: string): boolean => /^[\w.:-]{1,200}$/.test(name)

/** Returns what gives a place of a page an id. */
export const anchorOf = (name: string): string => `<a href="#${name}" id="${name}"></a>`
