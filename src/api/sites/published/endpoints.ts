import { z } from 'zod'
import type { Actor, RequestFacts } from '../../../access/asker.ts'
import { anyone } from '../../../access/guards/self.ts'
import { signReadingToken } from '../../../access/reading-token.ts'
import { countCall, countNowhere } from '../../../actions/sites/lookup-limits.ts'
import {
  type AddressRequest,
  type Resolved,
  resolveAddress,
} from '../../../actions/sites/resolve-address.ts'
import { isAgent } from '../../../content/site/agents.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { addressGroup } from '../../../http/limits/client-address.ts'
import { PublishedLookup, ResolveBody, ResolveQuery } from './schema.ts'

const description =
  'Returns what is published at an address, with a reading token for it; or a redirect to the canonical address or to the sign-in page of the site. Whether the page exists is not checked. No token is needed: without one, 600 calls per minute are allowed for each client address, 120 of them for addresses where nothing is published. With a preview token, unpublished sites are found as well; with the token of a user, also sites for members, and previews that the user may read.'

export const resolvePublishedContentByUrl = endpoint({
  operationId: 'resolvePublishedContentByUrl',
  summary: 'Resolve the address of published content',
  description,
  params: z.object({}),
  body: ResolveBody,
  reply: PublishedLookup,
  readers: true,
  access: anyone,
  handle: input => resolve(input, input.body),
})

export const getPublishedContentByUrl = endpoint({
  operationId: 'getPublishedContentByUrl',
  deprecated: true,
  summary: 'Resolve the address of published content (deprecated)',
  description: `Use \`resolvePublishedContentByUrl\` instead, which accepts claims. ${description}`,
  params: z.object({}),
  query: ResolveQuery,
  reply: PublishedLookup,
  readers: true,
  access: anyone,
  handle: input => {
    const { url, visitorAuthToken: jwtToken, redirectOnError = false } = input.query
    return resolve(input, { url, redirectOnError, visitor: { jwtToken } })
  },
})

async function resolve(
  { ctx, actor, request }: { ctx: Context; actor: Actor; request: RequestFacts },
  {
    url,
    redirectOnError = false,
    visitor = {},
  }: Pick<AddressRequest, 'url' | 'redirectOnError' | 'visitor'>,
): Promise<z.input<typeof PublishedLookup>> {
  const client = addressGroup(request.origin.address)
  const isLimited = actor.type !== 'user'
  if (isLimited) countCall(ctx, client)

  const type = visitor.type ?? (isAgent(request.header('user-agent')) ? 'agent' : undefined)
  const resolved = await resolveAddress(ctx, {
    url,
    redirectOnError,
    visitor: { ...visitor, type },
    previewer: actor.type === 'reader' ? actor : undefined,
    user: actor.type === 'user' ? { userId: actor.user.id, tokenId: actor.token.id } : undefined,
  }).catch((error: unknown) => {
    if (isLimited && error instanceof Fault && error.kind === 'missing') countNowhere(ctx, client)
    throw error
  })

  if (resolved.kind === 'content' && resolved.reading.pl !== undefined)
    throw new Fault(
      'browser_required',
      'A preview link is for browsers. Programs read the change request over the API.',
    )

  return present(ctx, resolved)
}

function present(ctx: Context, resolved: Resolved): z.input<typeof PublishedLookup> {
  if (resolved.kind === 'redirect') {
    const { target, redirect, site } = resolved
    return { target, redirect, ...(target === 'external' && { site: site.id }) }
  }

  const { site, siteSpace, shareKey, claimsId, changeRequest, revision } = resolved
  return {
    site: site.id,
    ...(siteSpace.section && { siteSection: siteSpace.section.id }),
    siteSpace: siteSpace.row.id,
    space: siteSpace.space.id,
    organization: site.organization_id,
    ...(changeRequest !== undefined && { changeRequest }),
    ...(revision !== undefined && { revision }),
    siteBasePath: resolved.siteBasePath,
    basePath: resolved.basePath,
    pathname: resolved.pathname,
    canonicalUrl: resolved.canonicalUrl,
    complete: resolved.complete,
    ...(shareKey !== undefined && { shareKey }),
    ...(claimsId !== '' && { contextId: claimsId }),
    ...(resolved.preview && { preview: true }),
    apiToken: signReadingToken(ctx, resolved.reading),
  }
}
