import type { Ask, Reply } from './clients/call.ts'

/** Whether something happened, according to the responses: `maybe` until a check settles it. */
export type Word = 'yes' | 'maybe' | 'no'

/** A page that only one client writes to, and the tokens written to it, oldest first. */
export type Page = { id: string; title: string; tokens: string[] }

/** What was promised about a change request. */
export type Promised = {
  id: string
  number: number
  /** The only client that works on it. */
  client: number
  tokens: Map<string, Word>
  commits: string[]
  pages: Page[]
  /** Pushes to its branch, which may have come after the merge. */
  pushed: { commit: string; token: string }[]
  merged: Word
  /** The revision in the response to the merge. */
  mergeRevision: string | undefined
}

/** What was promised about an import: the commit that it brings. */
export type Import = { id: string | undefined; commit: string; token: string }

/**
 * What was promised about an export (a successful one has its revision on both ends), and its
 * outcome.
 */
export type Export = { id: string | undefined; ended: string | undefined }

/** A comment that only one client continues, as one user: its replies, reactions and status. */
export type Talk = {
  id: string
  /** Its path in the API. */
  path: string
  client: number
  /** The token of that user. */
  as: string | undefined
  replies: { id: string; token: string }[]
  /** Everything that is deleted with it. */
  facts: string[]
}

/** What was promised about a space. */
export type Space = {
  id: string
  /** A space that exists for a few rounds, and is only created, imported into and deleted. */
  passing: boolean
  remote: { dir: string; url: string; branch: string }
  tokens: Map<string, Word>
  commits: string[]
  pages: (Page | undefined)[]
  requests: Promised[]
  /**
   * Change requests that pushes over HTTP open: the commit, and the name of the branch if the push
   * named one.
   */
  proposals: Map<string, Word>
  imports: Import[]
  exports: Export[]
  /** The tokens of each import of a folder, which arrive together. */
  folders: string[][]
  talks: Talk[]
  /**
   * Facts about comments, reviews and roles, as texts that can be derived from the rows, e.g.
   * `resolved <comment>`.
   */
  facts: Map<string, Word>
  deleted: Word
  since: number
}

/**
 * What was promised of an OpenAPI spec, from when it was made until it was deleted: one client
 * alone puts it.
 */
export type PromisedSpec = {
  /** Undefined as long as no answer has told it. */
  id: string | undefined
  slug: string
  client: number
  /** The texts put, oldest first, by token. */
  texts: Map<string, Word>
  /** The possible visibilities: the current one, and those from requests without a response. */
  visibility: string[]
  deleted: Word
}

/** What was promised of a site, on which one client alone works. */
export type PromisedSite = {
  /** Undefined as long as no answer or check has told it. */
  id: string | undefined
  title: string
  client: number
  made: Word
  /** Facts that can be derived from the rows, e.g. `published` or `space <space>`. */
  facts: Map<string, Word>
  /** The ids of site spaces, by space. */
  siteSpaces: Map<string, string>
  links: { id: string; name: string }[]
}

/** The response that a key received, and must receive again. */
export type Kept = { ask: Ask; status: number; text: string; space: string | undefined }

/** A request with a key and without a response, and what to do with its response. */
export type Open = { ask: Ask; settle: (reply: Reply) => void; space: string | undefined }

/** Everything that the server has promised so far. */
export type Ledger = {
  spaces: Space[]
  specs: PromisedSpec[]
  sites: PromisedSite[]
  /** Titles of spaces asked for with a key: each may be made once. */
  onceOnly: string[]
  kept: Kept[]
  open: Open[]
  acknowledged: number
  /** Acknowledged writes by kind. */
  byKind: Map<string, number>
  repeated: number
  violations: string[]
}

export const newLedger = (): Ledger => ({
  spaces: [],
  specs: [],
  sites: [],
  onceOnly: [],
  kept: [],
  open: [],
  acknowledged: 0,
  byKind: new Map(),
  repeated: 0,
  violations: [],
})

export const newSpace = (
  id: string,
  remote: Space['remote'],
  round: number,
  passing: boolean,
): Space => ({
  id,
  passing,
  remote,
  tokens: new Map(),
  commits: [],
  pages: [],
  requests: [],
  proposals: new Map(),
  imports: [],
  exports: [],
  folders: [],
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

export const newSite = (client: number, title: string): PromisedSite => ({
  id: undefined,
  title,
  client,
  made: 'no',
  facts: new Map(),
  siteSpaces: new Map(),
  links: [],
})

/**
 * Notes every word that a look at the folder settles; gives what puts them back as they are now.
 */
export function keepWords({
  spaces,
  specs,
  sites,
}: Pick<Ledger, 'spaces' | 'specs' | 'sites'>): () => void {
  const described = specs.map(each => ({ each, was: { ...each, texts: new Map(each.texts) } }))
  const published = sites.map(each => ({ each, was: { ...each, facts: new Map(each.facts) } }))
  const holders = spaces.flatMap(space => [space, ...space.requests])
  const kept = holders.map(holder => {
    const words = 'deleted' in holder ? { deleted: holder.deleted } : { merged: holder.merged }
    const maps =
      'deleted' in holder ? [holder.tokens, holder.facts, holder.proposals] : [holder.tokens]
    return { holder, words, maps: maps.map(map => ({ map, entries: [...map] })) }
  })

  return () => {
    for (const { each, was } of described) Object.assign(each, was)
    for (const { each, was } of published)
      Object.assign(each, { ...was, facts: new Map(was.facts) })

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

/** Counts an acknowledged write. */
export function countWrite(ledger: Ledger, kind: string): void {
  ledger.acknowledged++
  ledger.byKind.set(kind, (ledger.byKind.get(kind) ?? 0) + 1)
}
