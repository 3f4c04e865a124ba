import { follow, type LostRef } from './value.ts'

/** A problem of a spec that its authors should know: a sentence, and a code for programs. */
export type SpecProblem = { message: string; code: string }

/** The files of a spec: the parsed content of each, by address. */
type SpecFiles = ReadonlyMap<string, unknown>

type Joined = {
  /** The entry file, with the others embedded in it. */
  document: unknown
  /** The addresses of referenced files that may be fetched. */
  wanted: string[]
  problems: SpecProblem[]
}

/** The key of the document below which the other files are embedded. */
const embedded = 'x-stemma-files'
const mostProblems = 20

/** The values of these keys are data of the author: a `$ref` in them is not a reference. */
const literal = new Set(['example', 'default', 'const', 'enum'])
/** The keys of these objects are names that the author chose. */
const named = new Set(['properties', 'patternProperties', 'schemas', '$defs', 'definitions'])

/**
 * Joins files that refer to each other into one document: each `$ref` into another file is
 * rewritten to a place in the document. Only http and https files of the same origin as the entry
 * file, addressed relative to the referring file, are wanted. Every other reference stays unchanged
 * and is reported as a problem, as are references into files that are `unavailable` (the reason by
 * address). Modifies the contents of the files.
 */
export function joinFiles(
  files: SpecFiles,
  entry: string,
  unavailable: ReadonlyMap<string, string>,
): Joined {
  const wanted = new Set<string>()
  const problems = new Map<string, SpecProblem>()
  const lost = (ref: string, why: string) => {
    if (problems.size < mostProblems)
      problems.set(ref, { code: 'UNRESOLVED_REF', message: `"${ref.slice(0, 200)}" ${why}` })
  }
  const local = new Set<string>()
  const rewrite = (ref: string, from: string): string => {
    const hash = ref.indexOf('#')
    const pointer = hash < 0 ? '' : ref.slice(hash + 1)
    if (hash === 0) return from === entry ? ref : embeddedRef(from, entry, pointer)

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

    return address === entry ? `#${pointer}` : embeddedRef(address, entry, pointer)
  }

  for (const [address, content] of files)
    rewriteRefs(content, ref => {
      const now = rewrite(ref, address)
      if (now.startsWith('#/')) local.add(now)
      return now
    })

  const document = withFiles(files, entry)
  if (wanted.size === 0)
    for (const ref of local) {
      const { lost: found } = follow(document, { $ref: ref })
      if (found) lost(ref, found.ref === ref ? sentences[found.why] : leadsTo(found))
    }

  return { document, wanted: [...wanted], problems: [...problems.values()] }
}

const sentences: Record<LostRef['why'], string> = {
  'not found': 'does not exist.',
  'refers to itself': 'refers to itself.',
  'too many references': 'leads through too many references.',
}

/** Returns the end of a sentence about a reference that leads to another one, which is lost. */
const leadsTo = ({ ref, why }: LostRef): string =>
  `leads to "${ref.slice(0, 200)}", which ${sentences[why]}`

/**
 * Returns the address that a reference to another file points to, or the reason why it is not
 * fetched.
 */
function addressOf(
  ref: string,
  from: string,
  entry: string,
  files: SpecFiles,
): { address: string } | { why: string } {
  if (/^[a-z][a-z0-9+.-]*:|^\/|^\\/i.test(ref))
    return { why: 'was not read: only files with a relative address are.' }
  if (!URL.canParse(ref, from)) return { why: 'is not a valid address.' }
  const url = new URL(ref, from)
  url.hash = ''

  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    url.search = ''
    if (files.has(url.href)) return { address: url.href }
    return { why: 'was not read: a spec that was sent as text has no other files.' }
  }

  if (url.origin !== new URL(entry).origin) return { why: 'was not read: it is on another host.' }

  return { address: url.href }
}

/** Returns the `$ref` to a place in an embedded file. */
function embeddedRef(address: string, entry: string, pointer: string): string {
  const name = nameOf(address, entry).replaceAll('~', '~0').replaceAll('/', '~1')
  return `#/${embedded}/${encodeURIComponent(name)}${pointer.startsWith('/') ? pointer : ''}`
}

/**
 * Returns the name of a file in the document: its address relative to the folder of the entry file.
 */
function nameOf(address: string, entry: string): string {
  const folder = new URL('.', entry).href
  return address.startsWith(folder)
    ? address.slice(folder.length)
    : new URL(address).pathname.slice(1)
}

function withFiles(files: SpecFiles, entry: string): unknown {
  const document = files.get(entry)
  if (files.size < 2 || typeof document !== 'object' || document === null) return document
  const others = [...files].filter(([address]) => address !== entry)

  return {
    ...document,
    [embedded]: Object.fromEntries(
      others.map(([address, content]) => [nameOf(address, entry), content]),
    ),
  }
}

/** Replaces each `$ref` below a value. */
function rewriteRefs(root: unknown, rewrite: (ref: string) => string): void {
  const queue: [value: unknown, names: boolean][] = [[root, false]]
  // An aliased YAML value is one object with several parents.
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
