import {
  type LinkFacts,
  linkedFileLimit,
  linkFactSteps,
  linkFactsVersion,
} from '../../content/links/facts.ts'
import type { Context } from '../../context.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../git/values/oid.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { inSlices, pauses, type Steps } from '../../lib/slices.ts'
import { findBlobFacts, putBlobFacts } from '../../store/git/blob-facts.ts'
import { note } from '../../store/note.ts'
import { streamReadable } from '../revisions/read-content.ts'

/** What blobs name, so that the next revision costs what it changed. The bytes of a blob are always the same. */
const known = new BoundedCache<string, LinkFacts>(32 * 1024 * 1024)

/** An estimate of what facts hold in memory, in bytes, from their length as JSON. */
const weigh = (json: string): number => 200 + json.length * 2

/** So many blobs are kept with one statement, or so many characters of what they name; and read with one. */
const batch = 1000
const longest = 1024 * 1024
const readTogether = 20

/**
 * What blobs of Markdown name, by oid: those used lately from memory, those derived before from the store, the rest from
 * Git, and kept. `whole` is false when one could not be read: it can be, once the repository is mended.
 */
export async function readLinkFacts(
  ctx: Context,
  repo: Repository,
  oids: readonly string[],
): Promise<{ facts: Map<string, LinkFacts>; whole: boolean }> {
  const facts = new Map<string, LinkFacts>()
  const absent = (oid: string) => !facts.has(oid)
  for (const oid of oids) {
    const held = known.get(oid)
    if (held) facts.set(oid, held)
  }
  await inSlices(storedFacts(ctx, oids.filter(absent), facts))
  const unknown = [...new Set(oids.filter(absent))] as Oid[]
  if (unknown.length === 0) return { facts, whole: true }
  let fresh: { oid: string; facts: string }[] = []
  let length = 0
  const keep = () => {
    if (fresh.length > 0)
      note(() =>
        ctx.store.transactUnsynced(() => putBlobFacts(ctx.store, 'blob_links', linkFactsVersion, fresh)),
      )
    fresh = []
    length = 0
  }
  const add = (oid: string, read: LinkFacts) => {
    const text = JSON.stringify(read)
    facts.set(oid, read)
    known.set(oid, read, weigh(text))
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

function* storedFacts(ctx: Context, oids: readonly string[], facts: Map<string, LinkFacts>): Steps<void> {
  for (let at = 0; at < oids.length; at += readTogether) {
    const part = oids.slice(at, at + readTogether)
    for (const [oid, text] of findBlobFacts(ctx.store, 'blob_links', part, linkFactsVersion)) {
      const read = JSON.parse(text) as LinkFacts
      facts.set(oid, read)
      known.set(oid, read, weigh(text))
      if (text.length > 16_384) yield
    }
    yield
  }
}
