import { z } from 'zod'
import { changeRequest } from '../../access/guards/change-request.ts'
import { markViewed, versionToView, viewedItems } from '../../actions/change-requests/viewed.ts'
import type { OpenRequest } from '../../actions/reviewing/open-request.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { asOid, type Oid } from '../../lib/oid.ts'
import { deleteViewedMark } from '../../store/discussions/viewed-marks.ts'
import { form } from '../frame/page.ts'
import { Form, Hidden, Submit } from '../parts/form.tsx'
import { requestPath } from './paths.ts'

/** The ids of what the user has viewed as it is now. */
export type Viewed = ReadonlySet<string>

/** Returns what the user of a change request has viewed. */
export const loadViewed = async ({ open, request, user }: OpenRequest): Promise<Viewed> =>
  new Set((await viewedItems(open.ctx, request, user.id)).map(({ item }) => item))

/**
 * Marks a page or a file as viewed in the version that was looked at, or takes the mark away. `kind` is "pages" or
 * "files": where it is shown.
 */
export const viewedForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/viewed/:kind/:itemId',
  scope: 'change-requests:write',
  access: changeRequest('read'),
  body: z.object({
    viewed: z.enum(['yes', 'no']),
    /** The version that was looked at; '' for one that is removed. */
    blob: z.union([z.literal(''), z.string().regex(/^[0-9a-f]{40}$/, 'takes a blob')]),
    /** The digest of the reusable content that the page showed. */
    includes: z.string().max(100).default(''),
    /** What follows the path of the change request in the address of the page with the form. */
    back: z
      .string()
      .max(5_000)
      .regex(/^(?:pages|files)(?:[/?]|$)/, 'takes a page of the change request'),
  }),
  shownOn: ({ spaceId, changeRequestId, kind, itemId }) =>
    `/s/${spaceId}/changes/${changeRequestId}/${
      kind === 'files' ? 'files' : `pages/${encodeURIComponent(itemId)}`
    }`,
  act: async ({ ctx, changeRequest, params: { itemId: item }, body }) => {
    const to = `${requestPath(changeRequest)}/${body.back}`
    if (body.viewed === 'no')
      return inTransaction(({ user }) => {
        deleteViewedMark(ctx.store, changeRequest.id, user.id, item)
        return { to }
      })
    const seen = body.blob === '' ? '' : asOid(body.blob)
    const version = await versionToView(ctx, changeRequest, item, {
      blob: seen,
      includes: body.includes,
    })
    return inTransaction(({ user }) => {
      markViewed(ctx, changeRequest, { item, ...version, by: user.id })
      return { to }
    })
  },
})

type ViewedProps = {
  /** The path of the change request, and what follows it in the address of the page. */
  path: string
  back: string
  kind: 'pages' | 'files'
  item: string
  blob: Oid | undefined
  /** A digest of the reusable content that a page shows. */
  includes?: string | undefined
  isViewed: boolean
}

/** Returns the button that marks a page or a file as viewed. */
export const ViewedButton = ({ path, back, kind, item, blob, includes, isViewed }: ViewedProps) => (
  <Form to={`${path}/viewed/${kind}/${encodeURIComponent(item)}`} class="viewed">
    <Hidden name="back" value={back} />
    <Hidden name="blob" value={blob ?? ''} />
    {includes && <Hidden name="includes" value={includes} />}
    <Submit name="viewed" value={isViewed ? 'no' : 'yes'} class={isViewed ? 'small on' : 'small'}>
      {isViewed ? '✓ Viewed' : 'Mark as viewed'}
    </Submit>
  </Form>
)

/** Returns how much of a list was viewed, in words. */
export function viewedCount(ids: readonly (string | undefined)[], viewed: Viewed): string {
  const known = ids.filter(id => id !== undefined)
  return `${known.filter(id => viewed.has(id)).length} of ${known.length} viewed`
}

/** Returns a mark beside what was viewed in a list. */
export const ViewedSign = () => (
  <span class="seen">
    <span aria-hidden="true">✓</span>
    <span class="sr">viewed</span>
  </span>
)
