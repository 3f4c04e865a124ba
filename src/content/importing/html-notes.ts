import type TurndownService from 'turndown'

/** The number of a note, at its mark and at its text. */
const numbered = 'data-note'

/**
 * Numbers the footnotes and endnotes of a Word document. mammoth has `<sup><a id="footnote-ref-2"
 * href="#footnote-2">[1]</a></sup>` in the text, and a list at the end with an item `footnote-2` for each of
 * these marks, in their order, which ends in a link back.
 */
export function numberNotes(content: Element): void {
  for (const each of ['sup > a[id*="note-ref-"]', 'li[id*="note-"]'])
    Array.from(content.querySelectorAll(each)).forEach((element, at) => {
      element.setAttribute(numbered, String(at + 1))
    })
  for (const link of Array.from(content.querySelectorAll('li a[href*="note-ref-"]')))
    if (link.textContent === '↑') link.remove()
}

const numberOf = (node: Node): string => (node as Element).getAttribute(numbered)!
const isNumbered = (node: Node): boolean => (node as Element).hasAttribute(numbered)

/** Returns whether a raised text is only the mark of a note, which a page raises by itself. */
export const isNoteMark = ({ childNodes, firstChild }: Node): boolean =>
  childNodes.length === 1 && firstChild?.nodeName === 'A' && isNumbered(firstChild)

/** Rules that make numbered notes the footnotes of Markdown. */
export const noteRules: Readonly<Record<string, TurndownService.Rule>> = {
  noteMark: {
    filter: node => node.nodeName === 'A' && isNumbered(node),
    replacement: (_, node) => `[^${numberOf(node)}]`,
  },
  note: {
    filter: node => node.nodeName === 'LI' && isNumbered(node),
    replacement: (content, node) =>
      `[^${numberOf(node)}]: ${content.trim().replace(/\\?\s*\n+\s*/g, '<br>')}\n`,
  },
}
