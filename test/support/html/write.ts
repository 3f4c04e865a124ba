import type { HtmlOptions, HtmlWords, PageHtml } from '../../../src/content/html/page-html.ts'
import { writePage } from '../../../src/content/html/write-page.ts'
import { atOnce } from '../../../src/lib/slices.ts'

export const htmlWords: HtmlWords = {
  copy: 'Copy',
  linkToHeading: 'Link to this heading',
  table: 'Table',
  footnotes: 'Footnotes',
  backToText: 'Back to the text',
  download: 'Download',
  diagram: 'Diagram',
  showMore: 'Show more',
  showLess: 'Show less',
  diagramFailed: 'This diagram cannot be drawn.',
  enlarge: 'Enlarge the image',
  tryIt: 'Try it',
  formula: 'Formula',
  cut: 'The rest is left out.',
  edited: 'edited',
  added: 'added',
  removed: 'removed',
  moved: 'moved',
}

/**
 * Options of a space in which `*.md` are pages, `*.pdf` and recordings are files, and images are 200 × 100 pixels.
 */
export const htmlOptions: HtmlOptions = {
  words: htmlWords,
  file: 'page.md',
  externalBlank: false,
  marksBroken: false,
  icon: name => (name === 'rocket' ? '<svg viewBox="0 0 1 1"></svg>' : undefined),
  targets: {
    link: (_, target) => {
      if (/^[a-z]+:/i.test(target.trim())) return { href: target, kind: 'external' }
      if (/\.(?:pdf|mp[34]|vtt)$/.test(target))
        return { href: `/files/${target}`, kind: 'file', title: target, size: 12_345 }
      const page = /^([a-z]+)\.md(#.*)?$/.exec(target)
      if (!page) return undefined

      return {
        href: `/${page[1]}${page[2] ?? ''}`,
        kind: 'page',
        title: `Page ${page[1]}`,
        emoji: '📘',
      }
    },
    image: (_, target) =>
      /\.png$/.test(target) || /^[a-z]+:/i.test(target)
        ? { src: target, width: 200, height: 100 }
        : undefined,
    include: (_, target) =>
      target === 'loop.md'
        ? { path: 'loop.md', markdown: 'around\n\n{% include "loop.md" %}\n' }
        : target === 'shared.md'
          ? { path: 'shared.md', markdown: '# Shared\n\n## Steps\n\n[up](#usage)\n' }
          : undefined,
  },
}

/** Returns a page as HTML, written at once. */
export const pageHtml = (markdown: string, options: Partial<HtmlOptions> = {}): PageHtml =>
  atOnce(writePage(markdown, { ...htmlOptions, ...options }))

/**
 * The elements that the writer may write, without MathML, with the attributes of each beside those
 * of all.
 */
const allowed: Readonly<Record<string, string>> = {
  a: 'href rel target role title download data-player aria-label',
  abbr: 'title',
  audio: 'controls autoplay muted loop preload aria-label',
  button: 'type data-query',
  col: 'width',
  details: 'name open data-tab',
  div: 'tabindex role aria-label',
  figure: 'data-lang',
  iframe: 'sandbox src title loading',
  img: 'src srcset sizes alt width height fetchpriority loading decoding',
  input: 'type disabled checked aria-label',
  ol: 'start',
  pre: 'tabindex',
  section: 'role aria-label',
  source: 'src',
  span: 'aria-hidden role aria-label',
  svg: 'viewBox',
  td: 'colspan rowspan scope',
  th: 'colspan rowspan scope',
  time: 'datetime',
  track: 'kind src srclang label default',
  video: 'controls autoplay muted loop playsinline preload poster width height aria-label',
  article: 'data-tags',
  ...Object.fromEntries(
    (
      'b bdi bdo blockquote br cite code colgroup dd del dfn dl dt em figcaption h2 h3 h4 h5 h6 header hr i ins kbd label li ' +
      'mark p q rt ruby s samp small strong sub summary sup table tbody thead tr u ul var wbr'
    )
      .split(' ')
      .map(name => [name, '']),
  ),
}

const everywhere = new Set(['class', 'id', 'dir', 'lang'])
const empty = new Set(['br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr'])
const maths = new Set(
  (
    'math semantics annotation mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover ' +
    'mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose merror mglyph'
  ).split(' '),
)

function faultOf(name: string, attribute: string, value: string): string | undefined {
  const isMath =
    maths.has(name) && /^[a-z]+$/.test(attribute) && !/^(?:on|style|href|src)/.test(attribute)
  const isKnown =
    everywhere.has(attribute) || (allowed[name] ?? '').split(' ').includes(attribute) || isMath
  if (!isKnown) return `<${name} ${attribute}>`

  const address = /^(?:href|src|poster)$/.test(attribute) ? value.replace(/&amp;/g, '&') : ''
  if (/[\x00-\x1f]/.test(address)) return `a control character in ${attribute}`

  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase()
  if (scheme === undefined || ['http', 'https', 'mailto', 'tel'].includes(scheme)) return undefined

  return /^(?:img|video)$/.test(name) && /^data:image\//.test(address)
    ? undefined
    : `${attribute}="${address}"`
}

/**
 * Returns what is wrong with HTML of the writer: elements and attributes that are not on the list,
 * addresses with other schemes, end tags without a start tag, ids that occur twice. It reads no
 * forgiving HTML, only what the writer writes.
 */
export function htmlFaults(html: string): string[] {
  const faults: string[] = []
  const open: string[] = []
  const ids = new Set<string>()
  const tag = /<(\/?)([A-Za-z][A-Za-z0-9]*)((?: [A-Za-z-]+(?:="[^"<>]*")?)*)(\/?)>/y

  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    tag.lastIndex = at
    const found = tag.exec(html)
    if (!found) return [...faults, `no tag: ${html.slice(at, at + 60)}`]

    const [whole, slash, name = '', attributes = '', closed = ''] = found

    at += whole.length

    if (slash) {
      if (open.pop() !== name) return [...faults, `</${name}> is not open`]
      continue
    }

    if (allowed[name] === undefined && !maths.has(name)) faults.push(`<${name}>`)
    if (closed && !maths.has(name)) faults.push(`<${name}/>`)
    if (!closed && !empty.has(name)) open.push(name)

    const seen = new Set<string>()

    for (const [, attribute = '', value = ''] of attributes.matchAll(
      / ([A-Za-z-]+)(?:="([^"]*)")?/g,
    )) {
      const fault = seen.has(attribute)
        ? `<${name}> has ${attribute} twice`
        : faultOf(name, attribute, value)
      if (fault !== undefined) faults.push(fault)
      seen.add(attribute)
      if (attribute !== 'id') continue
      if (ids.has(value)) faults.push(`id ${value} occurs twice`)
      ids.add(value)
    }
  }

  return [...faults, ...open.map(name => `<${name}> is not closed`)]
}
