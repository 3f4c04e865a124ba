import { cacheSlot, stateSlot } from '../../caches.ts'
import { describeVersion } from '../../content/openapi/describe.ts'
import {
  type ComputedSpec,
  type ComputedText,
  slugOfEntry,
  textOfPieces,
} from '../../content/openapi/page.ts'
import { type Expanded, expandSteps, openapiEntries } from '../../content/openapi/pages.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import { findSpecOutline, latestVersion, readPiece, unreadMark } from './read-spec.ts'

/** The content of a revision with its computed pages. */
export type ComputedContent = {
  content: ContentTree
  /**
   * The versions of the specs that it depends on besides the revision; '' without computed entries.
   */
  stamp: string
  /** Returns the Markdown of a computed page; undefined for a page whose text is in Git. */
  textOf: (node: PageNode) => Promise<string> | undefined
}

/** The most specs that one table of contents uses. */
const mostSpecs = 50

/** The most attempts when a spec gets a new version in the meantime. */
const mostRounds = 3

/** The computed entries of a tree, kept while the tree is in memory. */
const entriesOf = new WeakMap<ContentTree, { entries: PageNode[]; slugs: string[] }>()

/** Returns the content of a revision with its computed entries unexpanded. */
export const asWritten = ({ content }: Pick<RevisionView, 'content'>): ComputedContent => ({
  content,
  stamp: '',
  textOf: () => undefined,
})

/**
 * Replaces the computed entries of a revision by pages, from the latest versions of the
 * organization's specs. Returns the content itself, at no cost, when it has no such entries.
 * Entries whose spec is missing stay.
 */
export async function withComputed(
  ctx: Context,
  organizationId: string,
  view: Pick<RevisionView, 'content' | 'oid'>,
): Promise<ComputedContent> {
  const { content } = view
  const { entries, slugs } = entriesIn(content)
  if (entries.length === 0) return asWritten(view)

  const base = `${ctx.publicUrl()}/v1/orgs/${organizationId}/openapi`

  for (let round = 1; ; round++) {
    const stamp = specsStamp(ctx, organizationId, slugs)
    const key = `${organizationId} ${entries[0]!.id} ${view.oid} ${stamp}`
    const { expanded, whole } = await expansion(ctx, key, async () => {
      const specs = new Map<string, ComputedSpec>()
      for (const slug of slugs) {
        const found = await findSpecOutline(ctx, organizationId, slug)
        if (found)
          specs.set(slug, {
            ...found,
            file: `${base}/${encodeURIComponent(found.slug)}/versions/latest/content/raw`,
          })
      }

      const known = slugs.filter(slug => latestVersion(ctx, organizationId, slug))
      const whole = known.every(slug => specs.has(slug))
      return { expanded: await inSlices(expandSteps(content, entries, specs)), whole }
    })
    if (stamp !== specsStamp(ctx, organizationId, slugs) && round < mostRounds) continue

    return {
      content: expanded.content,
      stamp: whole ? stamp : stamp + unreadMark,
      textOf: node => textOf(ctx, organizationId, expanded.texts.get(node.id)),
    }
  }
}

/**
 * Returns a string that changes when one of the specs gets another version, or is described in
 * another way.
 */
const specsStamp = (ctx: Context, organizationId: string, slugs: readonly string[]): string =>
  slugs
    .map(slug => latestVersion(ctx, organizationId, slug)?.versionId)
    .map(
      (version, at) =>
        `${slugs[at]}=${version === undefined ? '' : `${version}/${describeVersion}`}`,
    )
    .join(' ')

function entriesIn(content: ContentTree): { entries: PageNode[]; slugs: string[] } {
  const known = entriesOf.get(content)
  if (known) return known
  const entries = openapiEntries(content)
  const slugs = [...new Set(entries.map(entry => slugOfEntry(entry)!))].slice(0, mostSpecs)
  const found = { entries, slugs }
  entriesOf.set(content, found)
  return found
}

/**
 * Not `whole` when a version could not be read; it may become readable once its repository is
 * repaired.
 */
type Expansion = { expanded: Expanded; whole: boolean }

const treeCache = cacheSlot<Expansion>('computed')
const treesInProgress = stateSlot(() => new Map<string, Promise<Expansion>>())

/** Returns a cached expansion, or makes it once for all concurrent readers. */
async function expansion(
  ctx: Context,
  key: string,
  make: () => Promise<Expansion>,
): Promise<Expansion> {
  const trees = ctx.caches.get(treeCache)
  const making = ctx.caches.get(treesInProgress)
  const known = trees.get(key) ?? making.get(key)
  if (known) return known

  const pending = make()
    .then(made => {
      const { texts, content } = made.expanded
      const bytes = texts.size * 2_000 + content.pageById.size * 400
      if (made.whole) trees.set(key, made, Math.min(bytes, trees.limit))
      return made
    })
    .finally(() => making.delete(key))

  making.set(key, pending)

  return pending
}

function textOf(
  ctx: Context,
  organizationId: string,
  made: ComputedText | undefined,
): Promise<string> | undefined {
  if (!made) return undefined
  const write = async () => {
    // The derived data may have been removed since; this rebuilds it.
    await findSpecOutline(ctx, organizationId, made.slug)
    const pieces: string[] = []
    const pause = pauses()

    for (const key of made.pieces) {
      pieces.push(readPiece(ctx, made.versionId, key) ?? '')
      await pause()
    }

    return textOfPieces(made, pieces)
  }

  return write()
}
