import { asOid, type Oid } from '../../lib/oid.ts'

/**
 * The author or committer of a commit. `at` is in seconds since 1970, `zone` in Git's form, e.g.
 * "+0200".
 */
type Signature = { name: string; email: string; at: number; zone: string }

export type Commit = {
  oid: Oid
  tree: Oid
  parents: Oid[]
  author: Signature
  committer: Signature
  message: string
}

type Tag = { object: Oid; type: string; name: string; tagger?: Signature; message: string }

/**
 * One entry of a tree as Git stores it. `name` is undefined when the raw name is not valid UTF-8.
 */
export type TreeEntry = { mode: string; oid: Oid; name: string | undefined; raw: Buffer }

/**
 * Parses a commit, leniently where old or hostile tools wrote it: a missing name is '', an invalid
 * date 0, an unknown encoding UTF-8 or else Latin-1. Throws when there is no tree.
 */
export function parseCommit(oid: Oid, bytes: Buffer): Commit {
  const { headers, message, decode } = parseHeaders(bytes)
  return {
    oid,
    tree: asOid(latin(find(headers, 'tree') ?? Buffer.alloc(0))),
    parents: parentsIn(headers),
    author: parseSignature(decode(find(headers, 'author') ?? Buffer.alloc(0))),
    committer: parseSignature(decode(find(headers, 'committer') ?? Buffer.alloc(0))),
    message: decode(message),
  }
}

/** Returns the parents, which follow the tree: Git ignores lines of that name that come later. */
function parentsIn(headers: readonly Header[]): Oid[] {
  const parents: Oid[] = []
  for (
    let at = headers.findIndex(([key]) => key === 'tree') + 1;
    headers[at]?.[0] === 'parent';
    at++
  )
    parents.push(asOid(latin(headers[at]![1])))
  return parents
}

/** Parses an annotated tag. Throws when it names no object. */
export function parseTag(bytes: Buffer): Tag {
  const { headers, message, decode } = parseHeaders(bytes)
  const text = (key: string) => decode(find(headers, key) ?? Buffer.alloc(0))
  const tagger = find(headers, 'tagger')

  return {
    object: asOid(text('object')),
    type: text('type'),
    name: text('tag'),
    ...(tagger && { tagger: parseSignature(decode(tagger)) }),
    message: decode(message),
  }
}

/** Parses "Name <email> seconds zone"; missing parts get defaults. */
export function parseSignature(text: string): Signature {
  const open = text.indexOf('<')
  const close = text.lastIndexOf('>')
  const [, at = '0', zone = '+0000'] =
    /^\s*(-?\d{1,15})(?!\d)(?:\s+([+-]\d{4}))?/.exec(text.slice(close + 1)) ?? []
  if (open === -1 || close < open) return { name: text.trim(), email: '', at: 0, zone: '+0000' }

  return {
    name: text.slice(0, open).trim(),
    email: text.slice(open + 1, close),
    at: Number(at),
    zone,
  }
}

/** Parses a tree; the entries stay in Git's order. Throws when the bytes are not a tree. */
export function parseTree(bytes: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = []
  let at = 0
  while (at < bytes.length) {
    const space = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, space)
    if (space === -1 || end === -1 || end + 21 > bytes.length) throw new Error('Not a tree.')
    const raw = bytes.subarray(space + 1, end)
    const oid = bytes.toString('hex', end + 1, end + 21) as Oid
    entries.push({ mode: bytes.toString('latin1', at, space), oid, name: decodeName(raw), raw })
    at = end + 21
  }

  return entries
}

/** Returns the name as text, or undefined when it is not valid UTF-8. */
export function decodeName(raw: Buffer): string | undefined {
  const name = raw.toString('utf8')
  // Only a name with the replacement character can be damaged; it may also legitimately contain
  // one.
  return name.includes('\ufffd') && !Buffer.from(name).equals(raw) ? undefined : name
}

/**
 * Parses lines of "<oid> <ref>", as `for-each-ref` and `ls-remote` write them (separated by a space
 * or tab).
 */
export function parseRefLines(text: string): Map<string, Oid> {
  const refs = new Map<string, Oid>()
  for (const line of text.split('\n')) {
    const [, oid, ref] = /^([0-9a-f]{40})[ \t](.+)$/.exec(line) ?? []
    if (oid && ref) refs.set(ref, oid as Oid)
  }
  return refs
}

type Header = [key: string, value: Buffer]

/** Maximum header lines that are read, parents not counted. A signature has about 20 lines. */
const mostLines = 1000

function parseHeaders(bytes: Buffer) {
  const headers: Header[] = []
  // At the first empty line.
  const end = bytes[0] === 10 ? 0 : bytes.indexOf('\n\n') + 1 || bytes.length
  for (let at = 0, lines = 0; at < end && lines < mostLines; ) {
    const newline = bytes.indexOf(10, at)
    const lineEnd = newline === -1 ? bytes.length : newline
    const space = bytes.indexOf(32, at)

    // A line that starts with a space continues the previous one (signatures), which nothing here
    // needs.
    const key = space > at && space < lineEnd ? bytes.toString('latin1', at, space) : undefined
    if (key !== undefined) headers.push([key, bytes.subarray(space + 1, lineEnd)])
    if (key !== 'parent') lines++
    at = lineEnd + 1
  }

  const encoding = find(headers, 'encoding')
  return { headers, message: bytes.subarray(end + 1), decode: decoder(encoding && latin(encoding)) }
}

const find = (headers: Header[], key: string): Buffer | undefined =>
  headers.find(([name]) => name === key)?.[1]

const latin = (bytes: Buffer): string => bytes.toString('latin1')

function decoder(encoding: string | undefined): (bytes: Buffer) => string {
  return bytes => {
    for (const label of encoding ? [encoding, 'utf-8'] : ['utf-8']) {
      try {
        return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes)
      } catch {
        // An unknown label, or bytes invalid in that encoding: try the next one.
      }
    }
    return bytes.toString('latin1')
  }
}
