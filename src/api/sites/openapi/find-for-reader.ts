import type { RequestFacts } from '../../../access/asker.ts'
import { type ReadSpec, requireSpec } from '../../../access/guards/openapi.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import { isSpecNamed } from '../../../actions/reading/reader-specs.ts'
import { viewForReader } from '../../../actions/sites/view-for-reader.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import type { OpenapiSpecRow } from '../../../store/tables/rows.ts'

type SpecRequest = ReadSpec & {
  ctx: Context
  params: { organizationId: string; specSlug: string }
  request: Pick<RequestFacts, 'signal'>
}

/**
 * Returns the spec that a guard granted; for a reader, the spec in the path if content that the
 * reader is shown names it. Throws 'missing'. Ends when the client of `request` closes the
 * connection.
 */
export async function findSpecFor({
  ctx,
  spec,
  reader,
  params,
  request,
}: SpecRequest): Promise<OpenapiSpecRow> {
  if (spec) return spec
  const { view } = await viewForReader(ctx, reader)
  for (const { space } of view.siteSpaces) {
    if (!reader.spaceIds.has(space.id)) continue
    request.signal.throwIfAborted()
    const { repo, view, whole, audience } = await openContent(
      ctx,
      { space, reader, scope: { kind: 'space' } },
      { request },
    )
    const original = { space, repo, oid: view.oid, shown: whole }
    if (audience && (await isSpecNamed(ctx, original, audience, params.specSlug)))
      return requireSpec(ctx, params)
  }

  throw missing('OpenAPI spec', params.specSlug)
}
