import { z } from 'zod'
import { tokenOf } from '../../../access/guards/self.ts'
import { site } from '../../../access/guards/site.ts'
import { mintReadingToken } from '../../../access/reading-token.ts'
import { covers } from '../../../access/scopes.ts'
import { addressOnSite } from '../../../actions/sites/address-on-site.ts'
import { previewBase } from '../../../actions/sites/find-site.ts'
import { followStructure } from '../../../actions/sites/follow-structure.ts'
import { readerClaims } from '../../../actions/sites/reader-claims.ts'
import { viewWithClaims } from '../../../actions/sites/view-for-reader.ts'
import { viewForUser } from '../../../actions/sites/view-for-user.ts'
import type { SiteView } from '../../../actions/sites/view-site.ts'
import type { Address } from '../../../content/site/address.ts'
import type { Context } from '../../../context.ts'
import { Fault, invalid, missing } from '../../../errors.ts'
import { endpoint } from '../../../http/endpoint.ts'
import type { SiteSpaceRow } from '../../../store/tables/rows.ts'
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
    target: z.string().max(8192).optional().meta({
      description:
        'An address of the site, published or of a preview: the preview opens what it leads to. Default: the start of the site space.',
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
    const { claims, id: claimsId } = readerClaims(ctx, { site: row, tokenClaims })
    const readable = viewForUser(ctx, row, user, role).siteSpaces.map(({ space }) => space.id)
    const { view } = await viewWithClaims(ctx, row, claims, new Set(readable))
    const viewer = { view, audience: { claims, claimsId } }
    const { siteSpace, path, search, hash } = query.target
      ? await opened(ctx, viewer, addressOnSite(ctx, row, query.target), query.siteSpace)
      : start(view, query.siteSpace)

    const readingToken = mintReadingToken(ctx, {
      site: row,
      siteSpace,
      spaceIds: view.siteSpaces.map(({ space }) => space.id),
      claims,
      preview: { userId: user.id, tokenId: token.id },
      until: ctx.store.time + hour,
    })

    const url = new URL(previewBase(ctx, row) + path)
    url.search = search
    url.searchParams.set('token', readingToken)
    url.hash = hash ?? ''
    return { url: url.href }
  },
})

/** What a preview opens: a site space, and an address below the base of the site. */
type Opened = Pick<Address, 'search' | 'hash'> & { siteSpace: SiteSpaceRow; path: string }

/** Returns the start of a site space, the default one by default. Throws 'missing' and 'invalid'. */
function start({ siteSpaces }: SiteView, chosen: string | undefined): Opened {
  const shown =
    chosen === undefined
      ? (siteSpaces.find(({ path }) => path === '') ?? siteSpaces[0])
      : siteSpaces.find(each => each.row.id === chosen)
  if (shown) return { siteSpace: shown.row, path: shown.path, search: '' }

  if (chosen !== undefined) throw missing('site space', chosen)
  throw invalid(
    'A visitor with these claims sees nothing of the site. Choose other claims or add a space.',
  )
}

/** Returns what an address on the site leads to. Throws 'missing' and 'invalid'. */
async function opened(
  ctx: Context,
  viewer: Parameters<typeof followStructure>[1],
  { segments, search, hash }: Address,
  chosen: string | undefined,
): Promise<Opened> {
  const found = await followStructure(ctx, viewer, segments)
  if (!found)
    throw new Fault(
      'not_found',
      'A visitor with these claims sees nothing at the address "target".',
    )
  const { row } = found.siteSpace
  if (chosen !== undefined && chosen !== row.id)
    throw invalid('"target" leads to another site space than "siteSpace". Leave one of them out.')
  return {
    siteSpace: row,
    path: segments.map(encodeURIComponent).join('/'),
    search,
    ...(hash && { hash }),
  }
}
