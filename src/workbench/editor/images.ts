import { z } from 'zod'
import { space } from '../../access/guards/space.ts'
import { announceUpload } from '../../actions/uploads/announce-upload.ts'
import { removeExpiredUploads } from '../../actions/uploads/remove-uploads.ts'
import { targetOfUpload } from '../../actions/writing/added-images.ts'
import { imageName, isImageType } from '../../actions/writing/image-name.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { form } from '../frame/page.ts'
import { editPath } from './open-editor.ts'

const Image = z.object({
  name: z.string().max(2_000),
  type: z.string().refine(isImageType, 'takes PNG, JPEG, GIF, WebP, AVIF or SVG'),
  size: z.coerce.number().int().min(1, 'must not be empty'),
})

/** Answers the editor with the address that takes an image, and with its target in the text. */
export const announceImage = form({
  path: '/s/:spaceId/edit/:pageId/images',
  scope: ['change-requests:write', 'content:write'],
  access: space('edit'),
  body: Image,
  shownOn: ({ spaceId, pageId }) => editPath(spaceId, pageId),
  act: async ({ ctx, params, body, actor }) => {
    await removeExpiredUploads(ctx)
    return inTransaction(({ space, user }) => {
      const { url, key } = announceUpload(ctx, {
        organizationId: space.organization_id,
        userId: user.id,
        tokenId: actor.token.id,
        name: imageName(body.name, body.type),
        size: body.size,
      })
      const to = editPath(params.spaceId, params.pageId)
      return { to, data: { url, target: targetOfUpload(key) } }
    })
  },
})
