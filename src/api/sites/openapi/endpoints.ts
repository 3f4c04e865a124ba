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
  description: 'Returns the specs oldest first. Guests may not call this operation.',
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
  'The spec is processed in the background: see `processingState`, and for errors `lastProcessErrorCode` and `lastProcessedErrors`. OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 are supported, as JSON or YAML. Files that a fetched spec refers to with relative references are fetched too: up to 50 files from the same host, 10 MB together.'

export const createOpenAPISpec = endpoint({
  operationId: 'createOpenAPISpec',
  summary: 'Create an OpenAPI spec',
  description: `Creates a spec from a URL or a text. ${processing} If a spec with this slug exists, the answer is a 409: use PUT to change it. Slugs are stored in lower case, and case is ignored. Requires the role "create" in the organization.`,
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
    'Returns the spec with its state: whether its source is being read, and the errors of the last reading. `GET …/versions/latest/content` returns its files.',
  params: SpecPath,
  reply: OpenAPISpec,
  access: namedSpec('view'),
  handle: ({ ctx, spec, mayEdit }) => presentSpec(spec, mayEdit, ctx.publicUrl()),
})

export const createOrUpdateOpenAPISpecBySlug = endpoint({
  operationId: 'createOrUpdateOpenAPISpecBySlug',
  summary: 'Create an OpenAPI spec, or set its source',
  description: `Creates the spec (201), or sets the source of an existing one (200). The URL that the spec already has is fetched again. ${processing} Sources are read in the order of the requests, and each change creates a version. If ten sources are waiting, the answer is a 429. Requires the role "create" in the organization.`,
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
    'Changes the visibility. While the spec is `public`, everyone can read the entry files of its versions without a token, at `urls.published` of the spec and `url` of each version. Requires the role "create" in the organization; to make the spec `public`, "admin".',
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
    'Deletes the spec with its versions. A later spec with the same slug does not get these versions. Requires the role "create" in the organization. The operation also succeeds when the spec does not exist.',
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
