import type { InsertFiles } from '../../content/edit/changes.ts'
import { findLinks } from '../../content/links/find.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import type { Steps } from '../../lib/slices.ts'
import { findUpload } from '../../store/spaces/uploads.ts'
import type { SpaceRow, UploadRow, UserRow } from '../../store/tables/rows.ts'
import { keyOf, shownAt } from '../uploads/upload-files.ts'
import { useUploads } from '../uploads/use-uploads.ts'

/** The most images that are added to a page at once. */
const mostImages = 50

/**
 * Returns the target by which a text shows an image that is uploaded and not saved yet. It is a ref
 * of the edit that saves the text, which turns it into the path of the file.
 */
export const targetOfUpload = (key: string): string => `./${refOf(key)}`

const refOf = (key: string): string => key.replace('/', '-')

/** Returns the id of the upload that a target shows; undefined for any other target. */
const uploadIn = (target: string): string | undefined =>
  /^\.\/uploads-([0-9A-Za-z]{20})$/.exec(target)?.[1]

/** Returns the ids of the uploads that a text shows, in steps. */
export function* addedImages(body: string): Steps<string[]> {
  if (!body.includes('./uploads-')) return []
  yield
  return [...new Set(findLinks(body).flatMap(({ target }) => uploadIn(target) ?? []))]
}

/** Returns the address of an image that a user has uploaded and not saved yet. */
export function unsavedImage(ctx: Context, user: UserRow, target: string): string | undefined {
  const id = uploadIn(target)
  const row = id === undefined ? undefined : ownUpload(ctx, user, id)
  return row && row.blob !== null ? shownAt(ctx, row) : undefined
}

function ownUpload(ctx: Context, user: UserRow, id: string): UploadRow | undefined {
  const row = findUpload(ctx.store, id)
  return row?.user_id === user.id ? row : undefined
}

type Adding = { space: SpaceRow; by: UserRow; images: readonly string[] }

/**
 * Runs an edit with the changes that add images to the space. Throws 'invalid' for an image that is
 * not there any more, and for too many.
 */
export function withImages<Result>(
  ctx: Context,
  { space, by, images }: Adding,
  edit: (added: readonly InsertFiles[]) => Promise<Result>,
): Promise<Result> {
  if (images.length > mostImages)
    throw invalid(`The text shows more than ${mostImages} new images. Save after fewer.`)
  const rows = images.map(id => {
    const row = ownUpload(ctx, by, id)
    if (row?.organization_id === space.organization_id) return row
    throw new Fault(
      'upload_not_found',
      `An image of the text is no longer on the server. Remove "./uploads-${id}" from the text, and add the image again.`,
    )
  })
  const keys = rows.map(keyOf)

  return useUploads(
    ctx,
    { organizationId: space.organization_id, userId: by.id, keys },
    async take => {
      const files = []
      for (const row of rows) {
        const key = keyOf(row)
        files.push({ name: row.name, ref: refOf(key), ...(await take(key, row.name)) })
      }
      return edit(files.length > 0 ? [{ operation: 'insert_files', files }] : [])
    },
  )
}
