import { digestId } from '../../lib/digest.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'

/** The keys of a revision whose id is not their default id, with that id. */
export type IdOverrides = ReadonlyMap<string, string>

type Has = { has: (key: string) => boolean }

/**
 * The difference between two revisions, in keys. Keys of pages without a file take part like those
 * of files: a caller that knows only the files of a revision must answer `has` with true for every
 * key that begins with `#`; otherwise the overrides of those keys are dropped.
 */
type Renames = {
  keysBefore: Has
  keysAfter: Has
  /** New key to old key. */
  renames: ReadonlyMap<string, string>
  /** Keys of the new revision that the old one does not have. */
  added: Iterable<string>
}

/**
 * Returns the id that a key has unless it is overridden: 20 base62 characters. A key is the path of
 * a file or, for a page without a file, `#`, its kind, `:` and its place in the tree, such as
 * `#page:guides/old`, `#group:reference` or `#link:guides/status`.
 */
export const defaultId = (spaceId: string, key: string): string => digestId(spaceId, key)

/** Returns the id of a key in a revision with these overrides. */
export const idOf = (spaceId: string, overrides: IdOverrides, key: string): string =>
  overrides.get(key) ?? defaultId(spaceId, key)

/**
 * Returns the default id of a key, or the first free one of its further ids: deterministic for the
 * same `held`.
 */
function freeId(spaceId: string, key: string, held: ReadonlySet<string>): string {
  const id = defaultId(spaceId, key)
  return held.has(id) ? furtherId(spaceId, key, held) : id
}

function furtherId(spaceId: string, key: string, held: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const id = digestId(spaceId, key, String(n))
    if (!held.has(id)) return id
  }
}

/**
 * Returns the id of every key of a revision; no two keys share one. An override wins over a default
 * id, and a key whose default id is overridden onto another key gets a further id, whatever the
 * order of the keys.
 */
export const idsOf = (
  spaceId: string,
  overrides: IdOverrides,
  keys: Iterable<string>,
): Map<string, string> => atOnce(idSteps(spaceId, overrides, keys)).ids

/**
 * Does the work of `idsOf` in steps, and returns which keys are displaced: those that got a further
 * id. `defaultIdOf` returns default ids that the caller knows already: computing them is the
 * largest part of the work.
 */
export function* idSteps(
  spaceId: string,
  overrides: IdOverrides,
  keys: Iterable<string>,
  defaultIdOf: (key: string) => string | undefined = () => undefined,
): Steps<{ ids: Map<string, string>; displaced: ReadonlySet<string> }> {
  const all = [...keys]
  const { ids, held } = overriddenIds(overrides, all)
  yield
  const displaced: string[] = []

  for (const [i, key] of all.entries()) {
    if (i % 512 === 0) yield
    if (ids.has(key)) continue
    const id = defaultIdOf(key) ?? defaultId(spaceId, key)
    if (held.has(id)) displaced.push(key)
    else ids.set(key, id)
  }

  if (displaced.length === 0) return { ids, displaced: noKeys }
  for (const id of ids.values()) held.add(id)

  for (const key of displaced.sort()) {
    const id = furtherId(spaceId, key, held)
    ids.set(key, id)
    held.add(id)
  }

  return { ids, displaced: new Set(displaced) }
}

/** The overrides that apply to these keys; of two keys with the same id the first keeps it. */
function overriddenIds(overrides: IdOverrides, keys: readonly string[]) {
  const ids = new Map<string, string>()
  const held = new Set<string>()
  for (const key of overrides.size > 0 ? keys : []) {
    const id = overrides.get(key)
    if (id === undefined || held.has(id) || ids.has(key)) continue
    ids.set(key, id)
    held.add(id)
  }

  return { ids, held }
}

const noKeys: ReadonlySet<string> = new Set()

/**
 * Returns the overrides that hold for the keys of a revision, displaced keys included, so that no
 * two keys share an id. Returns the same object when it is complete already. `defaultIdOf` as for
 * `idSteps`.
 */
export const settleIdentity = (
  spaceId: string,
  overrides: IdOverrides,
  keys: Iterable<string>,
  defaultIdOf?: (key: string) => string | undefined,
): IdOverrides => atOnce(settleSteps(spaceId, overrides, keys, defaultIdOf))

/** Does the work of `settleIdentity` in steps. */
export function* settleSteps(
  spaceId: string,
  overrides: IdOverrides,
  keys: Iterable<string>,
  defaultIdOf?: (key: string) => string | undefined,
): Steps<IdOverrides> {
  if (overrides.size === 0) return overrides
  const settled = new Map<string, string>()
  const { ids, displaced } = yield* idSteps(spaceId, overrides, keys, defaultIdOf)
  for (const [key, id] of ids) if (overrides.has(key) || displaced.has(key)) settled.set(key, id)
  return sameOr(overrides, settled)
}

/** Returns whether both have the same entries. */
export function sameIdentity(a: IdOverrides, b: IdOverrides): boolean {
  if (a.size !== b.size) return false
  for (const [key, id] of a) if (b.get(key) !== id) return false
  return true
}

/** Returns the first when both have the same entries, otherwise the second. */
const sameOr = (before: IdOverrides, after: IdOverrides): IdOverrides =>
  sameIdentity(before, after) ? before : after

/**
 * Returns the overrides after renames: a renamed key keeps its id, a new key whose default id is
 * held by another key gets a further id, and keys that no longer exist are dropped. A rename from a
 * key that still exists and is not itself new is a copy and counts as an addition; of two renames
 * from one key the first counts. Returns the same object when nothing changes.
 */
export function followRenames(spaceId: string, before: IdOverrides, change: Renames): IdOverrides {
  if (before.size === 0 && change.renames.size === 0) return before
  const { moved, added } = classify(change)
  const after = new Map<string, string>()
  const held = new Set<string>()
  const assign = (key: string, id: string) => {
    if (held.has(id)) return
    if (id !== defaultId(spaceId, key)) after.set(key, id)
    held.add(id)
  }
  const isKept = (key: string) => change.keysAfter.has(key) && !moved.has(key) && !added.has(key)

  for (const [key, old] of moved) assign(key, idOf(spaceId, before, old))
  for (const [key, id] of before) if (isKept(key)) assign(key, id)
  for (const key of [...added].sort()) assign(key, freeId(spaceId, key, held))

  return sameOr(before, after)
}

/**
 * Sorts the keys of the new revision: `moved` maps a key to the one whose id it takes, `added` are
 * those that start with an id of their own, copies included. All others are kept or gone, which
 * `keysAfter` tells.
 */
function classify({ keysBefore, keysAfter, renames, added: given }: Renames): {
  moved: ReadonlyMap<string, string>
  added: ReadonlySet<string>
} {
  const added = new Set<string>()
  for (const key of given) if (keysAfter.has(key)) added.add(key)
  const moved = new Map<string, string>()
  const sources = new Set<string>()
  const isCopied = (old: string) => keysAfter.has(old) && !renames.has(old) && !added.has(old)

  for (const [key, old] of renames) {
    if (key === old || !keysAfter.has(key)) continue
    if (isCopied(old) || sources.has(old) || !keysBefore.has(old)) {
      added.add(key)
      continue
    }
    sources.add(old)
    moved.set(key, old)
  }

  // Another key has taken the id of a source: where the source still exists, it is a new key.
  for (const old of sources) if (keysAfter.has(old)) added.add(old)
  for (const key of moved.keys()) added.delete(key)

  return { moved, added }
}

type Ids = ReadonlyMap<string, string>

/**
 * Returns the overrides of a merge, from the ids that the keys have in three revisions: the
 * published one, the one that is merged into it, and their common origin. A key has the id of the
 * side that changed it. Where both changed it, and where two keys would share an id, the published
 * side wins, so that a merge never takes an id from a published page.
 */
export function mergeIdentities(
  spaceId: string,
  keys: Iterable<string>,
  { published, brought, origin }: { published: Ids; brought: Ids; origin: Ids },
): IdOverrides {
  const merged = new Map<string, string>()
  const held = new Set<string>()
  const open: [key: string, ...ids: (string | undefined)[]][] = []
  const all = [...keys]

  for (const key of all) {
    const [ours, theirs] = [published.get(key), brought.get(key)]
    const keep = theirs === undefined || ours === theirs || ours !== origin.get(key)
    if (ours !== undefined && keep) {
      merged.set(key, ours)
      held.add(ours)
    } else open.push([key, theirs, ours])
  }

  for (const [key, ...wanted] of open) {
    const id = wanted.find(each => each !== undefined && !held.has(each))
    if (id === undefined) continue
    merged.set(key, id)
    held.add(id)
  }

  for (const [key, id] of merged) if (id === defaultId(spaceId, key)) merged.delete(key)

  return settleIdentity(spaceId, merged, all)
}

// Keys that would not survive as a line of a note, or would be read as a quoted key.
const needsQuotes = /^$|^"|^\s|\s$|[\u0000-\u001f\u007f-\u009f\u2028\u2029]|[\ud800-\udfff]/u

/**
 * Reads the overrides from a note: `key TAB id` per line. Skips lines of any other form, and the
 * second key of an id.
 */
export function parseIdentity(note: string): IdOverrides {
  const overrides = new Map<string, string>()
  const held = new Set<string>()
  for (const line of note.split('\n')) {
    const tab = line.lastIndexOf('\t')
    const id = line.slice(tab + 1)
    const key = tab < 1 ? undefined : parseKey(line.slice(0, tab))
    if (key === undefined || !/^[\w-]{1,64}$/.test(id) || overrides.has(key) || held.has(id))
      continue
    overrides.set(key, id)
    held.add(id)
  }

  return overrides
}

function parseKey(text: string): string | undefined {
  if (!text.startsWith('"')) return text
  try {
    const key = JSON.parse(text) as unknown
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the note that holds the overrides: a line for each, sorted by key; '' when there are
 * none.
 */
export const formatIdentity = (overrides: IdOverrides): string =>
  [...overrides]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, id]) => `${needsQuotes.test(key) ? JSON.stringify(key) : key}\t${id}\n`)
    .join('')
