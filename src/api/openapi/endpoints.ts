import { checkDescriptions, description, descriptions, requireSpec } from '../../access/guards/openapi.ts'
import { checkMember } from '../../access/guards/organization.ts'
import { deleteOpenapi } from '../../actions/specs/delete-spec.ts'
import { createOpenapi, recordOnSpec, updateOpenapi } from '../../actions/specs/put-spec.ts'
import { Fault } from '../../errors.ts'
import { Answer, atOnce, endpoint, nothing } from '../../http/endpoint.ts'
import { invalidInput } from '../../http/faults.ts'
import { envelope, PageQuery, pageOf } from '../../http/list.ts'
import { findSpecBySlug, listSpecs, updateSpec } from '../../store/openapi/specs.ts'
import type { OpenapiSpecRow } from '../../store/tables/rows.ts'
import { OrganizationPath } from '../organizations/schema.ts'
import { presentSpec } from './present.ts'
import { readSource } from './read-source.ts'
import { OpenAPISpec, OpenAPISpecs, Slug, SpecBody, SpecPatch, SpecPath, SpecUpdate } from './schema.ts'

/** A text of 10 MB, with everything in it that JSON escapes. */
const bodyLimit = 22_000_000

export const listOpenAPISpecs = endpoint({
  operationId: 'listOpenAPISpecs',
  summary: 'List the OpenAPI descriptions of an organization',
  description: 'Oldest first, for every member who is no guest.',
  params: OrganizationPath,
  query: PageQuery,
  reply: OpenAPISpecs,
  access: descriptions('view'),
  handle: async ({ ctx, organization: { id }, mayEdit, query }) => {
    const page = await pageOf(
      ctx,
      `openapi ${id}`,
      query,
      (limit, after: [number] | undefined) => listSpecs(ctx.store, id, limit, after?.[0]),
      (row): [number] => [row.seq],
    )
    return envelope(
      page,
      page.rows.map(row => presentSpec(row, mayEdit, ctx.publicUrl())),
    )
  },
})

const processing =
  'It is read a moment later: `processingState` says whether it was, `lastProcessErrorCode` and `lastProcessedErrors` what was wrong. OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 are taken, as JSON or YAML. From an address, files that it refers to relatively are fetched as well: 50 at most, 10 MB together, all from the same host.'

export const createOpenAPISpec = endpoint({
  operationId: 'createOpenAPISpec',
  summary: 'Make an OpenAPI description',
  description: `For members with the role "create". ${processing} 409 when there is one with this slug: use PUT to change it. Slugs are kept in lower case, and found in any.`,
  params: OrganizationPath,
  body: SpecBody,
  bodyLimit,
  reply: OpenAPISpec,
  status: 201,
  access: descriptions('edit'),
  handle: async ({ ctx, organization: { id: organizationId }, user, body, request }) => {
    const source = await readSource(ctx, body.source, user.id)
    return atOnce(() => {
      checkDescriptions(ctx, organizationId, user, 'edit')
      if (findSpecBySlug(ctx.store, organizationId, body.slug))
        throw new Fault(
          'conflict',
          `There is an OpenAPI description "${body.slug}" already. Change it with PUT, or take another slug.`,
        )
      const doer = { userId: user.id, origin: request.origin }
      return made(ctx, createOpenapi(ctx, { organizationId, slug: body.slug }, source, doer))
    })
  },
})

export const getOpenAPISpecBySlug = endpoint({
  operationId: 'getOpenAPISpecBySlug',
  summary: 'Get an OpenAPI description',
  params: SpecPath,
  reply: OpenAPISpec,
  access: description('view'),
  handle: ({ ctx, spec, mayEdit }) => presentSpec(spec, mayEdit, ctx.publicUrl()),
})

export const createOrUpdateOpenAPISpecBySlug = endpoint({
  operationId: 'createOrUpdateOpenAPISpecBySlug',
  summary: 'Make an OpenAPI description, or give it another source',
  description: `For members with the role "create". 201 when it was made, 200 when there was one; the same address again is fetched again. ${processing} Sources are read in the order in which they came, and each that says something else makes a version; 429 when ten wait.`,
  params: SpecPath,
  body: SpecUpdate,
  bodyLimit,
  reply: OpenAPISpec,
  access: descriptions('edit'),
  handle: async ({ ctx, organization: { id: organizationId }, user, params, body, request }) => {
    const slug = Slug.safeParse(params.specSlug)
    if (!slug.success) throw invalidInput('path', slug.error)
    const source = await readSource(ctx, body.source, user.id)
    return atOnce(() => {
      checkDescriptions(ctx, organizationId, user, 'edit')
      const doer = { userId: user.id, origin: request.origin }
      const spec = findSpecBySlug(ctx.store, organizationId, slug.data)
      if (!spec) return made(ctx, createOpenapi(ctx, { organizationId, slug: slug.data }, source, doer))
      return presentSpec(updateOpenapi(ctx, spec, source, doer), true, ctx.publicUrl())
    })
  },
})

export const updateOpenAPISpecBySlug = endpoint({
  operationId: 'updateOpenAPISpecBySlug',
  summary: 'Change who may read an OpenAPI description',
  description:
    'For members with the role "create"; to make it `public`, for admins of the organization. While it is `public`, its versions’ first files can be read without a token: `urls.published` of it, `url` of each version.',
  params: SpecPath,
  body: SpecPatch,
  reply: OpenAPISpec,
  access: description('edit'),
  handle: ({ ctx, user, params, body: { visibility }, request }) =>
    atOnce(() => {
      checkDescriptions(ctx, params.organizationId, user, 'edit')
      const before = requireSpec(ctx, params)
      if (before.visibility === visibility) return presentSpec(before, true, ctx.publicUrl())
      if (visibility === 'public') checkMember(ctx, params.organizationId, user, 'admin')
      const at = ctx.now().toISOString()
      const spec = updateSpec(ctx.store, before.id, { visibility, updated_at: at }) as OpenapiSpecRow
      const doer = { userId: user.id, origin: request.origin }
      const changed = { changed: ['visibility'], visibility: { from: before.visibility, to: visibility } }
      recordOnSpec(ctx, spec, 'openapi_spec.updated', doer, changed, at)
      return presentSpec(spec, true, ctx.publicUrl())
    }),
})

export const deleteOpenAPISpecBySlug = endpoint({
  operationId: 'deleteOpenAPISpecBySlug',
  summary: 'Delete an OpenAPI description, with its versions',
  description:
    'For members with the role "create". The same answer when there is none. One that is made later under the same slug begins anew.',
  params: SpecPath,
  reply: nothing,
  access: descriptions('edit'),
  handle: ({ ctx, user, params, request }) =>
    atOnce(() => {
      checkDescriptions(ctx, params.organizationId, user, 'edit')
      const spec = findSpecBySlug(ctx.store, params.organizationId, params.specSlug)
      if (spec) deleteOpenapi(ctx, spec, { userId: user.id, origin: request.origin })
      return undefined
    }),
})

function made(ctx: Parameters<typeof createOpenapi>[0], spec: OpenapiSpecRow) {
  const shown = presentSpec(spec, true, ctx.publicUrl())
  return new Answer(shown, { status: 201, headers: { Location: shown.urls.location } })
}
