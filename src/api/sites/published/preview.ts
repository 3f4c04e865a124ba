import { z } from 'zod'
import { tokenOf } from '../../../access/guards/self.ts'
import { site } from '../../../access/guards/site.ts'
import { mintReadingToken } from '../../../access/reading-token.ts'
import { covers } from '../../../access/scopes.ts'
import { previewBase } from '../../../actions/sites/find-site.ts'
import { readerClaims } from '../../../actions/sites/reader-claims.ts'
import { viewWithClaims } from '../../../actions/sites/view-for-reader.ts'
import { viewForUser } from '../../../actions/sites/view-for-user.ts'
import { Fault, invalid, missing } from '../../../errors.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { SitePath } from '../schema.ts'
import { readPreviewClaims } from './preview-claims.ts'

const hour = 3_600_000

export const getSitePublishingPreviewById = endpoint({
  operationId: 'getSitePublishingPreviewById',
  summary: 'Get an address to preview a site',
  description:
    'Returns an address that shows the site as it is now, published or not, to a visitor with the given claims. Everyone who has the address can open it for one hour, as long as you have the role "create" on the site and the token of this request is valid. It shows the spaces that you may read.',
  params: SitePath,
  query: z.strictObject({
    siteSpace: z.string().max(200).optional().meta({
      description: 'The id of the site space to preview. Default: the default one.',
    }),
    claims: z.string().max(8192).optional().meta({
      description:
        'The claims of the visitor, as Rison or JSON. They have to fit the adaptive schema.',
    }),
  }),
  reply: z.object({
    url: z.string().meta({ description: 'The address of the preview, for a browser.' }),
  }),
  access: site('create'),
  handle: async ({ ctx, actor, site: row, user, role, query }) => {
    const token = tokenOf(actor)
    if (!covers(token.scopes, 'content:read'))
      throw new Fault(
        'scope_required',
        'A preview needs a token with the scope "content:read", which your token does not have.',
      )

    const tokenClaims = query.claims === undefined ? {} : readPreviewClaims(ctx, row, query.claims)
    const { claims } = readerClaims(ctx, { site: row, tokenClaims })
    const readable = viewForUser(ctx, row, user, role).siteSpaces.map(({ space }) => space.id)
    const { view } = await viewWithClaims(ctx, row, claims, new Set(readable))
    const chosen = query.siteSpace
    const shown =
      chosen === undefined
        ? (view.siteSpaces.find(({ path }) => path === '') ?? view.siteSpaces[0])
        : view.siteSpaces.find(each => each.row.id === chosen)

    if (!shown) {
      if (chosen !== undefined) throw missing('site space', chosen)
      throw invalid(
        'A visitor with these claims sees nothing of the site. Choose other claims or add a space.',
      )
    }

    const readingToken = mintReadingToken(ctx, {
      site: row,
      siteSpace: shown.row,
      spaceIds: view.siteSpaces.map(({ space }) => space.id),
      claims,
      preview: { userId: user.id, tokenId: token.id },
      until: ctx.store.time + hour,
    })

    return { url: `${previewBase(ctx, row)}${shown.path}?token=${readingToken}` }
  },
})
