import { follow } from './value.ts'

/** Something about a description that those who keep it should know: a sentence, and a word for programs. */
export type DescriptionProblem = { message: string; code: string }

/** The files of a description: what each holds, by its address. */
export type DescriptionFiles = ReadonlyMap<string, unknown>

export type Joined = {
  /** The first file, with the others inside it. */
  document: unknown
  /** The addresses of files that are referred to and may be fetched. */
  wanted: string[]
  problems: DescriptionProblem[]
}

/** Where the other files stand in the document. */
const inside = 'x-stemma-files'
const mostProblems = 20

/** What stands below these is data of the author’s, whatever it looks like. */
const literal = new Set(['example', 'default', 'const', 'enum'])
/** What stands in these has names of the author’s. */
const named = new Set(['properties', 'patternProperties', 'schemas', '$defs', 'definitions'])

/**
 * One document out of files that refer to each other: each `$ref` into another file leads to a place in the document
 * instead. Only http and https files of the origin of the first one, named relatively to the file that refers to them,
 * are wanted; every other reference stays as it is and is told of, as are those into files that are `unavailable` (why,
 * by address). What the files hold is changed.
 */
export function joinFiles(
  files: DescriptionFiles,
  entry: string,
  unavailable: ReadonlyMap<string, string>,
): Joined {
  const wanted = new Set<string>()
  const problems = new Map<string, DescriptionProblem>()
  const lost = (ref: string, why: string) => {
    if (problems.size < mostProblems)
      problems.set(ref, { code: 'UNRESOLVED_REF', message: `"${ref.slice(0, 200)}" ${why}` })
  }
  const local = new Set<string>()
  const rewrite = (ref: string, from: string): string => {
    const hash = ref.indexOf('#')
    const pointer = hash < 0 ? '' : ref.slice(hash + 1)
    if (hash === 0) return from === entry ? ref : placeOf(from, entry, pointer)
    const target = addressOf(ref, from, entry, files)
    if ('why' in target) {
      lost(ref, target.why)
      return ref
    }
    const { address } = target
    const missing = unavailable.get(address)
    if (missing !== undefined) {
      lost(ref, `could not be read: ${missing}`)
      return ref
    }
    if (!files.has(address)) wanted.add(address)
    return address === entry ? `#${pointer}` : placeOf(address, entry, pointer)
  }
  for (const [address, content] of files)
    rewriteRefs(content, ref => {
      const now = rewrite(ref, address)
      if (now.startsWith('#/')) local.add(now)
      return now
    })
  const document = withFiles(files, entry)
  if (wanted.size === 0)
    for (const ref of local) if (follow(document, { $ref: ref }).lost) lost(ref, 'leads nowhere.')
  return { document, wanted: [...wanted], problems: [...problems.values()] }
}

/** The address that a reference from one file to another means, or why nothing is fetched there. */
function addressOf(
  ref: string,
  from: string,
  entry: string,
  files: DescriptionFiles,
): { address: string } | { why: string } {
  if (/^[a-z][a-z0-9+.-]*:|^\/|^\\/i.test(ref))
    return { why: 'was not looked at: only files beside this one, named relatively to it, are.' }
  if (!URL.canParse(ref, from)) return { why: 'is not an address.' }
  const url = new URL(ref, from)
  url.hash = ''
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    url.search = ''
    if (files.has(url.href)) return { address: url.href }
    return { why: 'was not looked at: a description that was sent as text has no other files.' }
  }
  if (url.origin !== new URL(entry).origin) return { why: 'was not looked at: it is on another host.' }
  return { address: url.href }
}

const placeOf = (address: string, entry: string, pointer: string): string => {
  const name = nameOf(address, entry).replaceAll('~', '~0').replaceAll('/', '~1')
  return `#/${inside}/${encodeURIComponent(name)}${pointer.startsWith('/') ? pointer : ''}`
}

/** What a file is called in the document: its address from where the first file lies. */
function nameOf(address: string, entry: string): string {
  const folder = new URL('.', entry).href
  return address.startsWith(folder) ? address.slice(folder.length) : new URL(address).pathname.slice(1)
}

function withFiles(files: DescriptionFiles, entry: string): unknown {
  const document = files.get(entry)
  if (files.size < 2 || typeof document !== 'object' || document === null) return document
  const others = [...files].filter(([address]) => address !== entry)
  return {
    ...document,
    [inside]: Object.fromEntries(others.map(([address, content]) => [nameOf(address, entry), content])),
  }
}

/** Gives each `$ref` below a value another text. */
function rewriteRefs(root: unknown, rewrite: (ref: string) => string): void {
  const queue: [value: unknown, names: boolean][] = [[root, false]]
  // A thing that YAML names twice is one thing.
  const seen = new Set<unknown>()
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [value, names] = next
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string')
        (value as Record<string, unknown>).$ref = rewrite(inner)
      else if (names || !literal.has(key)) queue.push([inner, !names && named.has(key)])
    }
  }
}
