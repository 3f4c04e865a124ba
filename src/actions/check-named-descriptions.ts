import { memberWithin } from '../access/reach.ts'
import { decode } from '../content/bytes.ts'
import type { Change } from '../content/edit-changes.ts'
import type { EditSource } from '../content/edit-draft.ts'
import type { Edits } from '../content/edits.ts'
import { isMarkdown } from '../content/files.ts'
import { slugSteps } from '../content/openapi-blocks.ts'
import { parseSummary, type SummaryEntry } from '../content/summary.ts'
import type { Context } from '../context.ts'
import { forbidden } from '../errors.ts'
import type { MergeConflict } from '../git/merge.ts'
import { readBlob } from '../git/objects.ts'
import type { Repository } from '../git/repository.ts'
import { inSlices } from '../lib/slices.ts'
import type { SpaceRow, UserRow } from '../store/rows.ts'
import type { Resolution } from './resolve-conflicts.ts'

type Named = {
  space: Pick<SpaceRow, 'organization_id'>
  by: Pick<UserRow, 'id'>
  changes: readonly Change[]
  source: Pick<EditSource, 'read'>
  edits: Pick<Edits, 'files' | 'renamed'>
}

/**
 * Throws 'forbidden' where somebody who may not see the organization's OpenAPI descriptions, such as a guest, names one
 * that the page did not name before: its readers would be shown it, and so would they.
 */
export async function checkNamedDescriptions(
  ctx: Context,
  { space, by, changes, source, edits }: Named,
): Promise<void> {
  if (seesDescriptions(ctx, space, by)) return
  for (const change of changes)
    if (change.operation === 'apply_template')
      for (const ref of Object.values(change.refs)) if (ref.kind === 'openapi') throw unseen(ref.spec ?? '')
  for (const [path, file] of edits.files) {
    if (!file?.bytes || !isMarkdown(path)) continue
    const named = await namedIn(file.bytes)
    if (named.length === 0) continue
    const old = source.read(edits.renamed.get(path) ?? path)
    const before = new Set(old ? await namedIn(old) : [])
    const fresh = named.find(slug => !before.has(slug))
    if (fresh !== undefined) throw unseen(fresh)
  }
}

/** The same of texts that conflicts are resolved with: they may name what one of the two sides does. */
export async function checkResolvedDescriptions(
  ctx: Context,
  repo: Repository,
  { space, by }: Pick<Named, 'space' | 'by'>,
  conflicts: readonly MergeConflict[],
  resolutions: readonly Resolution[],
): Promise<void> {
  if (seesDescriptions(ctx, space, by)) return
  for (const resolution of resolutions) {
    if ('take' in resolution) continue
    const stages = conflicts.find(({ path }) => path === resolution.path)?.stages
    const known = new Set<string>()
    for (const side of [stages?.ours, stages?.theirs]) {
      const bytes = side && (await readBlob(repo, side.oid))
      if (bytes) for (const name of await allNamedIn(bytes)) known.add(name)
    }
    const fresh = (await allNamedIn(Buffer.from(resolution.content))).find(name => !known.has(name))
    if (fresh !== undefined) throw unseen(fresh)
  }
}

/** Whether somebody may see the OpenAPI descriptions of the organization of a space. */
export const seesDescriptions = (ctx: Context, space: Named['space'], by: Named['by']): boolean =>
  (memberWithin(ctx, space.organization_id, by.id)?.role ?? null) !== null

/** What blocks name, and the entries of a table of contents that are made of something, as they are written. */
export const allNamedIn = async (bytes: Uint8Array): Promise<string[]> => [
  ...(await namedIn(bytes)),
  ...parseSummary(decode(bytes).text).groups.flatMap(({ entries }) => computedIn(entries)),
]

const computedIn = (entries: readonly SummaryEntry[]): string[] =>
  entries.flatMap(({ yaml, children }) => [
    ...(yaml === undefined ? [] : [yaml.trim()]),
    ...computedIn(children),
  ])

const namedIn = (bytes: Uint8Array): Promise<string[]> => inSlices(slugSteps(decode(bytes).text))

const unseen = (slug: string) =>
  forbidden(
    `You may not see the OpenAPI descriptions of this organization, so you cannot name "${slug.slice(0, 100)}" on a page: ask one of its members to.`,
  )
