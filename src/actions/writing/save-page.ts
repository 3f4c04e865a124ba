import type { UpdatePage } from '../../content/edit/changes.ts'
import { withBody } from '../../content/page/editable.ts'
import { editFrontMatter } from '../../content/page/front-matter-edit.ts'
import { keepEndings } from '../../content/text/keep-endings.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { addedImages, withImages } from './added-images.ts'
import { type OpenedPage, openPage, type PageFields } from './open-page.ts'
import { type Destination, type Saving, saveChanges } from './save-changes.ts'

/** A page that a person has written, with the revision that they looked at. */
export type Writing = {
  space: SpaceRow
  by: UserRow
  /** The id of the page. */
  page: string
  revision: Oid
  fields: PageFields
}

/** What was saved: undefined if nothing had been changed. */
type SavedPage = { revision: Oid; changeRequest: ChangeRequestRow | undefined } | undefined

/**
 * Saves a page as one commit, merged with what others saved since the revision that was looked at.
 * A new change request is created only if something was changed. Throws 'conflict' if others
 * changed the same part (see `overlapOf`), and what an edit of content throws.
 */
export async function savePage(
  ctx: Context,
  writing: Writing,
  to: Destination,
  saving: Saving,
): Promise<SavedPage> {
  const { space, by, fields } = writing
  const opened = await openPage(ctx, space.id, writing.revision, writing.page)
  const change = changeOf(opened, writing, await writtenText(opened, fields))
  if (!change) return undefined
  const images = await inSlices(addedImages(fields.body))
  return withImages(ctx, { space, by, images }, added =>
    saveChanges(ctx, { space, by, changes: [...added, change] }, to, saving),
  )
}

/** Returns the whole file of a page with other fields, without its title. */
export async function writtenText(
  { text, start, fields: before }: OpenedPage,
  fields: PageFields,
): Promise<string> {
  const body = await inSlices(keepEndings(before.body, fields.body))
  const whole = body === before.body ? text : withBody(text, start, body)
  const keys = (['description', 'icon', 'cover'] as const).filter(
    name => writtenValue(fields[name]) !== writtenValue(before[name]),
  )
  if (keys.length === 0) return whole
  return editFrontMatter(
    whole,
    Object.fromEntries(keys.map(key => [key, writtenValue(fields[key])])),
  )
}

const writtenValue = (field: string): string | null => field.replace(/\r\n?/g, '\n').trim() || null

/** Returns the change that saves a page; undefined if nothing was changed. */
function changeOf(
  { node, text, fields: before }: OpenedPage,
  { page, revision, fields }: Writing,
  whole: string,
): UpdatePage | undefined {
  const title = fields.title.trim()
  const isRenamed = title !== '' && title !== before.title
  if (!isRenamed && whole === text) return undefined

  return {
    operation: 'update_page',
    page,
    baseRevision: revision,
    ...(isRenamed && { title }),
    ...((whole !== text || !node.file) && { document: { markdown: whole, whole: true } }),
  }
}
