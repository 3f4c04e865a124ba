import { cacheSlot } from '../../caches.ts'
import {
  type LinkFacts,
  linkedFileLimit,
  linkFactSteps,
  linkFactsVersion,
} from '../../content/links/facts.ts'
import type { Context } from '../../context.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices, pauses, type Steps } from '../../lib/slices.ts'
import { findBlobFacts, putBlobFacts } from '../../store/git/blob-facts.ts'
import { note } from '../../store/note.ts'
import { streamReadable } from '../revisions/read-content.ts'

/**
 * Links, ids and titles of blobs: a blob's bytes never change, so a new revision only costs its
 * changes.
 */
const linkFactCache = cacheSlot<LinkFacts>('linkFacts')

/** Estimates the memory of facts in bytes from their length as JSON. */
const weigh = (json: string): number => 200 + json.length * 2

/**
 * How many blobs, and how many characters of facts, are stored with one statement; and how many
 * blobs are read with one.
 */
const batch = 1000
const longest = 1024 * 1024
const readTogether = 20

/**
 * Returns the link facts of Markdown blobs by blob id, from memory, from the store, or read from
 * Git and stored. `whole` is false if a blob could not be read because the repository is damaged.
 */
export async function readLinkFacts(
  ctx: Context,
  repo: Repository,
  oids: readonly Oid[],
): Promise<{ facts: Map<string, LinkFacts>; whole: boolean }> {
  const cached = ctx.caches.get(linkFactCache)
  const facts = new Map<string, LinkFacts>()
  const absent = (oid: Oid) => !facts.has(oid)

  for (const oid of oids) {
    const known = cached.get(oid)
    if (known) facts.set(oid, known)
  }

  await inSlices(storedFacts(ctx, oids.filter(absent), facts))
  const unknown = [...new Set(oids.filter(absent))]
  if (unknown.length === 0) return { facts, whole: true }

  let fresh: { oid: Oid; facts: string }[] = []
  let length = 0
  const mayKeep = ctx.store.watchErasing()
  const keep = () => {
    if (fresh.length > 0)
      note(() =>
        ctx.store.keep(mayKeep, () =>
          putBlobFacts(ctx.store, 'blob_links', linkFactsVersion, fresh),
        ),
      )
    fresh = []
    length = 0
  }

  const add = (oid: Oid, read: LinkFacts) => {
    const text = JSON.stringify(read)
    facts.set(oid, read)
    cached.set(oid, read, weigh(text))
    fresh.push({ oid, facts: text })
    length += text.length
    if (fresh.length === batch || length > longest) keep()
  }
  const pause = pauses()

  for await (const [oid, bytes] of streamReadable(repo, unknown, linkedFileLimit)) {
    const steps = linkFactSteps(bytes)
    let step = steps.next()
    for (; !step.done; step = steps.next()) await pause()
    add(oid, step.value)
    await pause()
  }

  const left = unknown.filter(absent)
  const infos = left.length > 0 ? await objectInfo(repo, left) : new Map<Oid, { size: number }>()

  for (const oid of left)
    if ((infos.get(oid)?.size ?? 0) > linkedFileLimit) add(oid, { links: [], ids: [], titles: [] })
  keep()

  return { facts, whole: !unknown.some(absent) }
}

function* storedFacts(
  ctx: Context,
  oids: readonly Oid[],
  facts: Map<string, LinkFacts>,
): Steps<void> {
  for (let at = 0; at < oids.length; at += readTogether) {
    const part = oids.slice(at, at + readTogether)
    for (const [oid, text] of findBlobFacts(ctx.store, 'blob_links', part, linkFactsVersion)) {
      const read = JSON.parse(text) as LinkFacts
      facts.set(oid, read)
      ctx.caches.get(linkFactCache).set(oid, read, weigh(text))
      if (text.length > 16_384) yield
    }
    yield
  }
}
