import { createDocument } from '@mixmark-io/domino'
import TurndownService from 'turndown'
import { slugOfTitle } from '../text/slug.ts'
import { anchorOf, isFitName, markPlaces, placeRule, settleBookmarks } from './html-anchors.ts'
import { isNoteMark, noteRules, numberNotes } from './html-notes.ts'
import { tableRule } from './html-table.ts'

/** What a page in HTML refers to: how its links are written, and the pictures that it contains itself. */
type HtmlTargets = {
  /** Whether the page was a Word document. */
  isWord: boolean
  /** Returns the target of a link. */
  hrefOf: (href: string) => string
  /** Returns the target of a picture whose bytes are in its address; undefined if it is none. */
  pictureOf: (address: string) => string | undefined
  /** Called once for each kind of element that is left out. */
  leftOut: (name: string) => void
}

/** Longer pages would take minutes. */
export const mostHtml = 2_000_000

/** Elements that show nothing of a text. */
const silent = 'script, style, noscript, template, link, meta, base'
/** Elements that Markdown has nothing for. */
const unknown =
  'iframe, object, embed, video, audio, canvas, svg, math, input:not([type=checkbox]), select, textarea, button, nav'

/**
 * Returns a page in HTML as Markdown: what is in its `main` or only `article`, or all of it. No script
 * runs and nothing is fetched. Throws RangeError for elements that are nested too deep.
 */
export function markdownOfHtml(html: string, targets: HtmlTargets): string {
  const document = createDocument(html)
  const title = document.title.replace(/\s+/g, ' ').trim()
  const articles = document.querySelectorAll('article')
  const content =
    document.querySelector('main, [role=main]') ??
    (articles.length === 1 ? articles[0]! : document.body)

  for (const element of Array.from(content.querySelectorAll(silent))) element.remove()
  const names = new Set<string>()
  for (const element of Array.from(content.querySelectorAll(unknown))) {
    names.add(element.nodeName.toLowerCase())
    element.remove()
  }
  for (const name of names) targets.leftOut(name)
  if (targets.isWord) {
    numberNotes(content)
    settleBookmarks(content)
  }
  markPlaces(content)
  retarget(content, targets)

  const markdown = converter(targets)
    .turndown(content as HTMLElement)
    .trim()
  const needsTitle = title !== '' && !content.querySelector('h1')
  const heading = needsTitle ? `# ${escapeText(title)}\n\n` : ''
  return `${heading}${markdown}\n`
}

function retarget(content: Element, { hrefOf, pictureOf }: HtmlTargets): void {
  for (const link of Array.from(content.querySelectorAll('a[href]'))) {
    const href = link.getAttribute('href')!
    if (/^\s*(?:javascript|data|vbscript):/i.test(href)) link.removeAttribute('href')
    else link.setAttribute('href', hrefOf(href))
  }
  for (const picture of Array.from(content.querySelectorAll('img'))) {
    const address = picture.getAttribute('src') ?? ''
    if (!/^\s*data:/i.test(address)) continue
    const target = pictureOf(address)
    if (target === undefined) picture.remove()
    else picture.setAttribute('src', target)
  }
}

/** Escapes what Markdown and the content format would take for their own. */
const escapeText = (text: string): string => plain.escape(text)

const plain = new TurndownService()
const escapeMarkdown = plain.escape.bind(plain)
plain.escape = text =>
  escapeMarkdown(text)
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/</g, '\\<')
    .replace(/\{(?=%)/g, '{\\')

/** Elements that Markdown has no signs for, and pages have. */
const raised = ['sup', 'sub', 'kbd'] as const

function converter({ isWord }: HtmlTargets): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '*',
    hr: '---',
    br: '\\',
  })
  service.escape = escapeText
  service.addRule('struck', {
    filter: ['del', 's'],
    replacement: content => (content.trim() === '' ? content : `~~${content}~~`),
  })
  service.addRule('preformatted', {
    filter: node => node.nodeName === 'PRE' && node.firstChild?.nodeName !== 'CODE',
    replacement: (_, node) => fenced(node.textContent ?? ''),
  })
  service.addRule('anchored', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node) => headingOf(content, node as unknown as Element),
  })
  service.addRule('item', { filter: 'li', replacement: itemOf })
  service.addRule('box', { filter: 'input', replacement: (_, node) => boxOf(node) })
  service.addRule('place', placeRule)
  service.addRule('raised', {
    filter: [...raised],
    replacement: (content, node) => {
      const name = node.nodeName.toLowerCase()
      return content.trim() === '' || isNoteMark(node) ? content : `<${name}>${content}</${name}>`
    },
  })
  service.addRule('table', tableRule)
  if (isWord) for (const [name, rule] of Object.entries(noteRules)) service.addRule(name, rule)
  return service
}

/** Returns a heading with the id that it has in HTML, so that links to it hold. */
function headingOf(content: string, node: Element): string {
  const text = content.replace(/\s*\n\s*/g, ' ').trim()
  if (text === '') return ''
  const id = node.getAttribute('id') ?? node.querySelector('a[id]')?.getAttribute('id') ?? ''
  const isNew = isFitName(id) && id !== slugOfTitle(node.textContent ?? '')
  const anchor = isNew ? ` ${anchorOf(id)}` : ''
  return `\n\n${'#'.repeat(Number(node.nodeName[1]))} ${text}${anchor}\n\n`
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `\n\n${fence}\n${text.replace(/\n$/, '')}\n${fence}\n\n`
}

/** Returns whether a checkbox makes the item of a list around it a task. */
const isOfTask = ({ parentNode }: Node): boolean =>
  parentNode?.nodeName === 'LI' ||
  (parentNode?.nodeName === 'P' && parentNode.parentNode?.nodeName === 'LI')

/** Returns a checkbox that is no task as a sign. */
const boxOf = (box: Node): string =>
  isOfTask(box) ? '' : (box as Element).hasAttribute('checked') ? '☑' : '☐'

function itemOf(content: string, node: Node): string {
  const list = node.parentNode as Element | null
  const box = Array.from((node as Element).querySelectorAll('input')).find(
    ({ parentNode }) =>
      parentNode === node || (parentNode?.nodeName === 'P' && parentNode.parentNode === node),
  )
  const task = box ? `[${box.hasAttribute('checked') ? 'x' : ' '}] ` : ''
  const start = Number(list?.getAttribute?.('start') ?? 1)
  const at = list ? Array.from(list.children).indexOf(node as Element) : 0
  const mark =
    list?.nodeName === 'OL' ? `${(Number.isSafeInteger(start) ? start : 1) + at}. ` : '* '
  const text = content.trim().replace(/\n(?!\n|$)/g, `\n${' '.repeat(mark.length)}`)
  return `${mark}${task}${text}\n`
}
