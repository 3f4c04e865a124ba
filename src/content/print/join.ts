import { labelsOfUri, scheme } from './part.ts'
import {
  decoded,
  type Objects,
  objectsIn,
  refIn,
  refsIn,
  textOf,
  tokens,
  withMovedRefs,
  withoutStrings,
} from './pdf-objects.ts'

/**
 * Joins the PDF files of the parts of a book. They were made by the compiler without tags: plain
 * objects with a table of their offsets, one list of pages, and names for the labels of headings.
 * Links between the parts are addresses that `uriOfLabel` made. Parts are added one by one, so that
 * only one is in memory.
 */

/** A bookmark: its object in the part, its title as written in PDF, the object of its destination. */
type Bookmark = { id: number; title: string; dest: number; children: Bookmark[] }

/** The place of a part: the level of its first bookmark, and the labels of all of them in order. */
type PartPlace = { level: number; headings: readonly string[] }

/** A part that was added: its number of pages, and the page of each label, from 0. */
type JoinedPart = { bytes: Buffer; pages: number; pageOf: (label: string) => number | undefined }

/** Objects that the joined file has beside those of its parts: catalog, pages, bookmarks. */
const catalogId = 1
const pagesId = 2
const outlinesId = 3

export class PdfJoiner {
  readonly #offsets: number[] = []
  readonly #bookmarks: Bookmark[] = []
  readonly #kids: { ref: string; isFront: boolean }[] = []
  readonly #labels = new Map<string, string>()
  /** Objects with links to other parts, which are written at the end. */
  readonly #links: { id: number; text: string }[] = []
  #at = 0
  #last = outlinesId
  #pages = 0
  #front = ''
  #info = ''

  /** Returns the first bytes of the file. */
  start(): Buffer {
    return this.#wrote(Buffer.from('%PDF-1.7\n%\x80\x80\x80\x80\n', 'latin1'))
  }

  /**
   * Adds the next part. Its bookmarks go below those of the pages around it: `level` is that of its
   * first page, from 1. The front comes first in the book, whenever it is added.
   */
  add(part: Buffer, { level, headings }: PartPlace, isFront = false): JoinedPart {
    const { objects, trailer } = objectsIn(part)
    const base = this.#last
    this.#last += Math.max(0, ...objects.keys())
    const moved = (text: string) => withMovedRefs(text, base)
    const catalog = textOf(objects, refIn(trailer, 'Root'))
    const root = refIn(catalog, 'Pages')!
    const kids = kidsIn(objects, root)
    const labels = labelsIn(catalog, objects)
    const bookmarks = bookmarksIn(objects, refIn(catalog, 'Outlines'))
    const marks = [...inOrder(bookmarks)]
    if (marks.length === headings.length)
      for (const [at, label] of headings.entries()) labels.set(label, marks[at]!.dest)

    const replaced = new Set(marks.map(({ id }) => id))
    const pieces: Buffer[] = []
    for (const [id, { text, rest }] of objects) {
      if (replaced.has(id)) continue
      const now = moved(withDests(text, labels))
      if (id === root)
        pieces.push(
          this.#object(
            id + base,
            `${now.replace('/Type /Pages', `/Type /Pages /Parent ${pagesId} 0 R`)}`,
            rest,
          ),
        )
      else if (rest.length === 0 && hasPartLink(now)) this.#links.push({ id: id + base, text: now })
      else if (!/\/Type \/(?:Catalog|Outlines|Metadata)\b/.test(withoutStrings(text)))
        pieces.push(this.#object(id + base, now, rest))
    }

    if (isFront) {
      this.#front = catalog
      this.#info = moved(/\/Info \d+ 0 R/.exec(trailer)?.[0] ?? '')
    }
    this.#kids.push({ ref: `${root + base} 0 R`, isFront })
    this.#pages += kids.length
    for (const mark of marks) mark.dest += base
    if (!isFront) this.#attach(bookmarks, level)
    for (const [label, dest] of labels) this.#labels.set(label, `${dest + base} 0 R`)

    const pageOf = pageFinder(objects, labels, kids)

    return { bytes: Buffer.concat(pieces), pages: kids.length, pageOf }
  }

  /** Returns the rest of the file, after all parts. */
  end(): Buffer {
    const pieces = this.#links.map(({ id, text }) =>
      this.#object(id, withPartLinks(text, this.#labels), none),
    )
    const kids = [...this.#kids].sort((a, b) => Number(b.isFront) - Number(a.isFront))
    const language = /\/Lang \([^()]*\)/.exec(this.#front)?.[0] ?? ''
    const refs = kids.map(({ ref }) => ref).join(' ')

    pieces.push(
      this.#object(pagesId, `<< /Type /Pages /Count ${this.#pages} /Kids [${refs}] >>`, none),
    )
    pieces.push(...this.#outlines())
    pieces.push(
      this.#object(
        catalogId,
        `<< /Type /Catalog /Pages ${pagesId} 0 R /Outlines ${outlinesId} 0 R ${language} >>`,
        none,
      ),
    )
    pieces.push(this.#table())

    return Buffer.concat(pieces)
  }

  #wrote(bytes: Buffer): Buffer {
    this.#at += bytes.length
    return bytes
  }

  #object(id: number, text: string, rest: Buffer): Buffer {
    this.#offsets[id] = this.#at
    const head = Buffer.from(`${id} 0 obj\n${text}`, 'latin1')
    return this.#wrote(Buffer.concat([head, rest, Buffer.from('\nendobj\n')]))
  }

  #attach(bookmarks: readonly Bookmark[], level: number): void {
    let list = this.#bookmarks
    for (let at = 1; at < level && list.length > 0; at++) list = list.at(-1)!.children
    list.push(...bookmarks)
  }

  #outlines(): Buffer[] {
    const pieces: Buffer[] = []
    const write = (list: readonly Bookmark[], parent: number): string => {
      const first = this.#last + 1
      this.#last += list.length
      for (const [at, { title, dest, children }] of list.entries()) {
        const id = first + at
        const next = at + 1 < list.length ? ` /Next ${id + 1} 0 R` : ''
        const before = at > 0 ? ` /Prev ${id - 1} 0 R` : ''
        const below =
          children.length > 0 ? ` ${write(children, id)} /Count -${children.length}` : ''
        const text = `<< /Parent ${parent} 0 R${before}${next}${below} /Title ${title} /Dest ${dest} 0 R >>`
        pieces.push(this.#object(id, text, none))
      }
      return list.length === 0 ? '' : `/First ${first} 0 R /Last ${first + list.length - 1} 0 R`
    }

    const ends = write(this.#bookmarks, outlinesId)
    const text = `<< /Type /Outlines ${ends} /Count ${this.#bookmarks.length} >>`
    pieces.push(this.#object(outlinesId, text, none))

    return pieces
  }

  #table(): Buffer {
    const start = this.#at
    const size = this.#last + 1
    const lines = [`xref\n0 ${size}\n0000000000 65535 f \n`]
    for (let id = 1; id < size; id++) {
      const at = this.#offsets[id]
      lines.push(
        at === undefined ? '0000000000 65535 f \n' : `${String(at).padStart(10, '0')} 00000 n \n`,
      )
    }
    lines.push(
      `trailer\n<< /Size ${size} /Root ${catalogId} 0 R ${this.#info} >>\nstartxref\n${start}\n%%EOF\n`,
    )
    return this.#wrote(Buffer.from(lines.join(''), 'latin1'))
  }
}

const none = Buffer.alloc(0)

/** Returns whether the text of an object has a link to another part. */
function hasPartLink(text: string): boolean {
  if (!text.includes(`(${scheme}`)) return false
  let before = ''
  for (const { part, isString } of tokens(text)) {
    if (isString && isPartLink(before, part)) return true
    before = part
  }
  return false
}

const isPartLink = (before: string, string: string): boolean =>
  /\/URI\s*$/.test(before) && string.startsWith(`(${scheme}`)

/** Replaces the links to other parts by destinations, which `labels` names. */
function withPartLinks(text: string, labels: ReadonlyMap<string, string>): string {
  let out = ''
  let isLink = false
  for (const { part, isString } of tokens(text)) {
    if (isString && isPartLink(out, part)) {
      const dest = labelsOfUri(part.slice(1, -1))
        .map(label => labels.get(label))
        .find(Boolean)
      out = out.slice(0, out.lastIndexOf('/A <<')) + (dest ? `/Dest ${dest}` : '')
      isLink = true
    } else {
      // The rest of the action goes with it.
      out += isLink ? part.slice(part.indexOf('>>') + 2) : part
      isLink = false
    }
  }

  return out
}

/** Returns the objects of the destinations in the names of a catalog, by label. */
function labelsIn(catalog: string, objects: Objects): Map<string, number> {
  const inner = refIn(catalog, 'Dests') ?? refIn(catalog, 'Names')
  const text = inner === undefined ? catalog : textOf(objects, inner)
  const labels = new Map<string, number>()
  let label: string | undefined
  for (const { part, isString } of tokens(text.slice(Math.max(0, text.indexOf('/Names'))))) {
    const ref = label === undefined ? undefined : /^\s*(\d+) 0 R/.exec(part)?.[1]
    if (label !== undefined && ref !== undefined) labels.set(label, Number(ref))
    label = isString ? decoded(part) : undefined
  }
  return labels
}

/** Replaces destinations that are names by those that the names stand for. */
function withDests(text: string, labels: ReadonlyMap<string, number>): string {
  if (!/\/Dest [(<]/.test(text)) return text
  let out = ''
  for (const { part, isString } of tokens(text)) {
    const dest = isString && out.endsWith('/Dest ') ? labels.get(decoded(part)) : undefined
    out += dest === undefined ? part : `${dest} 0 R`
  }
  return out
}

/** Returns the pages of a list of pages, in order. */
const kidsIn = (objects: Objects, list: number): number[] =>
  refsIn(/\/Kids \[([^\]]*)\]/.exec(textOf(objects, list))?.[1] ?? '')

/** Returns a function that returns the page of a label, from 0. */
function pageFinder(
  objects: Objects,
  labels: ReadonlyMap<string, number>,
  kids: readonly number[],
): JoinedPart['pageOf'] {
  const indexes = new Map(kids.map((id, at) => [id, at]))
  return label => {
    const dest = labels.get(label)
    const [page] = dest === undefined ? [] : refsIn(textOf(objects, dest))
    return page === undefined ? undefined : indexes.get(page)
  }
}

/** Yields bookmarks in the order of the pages. */
function* inOrder(bookmarks: readonly Bookmark[]): Iterable<Bookmark> {
  for (const bookmark of bookmarks) {
    yield bookmark
    yield* inOrder(bookmark.children)
  }
}

/** Returns the bookmarks below an object. */
function bookmarksIn(objects: Objects, parent: number | undefined): Bookmark[] {
  const found: Bookmark[] = []
  const seen = new Set<number>()
  for (let id = refIn(textOf(objects, parent), 'First'); id !== undefined && !seen.has(id); ) {
    seen.add(id)
    const text = textOf(objects, id)
    const title = [...tokens(text)].find(({ isString }) => isString)?.part ?? '()'
    const dest = refIn(text, 'Dest') ?? 0
    found.push({ id, title, dest, children: bookmarksIn(objects, id) })
    id = refIn(text, 'Next')
  }
  return found
}
