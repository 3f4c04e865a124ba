import { isDeepStrictEqual } from 'node:util'
import { Fault, invalid } from '../../errors.ts'
import { mustGet } from '../../lib/must-get.ts'
import { type FrontMatter, readFrontMatter } from '../markdown/front-matter.ts'
import { decode } from '../text/bytes.ts'
import { type MergeHunk, mergeTexts } from '../text/merge.ts'
import type { PageNode } from '../tree/build.ts'
import { type Draft, fileAt } from './draft.ts'
import { withDescendants, writtenTitle } from './places.ts'
import { blobOf, snapshotOf, textAt } from './read.ts'
import type { Asking } from './requests.ts'
import { treeOf } from './tree.ts'

/**
 * Returns the page in the base revision of a change. Throws 'conflict' if the page was deleted
 * since.
 */
export function* baseOf(
  draft: Draft,
  id: string,
  revision: string | undefined,
): Asking<PageNode | undefined> {
  if (revision === undefined) return undefined
  const page = (yield* snapshotOf(draft, revision))?.pageById.get(id)
  if (page && treeOf(draft).pageById.has(id)) return page

  if (page)
    throw new Fault(
      'edit_conflict',
      `The page "${page.title}" was deleted since your base revision.`,
      {
        page: id,
        path: page.file?.path ?? page.path,
        base: page.file?.oid ?? null,
        theirs: null,
        hunks: [],
      },
    )

  throw invalid(`The page "${id}" is not in the revision that "baseRevision" names.`)
}

/** Returns the fault of a change that conflicts with changes since its base revision. */
const changedSince = (
  draft: Draft,
  page: PageNode,
  base: PageNode,
  what: string,
  detail: { hunks?: MergeHunk[]; fields?: Record<string, { base: unknown; theirs: unknown }> } = {},
): Fault =>
  new Fault(
    'edit_conflict',
    `${what} of the page "${page.title}" has changed since your base revision: read the page again and repeat your change.`,
    {
      page: page.id,
      path: page.file?.path ?? page.path,
      base: base.file?.oid ?? null,
      theirs: (page.file && fileAt(draft, page.file.path)?.oid) ?? null,
      hunks: detail.hunks ?? [],
      ...(detail.fields && { fields: detail.fields }),
    },
  )

/** Throws 'conflict' if a field was set to a different value since the base revision. */
export function checkFields(
  draft: Draft,
  page: PageNode,
  base: PageNode,
  wanted: {
    title?: string | undefined
    slug?: string | undefined
    parent?: string | null | undefined
  },
): void {
  const seen = (node: PageNode) => ({
    title: node.title,
    slug: node.slug,
    parent: node.parentId ?? null,
  })
  const [before, now] = [seen(base), seen(page)]
  for (const field of ['title', 'slug', 'parent'] as const) {
    const value = wanted[field]
    if (value === undefined || before[field] === now[field] || now[field] === value) continue
    throw changedSince(draft, page, base, `The ${field}`, {
      fields: { [field]: { base: before[field], theirs: now[field] } },
    })
  }
}

/** Returns the text of the page in the base revision; undefined if it had no file. */
export function* baseText(draft: Draft, { file }: PageNode): Asking<string | undefined> {
  const bytes = file && (yield* blobOf(draft, file.oid))
  return bytes && decode(bytes).text
}

/**
 * Merges the text of a change with the current one. Throws 'conflict' if both changed the same
 * lines.
 */
export function* mergeSince(
  draft: Draft,
  page: PageNode,
  base: PageNode,
  ours: string,
  theirs: string,
): Asking<string> {
  const merged = mergeTexts((yield* baseText(draft, base)) ?? '', ours, theirs)
  if (merged.clean) return merged.text
  throw changedSince(draft, page, base, 'The text', { hunks: merged.hunks.slice(0, 50) })
}

/** Throws 'conflict' if a front matter key was set to a different value since the base revision. */
export function* checkKeys(
  draft: Draft,
  page: PageNode,
  base: PageNode,
  wanted: Partial<Record<keyof FrontMatter, unknown>>,
): Asking<void> {
  const before: FrontMatter = readFrontMatter((yield* baseText(draft, base)) ?? '').data
  const now: FrontMatter = page.file
    ? readFrontMatter(yield* textAt(draft, page.file.path)).data
    : {}
  for (const key of Object.keys(wanted) as (keyof FrontMatter)[]) {
    if (isDeepStrictEqual(before[key], now[key]) || (now[key] ?? null) === wanted[key]) continue
    throw changedSince(draft, page, base, `The ${key}`, {
      fields: { [key]: { base: before[key] ?? null, theirs: now[key] ?? null } },
    })
  }
}

/** Throws 'conflict' if the page or one of its descendants has changed since the base revision. */
export function checkUntouched(draft: Draft, page: PageNode, base: PageNode): void {
  const seen = (node: PageNode, oidOf: (node: PageNode) => string | undefined) =>
    new Map(
      withDescendants(node).map(each => [each.id, `${oidOf(each) ?? ''} ${writtenTitle(each)}`]),
    )
  const before = seen(base, node => node.file?.oid)
  const now = seen(page, node => node.file && fileAt(draft, node.file.path)?.oid)

  for (const [id, state] of now) {
    if (before.get(id) === state) continue
    const changed = mustGet(treeOf(draft).pageById, id)
    throw changedSince(draft, changed, base, 'The content')
  }
}
