import { writtenTitle } from '../../content/edit/places.ts'
import { bodyStart } from '../../content/page/editable.ts'
import { fillHunks, hunksOf, type MergeHunk, mergeTexts } from '../../content/text/merge.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { fieldsOf, openPage, type PageFields } from './open-page.ts'
import { type Writing, writtenText } from './save-page.ts'

/** The most places of an overlap that are shown. */
const mostHunks = 50

/**
 * What a person wrote, merged with what others saved meanwhile: in the places that both changed, the
 * fields have what the person wrote.
 */
export type Overlap = {
  /** The revision that the fields are merged with: the one to save them at. */
  revision: Oid
  fields: PageFields
  /** The places that both changed: `ours` is what the person wrote. */
  hunks: readonly MergeHunk[]
  /** The title that others gave the page meanwhile. */
  title: string | undefined
}

/** Merges a page that could not be saved with the same page at a later revision. */
export async function overlapOf(ctx: Context, writing: Writing, later: Oid): Promise<Overlap> {
  const { space, page, fields } = writing
  const base = await openPage(ctx, space.id, writing.revision, page)
  const now = await openPage(ctx, space.id, later, page)
  const ours = await writtenText(base, fields)
  const texts = [base.text, ours, now.text] as const
  const merge = mergeTexts(...texts)
  const merged = merge.clean ? merge.text : fillHunks(texts, hunk => hunk.ours)
  const titles = [now.node.title, writtenTitle(now.node)]
  const mine = fields.title.trim()
  const isRenamed = mine !== '' && mine !== base.fields.title
  const title = isRenamed ? mine : now.fields.title
  const start = bodyStart(merged, titles, now.node.file?.path)

  return {
    revision: later,
    fields: fieldsOf(title, merged, start),
    hunks: merge.clean ? [] : hunksOf(...texts).slice(0, mostHunks),
    title: now.fields.title === base.fields.title ? undefined : now.fields.title,
  }
}
