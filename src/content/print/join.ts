import { labelOfUri } from './part.ts'

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

/** An object as it is in the file of a part: the text before its stream, and the rest. */
type PdfObject = { text: string; rest: Buffer }

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
      else if (rest.length === 0 && /\/URI \(stemma:/.test(now))
        this.#links.push({ id: id + base, text: now })
      else if (!/\/Type \/(?:Catalog|Outlines|Metadata)\b/.test(text))
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
      this.#object(
        id,
        text.replace(/\/A <<[^<>]*\/URI \((stemma:[^)]*)\)[^<>]*>>/g, (_, uri: string) => {
          const dest = labelOfUri(uri)
            .map(label => this.#labels.get(label))
            .find(Boolean)
          return dest ? `/Dest ${dest}` : ''
        }),
        none,
      ),
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

type Objects = ReadonlyMap<number, PdfObject>

/** Returns the objects of a file by their numbers, as its table of offsets says. */
function objectsIn(file: Buffer): { objects: Objects; trailer: string } {
  const trailer = file.toString('latin1', file.lastIndexOf('\ntrailer\n'))
  const table = file.toString('latin1', Number(/startxref\s+(\d+)/.exec(trailer)?.[1]))
  const offsets = [...table.matchAll(/^(\d{10}) \d{5} n/gm)].map(([, at]) => Number(at))
  const ends = new Map<number, number>()
  const sorted = [...offsets, file.lastIndexOf('\nxref\n') + 1].sort((a, b) => a - b)
  for (const [at, offset] of sorted.entries()) ends.set(offset, sorted[at + 1] ?? file.length)
  const objects = new Map<number, PdfObject>()

  for (const offset of offsets) {
    const whole = file.subarray(offset, file.lastIndexOf('endobj', ends.get(offset)))
    const [head = '', id] = /^(\d+) 0 obj\s/.exec(whole.toString('latin1', 0, 30)) ?? []
    const stream = whole.indexOf('\nstream\n')
    const end = stream < 0 ? whole.length : stream
    const text = whole.toString('latin1', head.length, end)
    objects.set(Number(id), {
      text: text.trimEnd(),
      rest: whole.subarray(end, stream < 0 ? end : whole.length),
    })
  }

  return { objects, trailer }
}

const textOf = (objects: Objects, id: number | undefined): string =>
  objects.get(id ?? 0)?.text ?? ''

function refIn(text: string, name: string): number | undefined {
  const found = new RegExp(`/${name} (\\d+) 0 R`).exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

const refsIn = (text: string): number[] =>
  Array.from(text.matchAll(/(\d+) 0 R\b/g), ([, id]) => Number(id))

/**
 * Splits the text of an object into strings, with their parentheses or angle brackets, and what is
 * between them.
 */
function* tokens(text: string): Iterable<{ part: string; isString: boolean }> {
  const opening = /\(|<<|<[\da-fA-F\s]*>/g
  let start = 0
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    if (found[0] === '<<') continue
    const end = found[0] === '(' ? endOfString(text, found.index) : opening.lastIndex
    yield { part: text.slice(start, found.index), isString: false }
    yield { part: text.slice(found.index, end), isString: true }
    start = end
    opening.lastIndex = end
  }

  yield { part: text.slice(start), isString: false }
}

function endOfString(text: string, open: number): number {
  let at = open + 1
  for (let depth = 1; depth > 0 && at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '(') depth++
    else if (char === ')') depth--
  }
  return at
}

/** Adds `base` to the numbers of all references in the text of an object. */
function withMovedRefs(text: string, base: number): string {
  let out = ''
  for (const { part, isString } of tokens(text))
    out += isString ? part : part.replace(/\b(\d+) 0 R\b/g, (_, id) => `${Number(id) + base} 0 R`)
  return out
}

/** Returns the text of a string of PDF. */
function decoded(string: string): string {
  const inside = string.slice(1, -1)
  const plain = string.startsWith('<')
    ? Buffer.from(inside.replace(/\s/g, ''), 'hex').toString('latin1')
    : inside.replace(/\\(?:([0-7]{1,3})|\r?\n|([\s\S]))/g, (_, code?: string, char?: string) => {
        if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 8))
        return char === undefined
          ? ''
          : ({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }[char] ?? char)
      })
  const bytes = Buffer.from(plain, 'latin1')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return bytes.subarray(2).swap16().toString('utf16le')
  return bytes.toString('utf8')
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
    const outside = [...tokens(text)].map(({ part, isString }) => (isString ? '' : part)).join('')
    const dest = refIn(outside, 'Dest') ?? 0
    found.push({ id, title, dest, children: bookmarksIn(objects, id) })
    id = refIn(outside, 'Next')
  }
  return found
}
