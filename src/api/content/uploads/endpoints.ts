import { organization } from '../../../access/guards/organization.ts'
import { announceUpload } from '../../../actions/uploads/announce-upload.ts'
import { removeExpiredUploads } from '../../../actions/uploads/remove-uploads.ts'
import { endpoint, inTransaction } from '../../../http/endpoint.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { StorageUpload, StorageUploadURL } from './schema.ts'

export const generateStorageUploadURL = endpoint({
  operationId: 'generateStorageUploadURL',
  summary: 'Announce a file, and get the address that takes its bytes',
  description:
    'Returns an address that takes the bytes of one file. Use it for files that are too large for `base64`: up to 50 MB, unless the operator of the server sets another limit. Send the bytes to `url`, then use `key` as the `upload` of a file in `insert_files`. The uploaded file is removed as soon as an edit has used it.',
  params: OrganizationPath,
  body: StorageUpload,
  reply: StorageUploadURL,
  status: 201,
  access: organization('guest'),
  handle: async ({ ctx, params: { organizationId }, body: { file }, request }) => {
    await removeExpiredUploads(ctx)
    return inTransaction(({ user }) => {
      const { url, key } = announceUpload(ctx, {
        organizationId,
        userId: user.id,
        tokenId: request.origin.tokenId!,
        name: file.name,
        size: file.size,
      })
      return { object: 'storage-signed-url' as const, url, key }
    })
  },
})
