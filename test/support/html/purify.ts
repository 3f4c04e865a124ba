import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The text of DOMPurify, to be evaluated in a browser: its parser is the one that counts. */
export const purifier = readFileSync(
  createRequire(import.meta.url).resolve('dompurify/dist/purify.min.js'),
  'utf8',
)

/**
 * Runs in the page. Returns what DOMPurify removes from HTML, and whether anything else differs.
 * Beyond its defaults, it lets pass what the writer writes on purpose: frames of diagrams, the
 * annotation in formulas, and attributes of links and images. Two of its rules are off: ids such as
 * "location" are those of headings and no names in a form, and pages are not parsed as XML.
 */
export function purify(html: string): { removed: string[]; isSame: boolean } {
  type Removed = { element?: { nodeName: string }; attribute?: { name: string } | null }
  type Purifier = { sanitize: (html: string, options: object) => string; removed: Removed[] }
  const { DOMPurify } = globalThis as unknown as { DOMPurify: Purifier }
  const clean = DOMPurify.sanitize(html, {
    ADD_TAGS: ['iframe', 'semantics', 'annotation'],
    ADD_ATTR: ['target', 'fetchpriority', 'sandbox', 'encoding'],
    SANITIZE_DOM: false,
    SAFE_FOR_XML: false,
  })
  const whole = document.createElement('template')

  whole.innerHTML = html

  return {
    removed: DOMPurify.removed.map(
      ({ element, attribute }) => attribute?.name ?? element?.nodeName ?? '',
    ),
    isSame: clean === whole.innerHTML,
  }
}
