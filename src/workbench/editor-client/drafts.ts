/** What a person has written and not saved yet. */
export type Draft = { fields: Record<string, string>; at: number; state?: unknown }

/** Where drafts are kept: the storage of the browser, or none. */
export type Keeping = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> & {
  readonly length: number
  key: (at: number) => string | null
}

const prefix = 'stemma draft '
/** How long drafts are kept, in milliseconds. */
const age = 30 * 24 * 3_600_000

/** Returns the key of the draft of a page at a revision. */
export const draftKey = (space: string, page: string, revision: string): string =>
  `${prefix}${space} ${page} ${revision}`

/** Returns a draft; undefined if there is none, or if it cannot be read. */
export function readDraft(keeping: Keeping, key: string): Draft | undefined {
  try {
    const draft = JSON.parse(keeping.getItem(key) ?? 'null') as Draft | null
    return draft && typeof draft.fields === 'object' && typeof draft.at === 'number'
      ? draft
      : undefined
  } catch {
    return undefined
  }
}

/** Returns the newest draft of a page at any revision, with its key. */
export function findDraft(
  keeping: Keeping,
  space: string,
  page: string,
): { key: string; draft: Draft } | undefined {
  const found = keysOf(keeping, draftKey(space, page, ''))
    .flatMap(key => {
      const draft = readDraft(keeping, key)
      return draft ? [{ key, draft }] : []
    })
    .sort((a, b) => b.draft.at - a.draft.at)
  return found[0]
}

/** Keeps a draft. Returns false where the browser has no room for it. */
export function keepDraft(keeping: Keeping, key: string, draft: Draft): boolean {
  try {
    keeping.setItem(key, JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

/** Removes drafts that are older than a month. */
export function forgetOldDrafts(keeping: Keeping, now: number): void {
  for (const key of keysOf(keeping, prefix)) {
    const draft = readDraft(keeping, key)
    if (!draft || now - draft.at > age) keeping.removeItem(key)
  }
}

const keysOf = (keeping: Keeping, start: string): string[] =>
  Array.from({ length: keeping.length }, (_, at) => keeping.key(at) ?? '').filter(key =>
    key.startsWith(start),
  )
