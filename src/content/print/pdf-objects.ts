/** An object as it is in the file of a part: the text before its stream, and the rest. */
type PdfObject = { text: string; rest: Buffer }

/** The objects of a file by their numbers. */
export type Objects = ReadonlyMap<number, PdfObject>

/** Returns the objects of a file by their numbers, as its table of offsets says. */
export function objectsIn(file: Buffer): { objects: Objects; trailer: string } {
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

/** Returns the text of an object; an empty one without it. */
export const textOf = (objects: Objects, id: number | undefined): string =>
  objects.get(id ?? 0)?.text ?? ''

/** Returns the number of the object to which a name in the text of an object refers. */
export function refIn(text: string, name: string): number | undefined {
  const found = new RegExp(`/${name} (\\d+) 0 R`).exec(withoutStrings(text))?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Returns the numbers of the objects to which a text refers. */
export const refsIn = (text: string): number[] =>
  Array.from(text.matchAll(/(\d+) 0 R\b/g), ([, id]) => Number(id))

/**
 * Splits the text of an object into strings, with their parentheses or angle brackets, and what is
 * between them.
 */
export function* tokens(text: string): Iterable<{ part: string; isString: boolean }> {
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
export function withMovedRefs(text: string, base: number): string {
  let out = ''
  for (const { part, isString } of tokens(text))
    out += isString ? part : part.replace(/\b(\d+) 0 R\b/g, (_, id) => `${Number(id) + base} 0 R`)
  return out
}

/**
 * Returns the text of an object without its strings: these may contain words of the pages that look
 * like parts of an object.
 */
export const withoutStrings = (text: string): string =>
  Array.from(tokens(text), ({ part, isString }) => (isString ? ' ' : part)).join('')

/** Returns the text of a string of PDF. */
export function decoded(string: string): string {
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
