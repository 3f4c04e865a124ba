import { z } from 'zod'
import { type SpaceGrant, space } from '../../access/guards/space.ts'
import { announceUpload } from '../../actions/uploads/announce-upload.ts'
import { receiveUpload } from '../../actions/uploads/receive-upload.ts'
import { removeExpiredUploads, removeUpload } from '../../actions/uploads/remove-uploads.ts'
import { targetOfUpload } from '../../actions/writing/added-images.ts'
import { imageName } from '../../actions/writing/image-name.ts'
import { endingOfImage, imageInMarkdown, imageKinds, shortName } from '../../content/image-types.ts'
import { invalid } from '../../errors.ts'
import { inTransaction } from '../../http/endpoint.ts'
import type { UploadRow } from '../../store/tables/rows.ts'
import { type FileField, form, type PageInput } from '../frame/page.ts'
import { editPath } from './open-editor.ts'

const Image = z.object({
  name: z.string().max(2_000),
  type: z.string().refine(type => endingOfImage(type) !== undefined, `takes ${imageKinds}`),
  size: z.coerce.number().int().min(1, 'must not be empty'),
})

type ImageSender = Pick<PageInput, 'ctx' | 'actor'>

/** Makes the upload of an image. Call it in the transaction of a write. */
const announce = (
  { ctx, actor }: ImageSender,
  { space, user }: Pick<SpaceGrant, 'space' | 'user'>,
  { name, type, size }: z.output<typeof Image>,
) =>
  announceUpload(ctx, {
    organizationId: space.organization_id,
    userId: user.id,
    tokenId: actor.token.id,
    name: imageName(name, type),
    size,
  })

/** Answers the editor with the address that takes an image, and with its target in the text. */
export const announceImage = form({
  path: '/s/:spaceId/edit/:pageId/images',
  scope: ['change-requests:write', 'content:write'],
  access: space('edit'),
  body: Image,
  shownOn: ({ spaceId, pageId }) => editPath(spaceId, pageId),
  act: async asked => {
    const { ctx, params, body } = asked
    await removeExpiredUploads(ctx)
    return inTransaction(granted => {
      const { url, key } = announce(asked, granted, body)
      const to = editPath(params.spaceId, params.pageId)
      return { to, data: { url, target: targetOfUpload(key) } }
    })
  },
})

/** An image that came with the form of a page: its upload, and the line that shows it. */
export type SentImage = { upload: UploadRow; line: string }

/** The field of the editor that takes an image without a script. */
export const imageField: FileField<ImageSender, SentImage, SpaceGrant> = {
  name: 'image',
  mostBytes: ({ config }) => config.maxUploadBytes,
  take: async (asked, { name, type, most, chunks }, write) => {
    const { ctx } = asked
    if (endingOfImage(type) === undefined)
      throw invalid(`“${shortName(name)}” is not an image that pages show: ${imageKinds}.`)
    await removeExpiredUploads(ctx)
    const image = { name: name.slice(0, 2_000), type, size: most }
    const { row: upload, key } = await write(
      inTransaction(granted => announce(asked, granted, image)),
    )

    try {
      await receiveUpload(ctx, upload, chunks, 'at most')
    } catch (error) {
      await removeUpload(ctx, upload)
      throw error
    }
    return { upload, line: imageInMarkdown(name, targetOfUpload(key)) }
  },
  drop: (ctx, { upload }) => removeUpload(ctx, upload),
}
