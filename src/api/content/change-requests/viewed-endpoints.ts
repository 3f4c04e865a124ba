import { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import { markViewed, versionToView, viewedItems } from '../../../actions/change-requests/viewed.ts'
import { endpoint, inTransaction, nothing } from '../../../http/endpoint.ts'
import { listOf, wholeList } from '../../../http/list.ts'
import { asOid } from '../../../lib/oid.ts'
import { deleteViewedMark } from '../../../store/discussions/viewed-marks.ts'
import { ChangeRequestPath } from '../../base/paths-schema.ts'

const ItemPath = ChangeRequestPath.extend({
  itemId: z.string().meta({ description: 'The id of a page or a file.' }),
})

const ViewedItem = z
  .object({
    item: z.string().meta({ description: 'The id of the page or the file.' }),
    blob: z.string().optional().meta({
      description:
        'The Git blob that was viewed; left out for a page or file that the change request removes.',
    }),
    viewedAt: z.string(),
  })
  .meta({
    id: 'ViewedItem',
    description: 'A page or a file of a change request that the caller has marked as viewed.',
    sentences: { viewedAt: 'The time of the mark.' },
  })

const ViewedBody = z.strictObject({
  blob: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'takes the 40 hex digits of a blob')
    .optional()
    .meta({
      description:
        'The Git blob that you looked at, as `git.oid` of the page or file. Default: the current one.',
    }),
})

export const listViewedItemsInChangeRequest = endpoint({
  operationId: 'listViewedItemsInChangeRequest',
  summary: 'List the pages and files of a change request that you have viewed',
  description:
    'Returns the pages and files that you marked as viewed and that have not changed since. A page changes with its text and with the reusable content that it shows. Only you can see your marks.',
  params: ChangeRequestPath,
  reply: listOf(ViewedItem),
  access: changeRequest('read'),
  handle: async ({ ctx, user, changeRequest }) =>
    wholeList(await viewedItems(ctx, changeRequest, user.id)),
})

export const markItemAsViewedInChangeRequest = endpoint({
  operationId: 'markItemAsViewedInChangeRequest',
  summary: 'Mark a page or a file of a change request as viewed',
  description:
    'Marks the current version of the page or file as viewed by you. If `blob` is not the current version, the answer is a 409.',
  params: ItemPath,
  body: ViewedBody,
  bodyOptional: true,
  reply: ViewedItem,
  access: changeRequest('read'),
  handle: async ({ ctx, changeRequest, params: { itemId }, body }) => {
    const seen = body.blob === undefined ? undefined : asOid(body.blob)
    const version = await versionToView(ctx, changeRequest, itemId, { blob: seen })
    return inTransaction(({ user }) => {
      const viewedAt = markViewed(ctx, changeRequest, { item: itemId, ...version, by: user.id })
      return { item: itemId, ...(version.blob !== '' && { blob: version.blob }), viewedAt }
    })
  },
})

export const unmarkItemAsViewedInChangeRequest = endpoint({
  operationId: 'unmarkItemAsViewedInChangeRequest',
  summary: 'Remove your mark of a page or a file of a change request as viewed',
  description: 'Removes your mark. The operation also succeeds when there is no mark.',
  params: ItemPath,
  reply: nothing,
  access: changeRequest('read'),
  write: ({ ctx, user, changeRequest, params }) => {
    deleteViewedMark(ctx.store, changeRequest.id, user.id, params.itemId)
  },
})
