import { describeVersion } from '../../content/openapi/describe.ts'
import { type ComputedSpec, type ComputedText, slugOfEntry } from '../../content/openapi/page.ts'
import { type Expanded, expandSteps, openapiEntries } from '../../content/openapi/pages.ts'
import { words } from '../../content/openapi/text.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import { findDescription, latestVersion, readPiece } from './read-spec.ts'

/** The content of a revision with the pages that its computed entries stand for. */
export type ComputedContent = {
  content: ContentTree
  /** The versions of the descriptions that it is made of beside the revision; '' where no entry is computed. */
  stamp: string
  /** The text of a page that was made, as Markdown; undefined for one whose text is in Git. */
  textOf: (node: PageNode) => Promise<string> | undefined
}

/** More descriptions than this in one table of contents are not looked at. */
const mostSpecs = 50

/** How often it is begun anew when a description gets another version meanwhile. */
const mostRounds = 3

/** The entries of trees, as long as somebody holds the tree. */
const entriesOf = new WeakMap<ContentTree, { entries: PageNode[]; slugs: string[] }>()

/** The content of a revision as it is, where computed entries are entries. */
export const asWritten = ({ content }: Pick<RevisionView, 'content'>): ComputedContent => ({
  content,
  stamp: '',
  textOf: () => undefined,
})

/**
 * The content of a revision with pages in the place of its computed entries, made of the latest versions of the
 * organization's descriptions. Where there is no such entry it is the content itself, at no cost. Entries whose
 * description is not there stay.
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
        const found = await findDescription(ctx, organizationId, slug)
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
    const said = whole ? stamp : `${stamp} !`
    return {
      content: expanded.content,
      stamp: said,
      textOf: node => textOf(ctx, organizationId, expanded.texts.get(node.id)),
    }
  }
}

/** What tells whether descriptions are as they were, by their slugs: the versions, and how pages are made of them. */
const specsStamp = (ctx: Context, organizationId: string, slugs: readonly string[]): string =>
  slugs
    .map(slug => latestVersion(ctx, organizationId, slug)?.versionId)
    .map((version, at) => `${slugs[at]}=${version === undefined ? '' : `${version}/${describeVersion}`}`)
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

/** Not whole: a version is there that could not be read, and may be once its repository is mended. */
type Made = { expanded: Expanded; whole: boolean }
type Kept = { trees: BoundedCache<string, Made>; making: Map<string, Promise<Made>> }

/** What was expanded lately; the weight is an estimate of bytes, as that of views is. */
const kept = new WeakMap<Context['store'], Kept>()
const mostBytes = 64 * 1024 * 1024

/** Many readers of a fresh version wait for one making of its pages. */
async function expansion(ctx: Context, key: string, make: () => Promise<Made>): Promise<Made> {
  const { trees, making } = keptIn(ctx)
  const known = trees.get(key) ?? making.get(key)
  if (known) return known
  const pending = make()
    .then(made => {
      const { texts, content } = made.expanded
      const bytes = texts.size * 2_000 + content.pageById.size * 400
      if (made.whole) trees.set(key, made, Math.min(bytes, mostBytes))
      return made
    })
    .finally(() => making.delete(key))
  making.set(key, pending)
  return pending
}

function keptIn({ store }: Context): Kept {
  const known = kept.get(store)
  if (known) return known
  const fresh: Kept = { trees: new BoundedCache(mostBytes), making: new Map() }
  kept.set(store, fresh)
  return fresh
}

function textOf(
  ctx: Context,
  organizationId: string,
  made: ComputedText | undefined,
): Promise<string> | undefined {
  if (!made) return undefined
  const write = async () => {
    // What was derived of it may have been forgotten since, and is made again.
    await findDescription(ctx, organizationId, made.slug)
    const parts = [`# ${words(made.title)}`]
    const pause = pauses()
    for (const key of made.pieces) {
      const piece = readPiece(ctx, made.versionId, key) ?? ''
      parts.push(made.single ? piece.replace(/^## .*\n*/, '') : piece)
      await pause()
    }
    return `${parts
      .map(part => part.trim())
      .filter(part => part !== '')
      .join('\n\n')}\n`
  }
  return write()
}
