import { shownTreeSteps } from '../../content/evaluate/shown-tree.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import { readerContent } from '../reading/reader-content.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { type ComputedContent, withComputed } from '../specs/computed-pages.ts'
import type { OpenContent } from './open-content.ts'

/**
 * Opens another revision of the space of opened content for the same reader, who may read it: the
 * caller has checked that. Pages that the current content hides from the reader are hidden in the
 * other revision as well. `scope` is the path of the revision below the address of the space.
 */
export async function openAt(open: OpenContent, oid: Oid, scope: string): Promise<OpenContent> {
  const { ctx, space } = open
  const view = await viewRevision(ctx, space.id, oid)
  const whole = await withComputed(ctx, space.organization_id, view)
  const shown = await shownAt(open, oid, whole)
  const location = `${ctx.publicUrl()}/v1/spaces/${space.id}/${scope}`

  return {
    ...open,
    view,
    whole,
    shown,
    location,
    scope,
    pinned: true,
    ref: undefined,
    holds: undefined,
  }
}

async function shownAt(
  open: OpenContent,
  oid: Oid,
  whole: ComputedContent,
): Promise<ComputedContent> {
  const { ctx, space, repo, audience, signal } = open
  if (!audience) return whole
  const [now, shownNow] = [open.whole.content.pageById, open.shown.content.pageById]
  const nowByFile = open.whole.content.pageByFile
  const isHidden = (id: string | undefined): boolean =>
    id !== undefined && now.has(id) && !shownNow.has(id)
  if (now.size === shownNow.size)
    return readerContent(ctx, { space, repo, oid, shown: whole }, audience, { files: false })

  const shown = {
    drafts: audience.draftsOf === space.id,
    // After a deletion, a new page at the path has another id.
    hides: ({ id, file }: PageNode): boolean =>
      isHidden(now.has(id) ? id : file && nowByFile.get(file.path)?.id),
  }

  return {
    ...whole,
    content: await inSlices(shownTreeSteps(whole.content, audience.claims, shown), signal),
  }
}
