import { sourcesOf } from '../markup/blocks.ts'
import { onlyImage } from '../markup/lines.ts'
import { isElement, type MarkupElement, pixels } from '../markup/tree.ts'
import { nameOfTarget } from '../text/name-of-target.ts'
import { attributesOf, widthClass } from './change.ts'
import { escapeHtml, imageAddress } from './escape.ts'
import { brokenClass, linkTo, openLink } from './link.ts'
import type { HtmlImage } from './page-html.ts'
import { put, putText, type Sheet } from './sheet.ts'

const longestText = 1000

/** How an image is shown: as a block, within a line, or as the cover of a card. */
type ImagePlace = 'block' | 'inline' | 'cover'

/**
 * Returns an image of the space or of another server; undefined for a broken target and for other
 * addresses.
 */
export function imageAt(sheet: Sheet, target: string | undefined): HtmlImage | undefined {
  if (!target) return undefined
  const image = sheet.options.targets.image(sheet.origin.file, target)
  const src = image && imageAddress(image.src)
  return image && src !== undefined ? { ...image, src } : undefined
}

/** The height of images that are marked as part of a line, in pixels. */
const lineHeight = 24

/**
 * Returns the attributes `width` and `height`: the author's width and the height in proportion, or
 * the size of the file. With `isLine`, the image is not higher than a line unless the author says
 * so.
 */
function sizeOf({ width, height }: HtmlImage, wanted: string | undefined, isLine: boolean): string {
  const own = pixels(wanted)
  if (!width || !height) return own ? ` width="${own}"` : ''
  const fitting = isLine && height > lineHeight ? (width * lineHeight) / height : width
  const shown = own ?? Math.max(1, Math.round(fitting))
  const high = Math.max(1, Math.round((height * shown) / width))
  return ` width="${shown}" height="${high}"`
}

/**
 * The attributes of a candidate list; only for images that have one. Images as high as a line are
 * small, covers as wide as their card.
 */
function candidates(
  { srcset }: HtmlImage,
  place: ImagePlace | 'line',
  wanted: string | undefined,
): string {
  if (!srcset) return ''
  const own = pixels(wanted)
  const column = own ? `min(100vw, ${own}px)` : '(min-width: 50rem) 46rem, 100vw'
  const sizes = {
    block: column,
    inline: column,
    line: own ? column : '6rem',
    cover: '(min-width: 50rem) 24rem, 100vw',
  }

  return ` srcset="${escapeHtml(srcset)}" sizes="${sizes[place]}"`
}

type Shown = { place: ImagePlace; only: '' | 'light-only' | 'dark-only' }

function putImage(
  sheet: Sheet,
  node: MarkupElement,
  image: HtmlImage,
  { place, only }: Shown,
): void {
  const { alt = '', width } = node.attributes
  const isLine = place === 'inline' && node.attributes['data-size'] === 'line'
  const classes = [place === 'block' ? '' : place, isLine ? 'line' : '', widthClass(width), only]
  const named = classes.filter(name => name !== '').join(' ')

  // A hidden image is not loaded if it is lazy.
  const first = sheet.images++ === 0 && only === ''
  const leads = image.isLarge && place === 'block' && !sheet.linked
  const label = alt.trim() === '' ? ` aria-label="${escapeHtml(sheet.options.words.enlarge)}"` : ''
  if (leads)
    put(sheet, `<a class="zoom${only && ` ${only}`}" href="${escapeHtml(image.src)}"${label}>`)
  put(
    sheet,
    `<img${named && ` class="${named}"`} src="${escapeHtml(image.src)}"${candidates(image, isLine ? 'line' : place, width)} ` +
      `alt="${escapeHtml(alt.slice(0, longestText))}"${sizeOf(image, width, isLine)} ` +
      `${first ? 'fetchpriority="high"' : 'loading="lazy"'} decoding="async">`,
  )
  if (leads) put(sheet, '</a>')
}

/** Returns the target of the first candidate of a list of images. */
const firstOf = (srcset: string | undefined): string | undefined =>
  srcset?.trim().replace(/\s+[\d.]+[wx]\b.*$/s, '')

/**
 * Writes an image; with `dark`, a second one that dark pages show instead. A broken one is its
 * text, and a link to its file.
 */
export function writeImage(
  sheet: Sheet,
  node: MarkupElement,
  place: ImagePlace,
  dark?: string,
): void {
  const { src, alt = '' } = node.attributes
  const kind = kindOfRecording(src)
  if (kind && writeRecording(sheet, { ...node, name: kind })) return

  const image = imageAt(sheet, src)
  if (!image) {
    writeMissing(sheet, src, alt)
    return
  }

  const other = imageAt(sheet, dark)

  putImage(sheet, node, image, { place, only: other ? 'light-only' : '' })
  if (other) putImage(sheet, node, other, { place, only: 'dark-only' })
}

function writeMissing(sheet: Sheet, src: string | undefined, alt: string): void {
  const words = alt.slice(0, longestText)
  const link = sheet.linked ? undefined : linkTo(sheet, src)
  const broken = link ? '' : brokenClass(sheet)
  const shown = words !== '' || broken === '' ? words : (src ?? '').slice(0, longestText)
  if (shown === '') return
  if (link) openLink(sheet, link)
  else if (broken) put(sheet, `<span class="${broken}">`)
  putText(sheet, shown)
  if (link) put(sheet, '</a>')
  else if (broken) put(sheet, '</span>')
}

/** Writes the image of a `<picture>`, with the source for dark pages if it has one. */
export function writePicture(sheet: Sheet, picture: MarkupElement, place: ImagePlace): void {
  const elements = picture.nodes.filter(isElement)
  const image = elements.find(({ name }) => name === 'img')
  const dark = elements.find(
    ({ name, attributes: { media } }) =>
      name === 'source' && /prefers-color-scheme:\s*dark/.test(media ?? ''),
  )
  if (image) writeImage(sheet, image, place, firstOf(dark?.attributes.srcset))
}

/** Writes the result of `onlyImage`, with its link. */
export function writeOnlyImage(sheet: Sheet, node: MarkupElement, place: ImagePlace): void {
  if (node.name === 'img') writeImage(sheet, node, place)
  else if (node.name === 'picture') writePicture(sheet, node, place)
  else {
    const link = sheet.linked ? undefined : linkTo(sheet, node.attributes.href)
    if (link) openLink(sheet, link, attributesOf(sheet, node))
    const linked = sheet.linked
    sheet.linked ||= link !== undefined
    const inner = onlyImage(node.nodes)
    if (inner) writeOnlyImage(sheet, inner, place)
    sheet.linked = linked
    if (link) put(sheet, '</a>')
  }
}

/** Returns the element that plays a file, by the end of its name; undefined for other files. */
function kindOfRecording(target: string | undefined): 'video' | 'audio' | undefined {
  const end = /\.(\w{1,5})$/.exec(nameOfTarget(target ?? ''))?.[1]?.toLowerCase() ?? ''
  if (/^(?:mp4|m4v|mov|webm|ogv)$/.test(end)) return 'video'
  return /^(?:mp3|m4a|aac|ogg|oga|opus|wav|flac)$/.test(end) ? 'audio' : undefined
}

/**
 * Returns the address of a recording that a page plays: of a file of the space, or of another
 * server over HTTPS.
 */
function recordingAt(sheet: Sheet, target: string): string | undefined {
  const link = linkTo(sheet, target)
  const plays = link?.kind === 'file' || (link?.kind === 'external' && /^https:/i.test(link.href))
  return plays ? link.href : undefined
}

/**
 * Returns how a recording is played. It begins by itself only without sound, and has no buttons
 * only if it is also endless, like an animated image.
 */
function playing(sheet: Sheet, { name, attributes }: MarkupElement): string {
  const { autoplay, muted, loop, playsinline, poster, width, height, alt } = attributes
  const begins = autoplay !== undefined && muted !== undefined
  const flags = { controls: !begins || loop === undefined, autoplay: begins, muted, loop }
  const ofVideo = name === 'video'
  const image = ofVideo ? imageAt(sheet, poster) : undefined
  const sizes = ofVideo ? { width: pixels(width), height: pixels(height) } : {}
  const written = Object.entries({ ...flags, ...(ofVideo && { playsinline }) })
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([flag]) => ` ${flag}`)

  for (const [side, size] of Object.entries(sizes)) if (size) written.push(` ${side}="${size}"`)
  if (alt) written.push(` aria-label="${escapeHtml(alt.slice(0, longestText))}"`)
  if (image) written.push(` poster="${escapeHtml(image.src)}"`)

  return written.join('')
}

/** Writes the subtitles of a recording, which browsers load from the space only. */
function writeTrack(sheet: Sheet, { attributes }: MarkupElement): void {
  const link = linkTo(sheet, attributes.src)
  if (link?.kind !== 'file') return
  const { kind = '', srclang, label, default: isFirst } = attributes
  const known = /^(?:captions|descriptions|chapters)$/.test(kind) ? kind : 'subtitles'
  const named = Object.entries({ srclang, label })
    .map(([name, value]) => (value ? ` ${name}="${escapeHtml(value.slice(0, 100))}"` : ''))
    .join('')
  put(
    sheet,
    `<track kind="${known}" src="${escapeHtml(link.href)}"${named}${isFirst === undefined ? '' : ' default'}>`,
  )
}

/** Writes a player of a recording. Returns false for one that the page cannot play. */
export function writeRecording(sheet: Sheet, node: MarkupElement): boolean {
  const sources = sourcesOf(node).flatMap(target => recordingAt(sheet, target) ?? [])
  if (sheet.linked || sources.length === 0) return false
  const { name, nodes } = node

  put(sheet, `<${name}${attributesOf(sheet, node)}${playing(sheet, node)} preload="metadata">`)
  for (const source of sources) put(sheet, `<source src="${escapeHtml(source)}">`)
  for (const inner of nodes)
    if (isElement(inner) && inner.name === 'track') writeTrack(sheet, inner)
  put(sheet, `</${name}>`)

  return true
}
