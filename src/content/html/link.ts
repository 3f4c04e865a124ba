import type { MarkupElement } from '../markup/tree.ts'
import { escapeHtml, linkAddress } from './escape.ts'
import type { HtmlLink } from './page-html.ts'
import { endPiece, put, type Sheet } from './sheet.ts'

/**
 * Returns where a target leads; undefined for a broken one, and for an address that no link may
 * have.
 */
export function linkTo(sheet: Sheet, target: string | undefined): HtmlLink | undefined {
  if (target === undefined || target === '') return undefined
  // Included content is a part of the page, and so are its headings.
  if (target.startsWith('#')) return { href: target, kind: 'anchor' }
  const link = sheet.options.targets.link(sheet.origin.file, target)
  if (!link) return undefined
  const href = linkAddress(link.href)
  return href === undefined ? undefined : { ...link, href }
}

/** Writes the start tag of a link. The caller writes its content and `</a>`. */
export function openLink(sheet: Sheet, { href, kind }: HtmlLink, attributes = ''): void {
  const { externalBlank } = sheet.options
  if (href.startsWith('#')) {
    put(sheet, `<a${attributes} href="#`)
    endPiece(sheet)
    sheet.out.push({ anchor: href.slice(1) })
    put(sheet, '">')
    return
  }

  const leaves = kind === 'external' && !/^(?:mailto|tel):/i.test(href)
  const rel = leaves ? ` rel="noopener nofollow"${externalBlank ? ' target="_blank"' : ''}` : ''

  put(sheet, `<a${attributes} href="${escapeHtml(href)}"${rel}>`)
}

/** Returns the SVG of an icon in an element that screen readers skip; '' for an unknown icon. */
export function iconOf(sheet: Sheet, name: string | undefined): string {
  if (name === undefined || !/^[\w-]{1,60}$/.test(name)) return ''
  const svg = sheet.options.icon?.(name)
  return svg === undefined ? '' : `<span class="icon" aria-hidden="true">${svg}</span>`
}

/**
 * Returns the emoji or the icon of the page that a link leads to, with a space after it; '' if it
 * has none.
 */
export function signOf(sheet: Sheet, { emoji, icon }: HtmlLink): string {
  if (emoji) return `${escapeHtml(emoji)} `
  const svg = iconOf(sheet, icon)
  return svg === '' ? '' : `${svg} `
}

/** Returns the class of a target that leads nowhere: members see it. */
export const brokenClass = (sheet: Sheet): string => (sheet.options.marksBroken ? 'broken' : '')

/** Returns the first target of a link in an element; undefined if there is none. */
export function targetIn(node: MarkupElement): string | undefined {
  if (node.name === 'a' && node.attributes.href) return node.attributes.href
  for (const inner of node.nodes) {
    const found = typeof inner === 'string' ? undefined : targetIn(inner)
    if (found !== undefined) return found
  }
  return undefined
}
