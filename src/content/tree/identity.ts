import { digestId } from '../../lib/digest.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'

/** The exceptions of a revision: keys whose id is not the one they would be born with. */
export type Identity = ReadonlyMap<string, string>

type Has = { has: (key: string) => boolean }

/**
 * What happened between two revisions, in keys. Keys of pages without a file count like those of files: who knows only
 * the files of a revision must answer `has` with true for keys that begin with `#`, or their exceptions leave.
 */
export type Renames = {
  keysBefore: Has
  keysAfter: Has
  /** New key to old key. */
  renames: ReadonlyMap<string, string>
  /** Keys that are there now and were not before. */
  added: Iterable<string>
}

/**
 * The id that a key is born with: 20 base62 characters. A key is a file's path, or for a page without a file
 * `#`, its kind, `:` and its place in the tree, such as `#page:guides/old`, `#group:reference`, `#link:guides/status`.
 */
export const defaultId = (spaceId: string, key: string): string => digestId(spaceId, key)

/** The id of a key in a revision with these exceptions. */
export const idOf = (spaceId: string, identity: Identity, key: string): string =>
  identity.get(key) ?? defaultId(spaceId, key)

/** The first of the key's further ids that nobody holds: always the same one for the same holders. */
function freshId(spaceId: string, key: string, held: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const id = digestId(spaceId, key, String(n))
    if (!held.has(id)) return id
  }
}

/**
 * The id of every key of a revision, no id twice: an exception beats a birth id, and a key whose birth id another
 * one holds by exception gets a fresh one, whatever the order of the keys.
 */
export const idsOf = (spaceId: string, identity: Identity, keys: Iterable<string>): Map<string, string> =>
  atOnce(idSteps(spaceId, identity, keys)).ids

/**
 * The same in steps, and which keys got a fresh id. `born` says what a key is born as where somebody knows: working
 * it out takes longest.
 */
export function* idSteps(
  spaceId: string,
  identity: Identity,
  keys: Iterable<string>,
  born: (key: string) => string | undefined = () => undefined,
): Steps<{ ids: Map<string, string>; late: ReadonlySet<string> }> {
  const ids = new Map<string, string>()
  const held = new Set<string>()
  const all = [...keys]
  for (const key of identity.size > 0 ? all : []) {
    const id = identity.get(key)
    if (id === undefined || held.has(id) || ids.has(key)) continue
    ids.set(key, id)
    held.add(id)
  }
  yield
  const late: string[] = []
  for (const [i, key] of all.entries()) {
    if (i % 512 === 0) yield
    if (ids.has(key)) continue
    const id = born(key) ?? defaultId(spaceId, key)
    if (held.has(id)) late.push(key)
    else ids.set(key, id)
  }
  if (late.length === 0) return { ids, late: nobody }
  for (const id of ids.values()) held.add(id)
  for (const key of late.sort()) {
    const id = freshId(spaceId, key, held)
    ids.set(key, id)
    held.add(id)
  }
  return { ids, late: new Set(late) }
}

const nobody: ReadonlySet<string> = new Set()

/**
 * The exceptions written out for the keys of a revision, so that no id stands on two keys; the same object when nothing is
 * to be written. `born` as for `idSteps`.
 */
export const settleIdentity = (
  spaceId: string,
  identity: Identity,
  keys: Iterable<string>,
  born?: (key: string) => string | undefined,
): Identity => atOnce(settleSteps(spaceId, identity, keys, born))

/** The same in steps. */
export function* settleSteps(
  spaceId: string,
  identity: Identity,
  keys: Iterable<string>,
  born?: (key: string) => string | undefined,
): Steps<Identity> {
  if (identity.size === 0) return identity
  const settled = new Map<string, string>()
  const { ids, late } = yield* idSteps(spaceId, identity, keys, born)
  for (const [key, id] of ids) if (identity.has(key) || late.has(key)) settled.set(key, id)
  return sameOr(identity, settled)
}

/** Whether both say the same. */
export function sameIdentity(a: Identity, b: Identity): boolean {
  if (a.size !== b.size) return false
  for (const [key, id] of a) if (b.get(key) !== id) return false
  return true
}

/** The first when both say the same, else the second. */
const sameOr = (before: Identity, after: Identity): Identity => (sameIdentity(before, after) ? before : after)

/**
 * The exceptions after renames: a renamed key keeps its id, a new key whose birth id is held by another gets a fresh
 * one, keys that are gone leave. A rename from a key that is still there and not itself new is a copy, and counts as
 * an addition; of two renames from one key the first counts. The same object comes back when nothing changes.
 */
export function followRenames(spaceId: string, before: Identity, change: Renames): Identity {
  const { keysBefore, keysAfter, renames } = change
  const added = new Set<string>()
  for (const key of change.added) if (keysAfter.has(key)) added.add(key)
  if (before.size === 0 && renames.size === 0) return before

  const sources = new Map<string, string>()
  const used = new Set<string>()
  for (const [key, old] of renames) {
    if (key === old || !keysAfter.has(key)) continue
    const stays = keysAfter.has(old) && !renames.has(old) && !added.has(old)
    if (stays || used.has(old) || !keysBefore.has(old)) added.add(key)
    else {
      used.add(old)
      sources.set(key, old)
    }
  }
  // A key that was to be renamed into, but whose own name was the source of another that now has its id.
  for (const old of used) if (keysAfter.has(old) && !sources.has(old)) added.add(old)

  const after = new Map<string, string>()
  const held = new Set<string>()
  const set = (key: string, id: string) => {
    if (held.has(id)) return
    if (id !== defaultId(spaceId, key)) after.set(key, id)
    held.add(id)
  }
  for (const [key, old] of sources) set(key, idOf(spaceId, before, old))
  for (const [key, id] of before) if (keysAfter.has(key) && !sources.has(key) && !added.has(key)) set(key, id)
  for (const key of [...added].sort()) {
    if (sources.has(key)) continue
    const born = defaultId(spaceId, key)
    if (held.has(born)) set(key, freshId(spaceId, key, held))
    else held.add(born)
  }
  return sameOr(before, after)
}

type Ids = ReadonlyMap<string, string>

/**
 * The exceptions of a merge, from the ids that the keys of three revisions have: of what is published, of what is brought
 * in, and of what both come from. A key has the id of the side that changed it; where both did, and where an id would
 * stand on two keys, the published side holds, so that a merge never takes an id away from a published page.
 */
export function mergeIdentities(
  spaceId: string,
  keys: Iterable<string>,
  { published, brought, origin }: { published: Ids; brought: Ids; origin: Ids },
): Identity {
  const merged = new Map<string, string>()
  const held = new Set<string>()
  const late: [key: string, ...ids: (string | undefined)[]][] = []
  const all = [...keys]
  for (const key of all) {
    const [ours, theirs] = [published.get(key), brought.get(key)]
    const keep = theirs === undefined || ours === theirs || ours !== origin.get(key)
    if (ours !== undefined && keep) {
      merged.set(key, ours)
      held.add(ours)
    } else late.push([key, theirs, ours])
  }
  for (const [key, ...wanted] of late) {
    const id = wanted.find(each => each !== undefined && !held.has(each))
    if (id === undefined) continue
    merged.set(key, id)
    held.add(id)
  }
  for (const [key, id] of merged) if (id === defaultId(spaceId, key)) merged.delete(key)
  return settleIdentity(spaceId, merged, all)
}

// What would not survive a line of its own, or would be taken for a quoted key.
const odd = /^$|^"|^\s|\s$|[\u0000-\u001f\u007f-\u009f\u2028\u2029]|[\ud800-\udfff]/u

/** The exceptions of a note: `key TAB id` a line. Lines that say anything else are passed over, as is an id's second key. */
export function parseIdentity(note: string): Identity {
  const identity = new Map<string, string>()
  const held = new Set<string>()
  for (const line of note.split('\n')) {
    const tab = line.lastIndexOf('\t')
    const id = line.slice(tab + 1)
    const key = tab < 1 ? undefined : parseKey(line.slice(0, tab))
    if (key === undefined || !/^[\w-]{1,64}$/.test(id) || identity.has(key) || held.has(id)) continue
    identity.set(key, id)
    held.add(id)
  }
  return identity
}

function parseKey(text: string): string | undefined {
  if (!text.startsWith('"')) return text
  try {
    const key: unknown = JSON.parse(text)
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}

/** The note that says the exceptions: a line each, sorted by key, '' for none. */
export const formatIdentity = (identity: Identity): string =>
  [...identity]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, id]) => `${odd.test(key) ? JSON.stringify(key) : key}\t${id}\n`)
    .join('')
