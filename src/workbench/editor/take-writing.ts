import { editChangeRequest } from '../../actions/change-requests/edit-change-request.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { openPage } from '../../actions/writing/open-page.ts'
import { overlapOf } from '../../actions/writing/overlap.ts'
import type { Destination } from '../../actions/writing/save-changes.ts'
import { savePage } from '../../actions/writing/save-page.ts'
import { Fault, invalid } from '../../errors.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import type { Done, View } from '../frame/page.ts'
import { chosenRequest } from './destinations.ts'
import { editView } from './edit-view.tsx'
import { fieldsIn, type WritingForm } from './fields.ts'
import type { SentImage } from './images.ts'
import { editPath, openEditor, type Writer } from './open-editor.ts'

type Asking = Writer & { nonce: string; file?: SentImage | undefined }

/** Does what a button of the editor asks for: shows what was written, or saves it. */
export async function takeWriting(asked: Asking, given: WritingForm): Promise<Done | View> {
  const { ctx, space, user, params } = asked
  const added = asked.file?.line
  if (given.do === 'image' && added === undefined)
    throw invalid('No image was chosen: choose a file first, then add it.')
  const body = added === undefined ? given : { ...given, body: withLine(given.body, added) }
  const fields = fieldsIn(body)
  const { message, revision } = body
  const to = chosenBy(asked, body)
  const sent = { fields, message, to, ...(added !== undefined && { added }) }
  if (body.do === 'preview' || body.do === 'image')
    return editView(await openEditor(asked, revision, sent), asked.nonce)

  const writing = { space, by: user, page: params.pageId, revision, fields }
  const target = destinationOf(asked, body)
  const saving = { message: message || undefined, origin: asked.request.origin }

  try {
    const saved = await savePage(ctx, writing, target, saving)
    return done(asked, body, saved)
  } catch (error) {
    if (
      !(error instanceof Fault) ||
      error.kind !== 'conflict' ||
      !('hunks' in (error.detail ?? {}))
    )
      throw error
    const later = await headOf(asked, target)
    const overlap = await overlapOf(ctx, writing, later)
    const again = { ...sent, fields: overlap.fields, overlap }
    return editView(await openEditor(asked, later, again), asked.nonce)
  }
}

/** Returns a text with a line at its end, in a paragraph of its own. */
const withLine = (text: string, line: string): string =>
  `${text}${text === '' ? '' : /\n[ \t]*\n$/.test(text.slice(-200)) ? '' : text.endsWith('\n') ? '\n' : '\n\n'}${line}\n`

/** Returns what is chosen to save in: by the form, else by the address. */
const chosenBy = ({ changeRequest }: Asking, { to }: WritingForm): string =>
  to ?? (changeRequest ? String(changeRequest.number) : 'new')

function destinationOf(asked: Asking, body: WritingForm): Destination {
  const { ctx, space } = asked
  if (body.do === 'publish') return { kind: 'primary' }
  const row = chosenRequest(ctx, space.id, chosenBy(asked, body))
  if (row) return { kind: 'change-request', row }
  // A draft has no subject; it gets one when its review is asked for.
  return { kind: 'new', subject: body.do === 'review' ? subjectOf(body) : '' }
}

const subjectOf = ({ message, title }: WritingForm): string =>
  message.trim() || `Update ${title.trim() || 'a page'}`

/** Returns the head of what a text could not be saved in. */
async function headOf({ ctx, space }: Asking, target: Destination) {
  if (target.kind === 'change-request')
    return (await currentChangeRequest(ctx, target.row)).revision
  return (await primaryHead(ctx, space)).head
}

type Saved = Awaited<ReturnType<typeof savePage>>

async function done(asked: Asking, body: WritingForm, saved: Saved): Promise<Done> {
  const { ctx, space, params } = asked
  const page = `/s/${space.id}/p/${params.pageId}`
  if (body.do === 'publish')
    return { to: page, notice: saved ? 'Published.' : 'There was nothing to publish.' }

  const row = saved?.changeRequest ?? chosenRequest(ctx, space.id, chosenBy(asked, body))
  const unchanged = { notice: 'Nothing was changed.', data: { revision: body.revision } }
  if (!row) return { to: editPath(space.id, params.pageId), ...unchanged }
  const change = `/s/${space.id}/changes/${row.number}`
  if (body.do === 'review') {
    await openForReview(asked, row, body)
    return { to: change, notice: `Saved in #${row.number}, which is open for review.` }
  }

  const to = editPath(space.id, params.pageId, row.number)
  if (!saved) return { to, ...unchanged }
  const { revision } = saved
  const { fields } = await openPage(ctx, space.id, revision, params.pageId)
  // What others saved meanwhile is in the text now: the next one is made from it.
  const isOther = plain(fields.body) !== plain(body.body)
  const isMerged = isOther && !body.body.includes('./uploads-')
  return {
    to,
    notice: `Saved in #${row.number}${isMerged ? ', merged with what others saved' : ''}.`,
    data: { revision, ...(isOther && { fields }) },
  }
}

const plain = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Opens a draft, which gets a subject. */
async function openForReview(
  { ctx, user, request }: Asking,
  row: ChangeRequestRow,
  body: WritingForm,
): Promise<void> {
  if (row.status !== 'draft') return
  const subject = row.subject.trim() || subjectOf(body)
  await editChangeRequest(ctx, row, user, { status: 'open', subject }, request.origin)
}
