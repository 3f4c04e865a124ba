import { namedSpec, organizationSpecs } from '../../../access/guards/openapi.ts'
import { checkMember } from '../../../access/guards/organization.ts'
import { deleteSpec } from '../../../actions/specs/delete-spec.ts'
import { createSpec, setSpecSource } from '../../../actions/specs/put-spec.ts'
import { recordOnSpec } from '../../../actions/specs/record-on-spec.ts'
import { Fault } from '../../../errors.ts'
import { Answer, endpoint, inTransaction, nothing } from '../../../http/endpoint.ts'
import { parseInput } from '../../../http/input/parse-input.ts'
import { listing } from '../../../http/list.ts'
import { findSpecBySlug, listSpecs, updateSpec } from '../../../store/openapi/specs.ts'
import type { OpenapiSpecRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { presentSpec } from './present.ts'
import { readSource } from './read-source.ts'
import { OpenAPISpec, Slug, SpecBody, SpecPatch, SpecPath, SpecUpdate } from './schema.ts'

/** A text of 10 MB, with room for the escapes of JSON. */
const bodyLimit = 22_000_000

export const listOpenAPISpecs = listing({
  operationId: 'listOpenAPISpecs',
  summary: 'List the OpenAPI specs of an organization',
  description: 'Oldest first. For members of the organization, not guests.',
  params: OrganizationPath,
  item: OpenAPISpec,
  access: organizationSpecs('view'),
  list: ({ ctx, organization: { id }, mayEdit }) => ({
    name: `openapi ${id}`,
    rows: (limit, after) => listSpecs(ctx.store, id, limit, after),
    show: rows => rows.map(row => presentSpec(row, mayEdit, ctx.publicUrl())),
  }),
})

const processing =
  'The spec is processed in the background: `processingState` has the state, `lastProcessErrorCode` and `lastProcessedErrors` the errors. OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 are supported, as JSON or YAML. For a URL, files with a relative reference are fetched too: at most 50, 10 MB together, from the same host.'

export const createOpenAPISpec = endpoint({
  operationId: 'createOpenAPISpec',
  summary: 'Create an OpenAPI spec',
  description: `For members with the role "create". ${processing} 409 when a spec with this slug exists: use PUT to change it. Slugs are stored in lower case and matched in any case.`,
  params: OrganizationPath,
  body: SpecBody,
  bodyLimit,
  reply: OpenAPISpec,
  status: 201,
  access: organizationSpecs('edit'),
  handle: async ({ ctx, organization: { id: organizationId }, user, body, by }) => {
    const source = await readSource(ctx, body.source, user.id)
    return inTransaction(() => {
      if (findSpecBySlug(ctx.store, organizationId, body.slug))
        throw new Fault(
          'name_in_use',
          `The OpenAPI spec "${body.slug}" already exists. Change it with PUT, or use another slug.`,
        )
      const doer = by
      return made(ctx, createSpec(ctx, { organizationId, slug: body.slug }, source, doer))
    })
  },
})

export const getOpenAPISpecBySlug = endpoint({
  operationId: 'getOpenAPISpecBySlug',
  summary: 'Get an OpenAPI spec',
  description:
    'Its state: whether a source is being read, and what was wrong with the last one. `GET …/versions/latest/content` has its files.',
  params: SpecPath,
  reply: OpenAPISpec,
  access: namedSpec('view'),
  handle: ({ ctx, spec, mayEdit }) => presentSpec(spec, mayEdit, ctx.publicUrl()),
})

export const createOrUpdateOpenAPISpecBySlug = endpoint({
  operationId: 'createOrUpdateOpenAPISpecBySlug',
  summary: 'Create an OpenAPI spec, or set its source',
  description: `For members with the role "create". 201 when the spec is created, 200 when it exists; the same URL is fetched again. ${processing} Sources are read in the order of the requests, and each change makes a version; 429 when ten are waiting.`,
  params: SpecPath,
  body: SpecUpdate,
  bodyLimit,
  reply: OpenAPISpec,
  access: organizationSpecs('edit'),
  handle: async ({ ctx, organization: { id: organizationId }, user, params, body, by }) => {
    const slug = parseInput('path', Slug, params.specSlug)
    const source = await readSource(ctx, body.source, user.id)

    return inTransaction(() => {
      const doer = by
      const spec = findSpecBySlug(ctx.store, organizationId, slug)
      if (!spec) return made(ctx, createSpec(ctx, { organizationId, slug }, source, doer))
      return presentSpec(setSpecSource(ctx, spec, source, doer), true, ctx.publicUrl())
    })
  },
})

export const updateOpenAPISpecBySlug = endpoint({
  operationId: 'updateOpenAPISpecBySlug',
  summary: 'Change the visibility of an OpenAPI spec',
  description:
    'For members with the role "create"; to make it `public`, for admins of the organization. While it is `public`, the entry files of its versions can be read without a token, at `urls.published` of the spec and `url` of each version.',
  params: SpecPath,
  body: SpecPatch,
  reply: OpenAPISpec,
  access: namedSpec('edit'),
  write: ({ ctx, spec: before, user, params, body: { visibility }, by }) => {
    if (before.visibility === visibility) return presentSpec(before, true, ctx.publicUrl())
    if (visibility === 'public') checkMember(ctx, params.organizationId, user, 'admin')
    const at = ctx.now().toISOString()
    const spec = updateSpec(ctx.store, before.id, {
      visibility,
      updated_at: at,
    }) as OpenapiSpecRow
    const doer = by
    const changed = {
      changed: ['visibility'],
      visibility: { from: before.visibility, to: visibility },
    }

    recordOnSpec(ctx, spec, 'openapi_spec.updated', doer, changed)

    return presentSpec(spec, true, ctx.publicUrl())
  },
})

export const deleteOpenAPISpecBySlug = endpoint({
  operationId: 'deleteOpenAPISpecBySlug',
  summary: 'Delete an OpenAPI spec and its versions',
  description:
    'For members with the role "create". Succeeds when the spec does not exist. A later spec with the same slug has none of its versions.',
  params: SpecPath,
  reply: nothing,
  access: organizationSpecs('edit'),
  write: ({ ctx, params, by }) => {
    const spec = findSpecBySlug(ctx.store, params.organizationId, params.specSlug)
    if (spec) deleteSpec(ctx, spec, by)
  },
})

function made(ctx: Parameters<typeof createSpec>[0], spec: OpenapiSpecRow) {
  const shown = presentSpec(spec, true, ctx.publicUrl())
  return new Answer(shown, { status: 201, headers: { Location: shown.urls.location } })
}
