import type { Ask, Reply } from './call.ts'

/** Whether something was said to have happened: `maybe` until somebody looks. */
export type Word = 'yes' | 'maybe' | 'no'

/** A page that one client alone writes to, and the tokens it put there, oldest first. */
export type Page = { id: string; title: string; tokens: string[] }

/** What was promised of a change request. */
export type Promised = {
  id: string
  number: number
  /** Who alone works on it. */
  client: number
  tokens: Map<string, Word>
  commits: string[]
  pages: Page[]
  /** What somebody pushed to its branch, which may have come after the merge. */
  pushed: { commit: string; token: string }[]
  merged: Word
  /** The revision that a merge was answered with. */
  mergeRevision: string | undefined
}

/** What was promised of an import: the commit that it brings. */
export type Import = { id: string | undefined; commit: string; token: string }

/** What was promised of an export: when it succeeded, its revision is on both ends; and how it ended, or why not well. */
export type Export = { id: string | undefined; ended: string | undefined }

/** A comment that one client alone goes on with, as one person: its replies, its reactions, how it stands. */
export type Talk = {
  id: string
  /** Where the API has it. */
  path: string
  client: number
  /** The token of that person. */
  as: string | undefined
  replies: { id: string; token: string }[]
  /** All that goes with it when it is deleted. */
  facts: string[]
}

/** What was promised of a space. */
export type Space = {
  id: string
  /** One that lives for a few rounds, and is only made, imported into and deleted. */
  passing: boolean
  remote: { dir: string; url: string; branch: string }
  tokens: Map<string, Word>
  commits: string[]
  pages: (Page | undefined)[]
  requests: Promised[]
  imports: Import[]
  exports: Export[]
  talks: Talk[]
  /**
   * What was said about comments, reviews and roles, each a text that the rows make again, e.g. `resolved <comment>`: it
   * holds, or it does not.
   */
  facts: Map<string, Word>
  deleted: Word
  since: number
}

/** What was promised of an OpenAPI spec, from when it was made until it was deleted: one client alone puts it. */
export type PromisedSpec = {
  /** Undefined as long as no answer has told it. */
  id: string | undefined
  slug: string
  client: number
  /** What was put, oldest first, by the token in it. */
  texts: Map<string, Word>
  /** One of these: the one there is, and what may have come. */
  visibility: string[]
  deleted: Word
}

/** An answer that a key got, to be got again. */
export type Kept = { ask: Ask; status: number; text: string; space: string | undefined }

/** A request with a key whose answer never came, and what to make of it when it comes. */
export type Open = { ask: Ask; settle: (reply: Reply) => void; space: string | undefined }

/** Everything that the server promised so far. */
export type Ledger = {
  spaces: Space[]
  specs: PromisedSpec[]
  /** Titles of spaces asked for with a key: each may be made once. */
  onceOnly: string[]
  kept: Kept[]
  open: Open[]
  acknowledged: number
  /** The same by what was written. */
  byKind: Map<string, number>
  repeated: number
  violations: string[]
}

export const newLedger = (): Ledger => ({
  spaces: [],
  specs: [],
  onceOnly: [],
  kept: [],
  open: [],
  acknowledged: 0,
  byKind: new Map(),
  repeated: 0,
  violations: [],
})

export const newSpace = (id: string, remote: Space['remote'], round: number, passing: boolean): Space => ({
  id,
  passing,
  remote,
  tokens: new Map(),
  commits: [],
  pages: [],
  requests: [],
  imports: [],
  exports: [],
  talks: [],
  facts: new Map(),
  deleted: 'no',
  since: round,
})

export const newSpec = (client: number): PromisedSpec => ({
  id: undefined,
  slug: `api-${client}`,
  client,
  texts: new Map(),
  visibility: ['private'],
  deleted: 'no',
})

/** Notes every word that a look at the folder settles; gives what puts them back as they are now. */
export function keepWords({ spaces, specs }: Pick<Ledger, 'spaces' | 'specs'>): () => void {
  const described = specs.map(each => ({ each, was: { ...each, texts: new Map(each.texts) } }))
  const holders = spaces.flatMap(space => [space, ...space.requests])
  const kept = holders.map(holder => {
    const words = 'deleted' in holder ? { deleted: holder.deleted } : { merged: holder.merged }
    const maps = 'deleted' in holder ? [holder.tokens, holder.facts] : [holder.tokens]
    return { holder, words, maps: maps.map(map => ({ map, entries: [...map] })) }
  })
  return () => {
    for (const { each, was } of described) Object.assign(each, was)
    for (const { holder, words, maps } of kept) {
      Object.assign(holder, words)
      for (const { map, entries } of maps) {
        map.clear()
        for (const [text, word] of entries) map.set(text, word)
      }
    }
  }
}

/** The tokens that a page is known to hold. */
export const tokensOf = (page: Page, words: Map<string, Word>): string[] =>
  page.tokens.filter(token => words.get(token) === 'yes')

/** Counts a write that was promised. */
export function countWrite(ledger: Ledger, kind: string): void {
  ledger.acknowledged++
  ledger.byKind.set(kind, (ledger.byKind.get(kind) ?? 0) + 1)
}
