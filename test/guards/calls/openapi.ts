import { writeSpec } from '../../../src/actions/specs/write-spec.ts'
import { findSpec, updateSpec } from '../../../src/store/openapi/specs.ts'
import type { OpenapiSpecRow } from '../../../src/store/tables/rows.ts'
import { at, put } from '../rows.ts'
import { another, type World } from '../world.ts'
import { type Call, type Calls, fresh } from './call.ts'

const text = JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths: {} })

/** A spec with a version, as after processing. */
async function spec({ app, ids, by }: World, visibility = 'private') {
  const specSlug = another('pets')
  const id = put(app, 'openapi_spec', {
    organization_id: ids.organizationId as string,
    slug: specSlug,
    visibility,
    state: 'complete',
    created_by: by.id,
    created_at: at,
    updated_at: at,
  })
  const files = [{ address: 'text:///openapi.json', bytes: Buffer.from(text) }]
  const row = findSpec(app.ctx.store, id) as OpenapiSpecRow
  const entry = 'text:///openapi.json'
  const { version: versionId } = await writeSpec(app.ctx, row, { files, entry }, undefined)

  updateSpec(app.ctx.store, id, { last_version: versionId })
  put(app, 'openapi_version', { id: versionId, spec_id: id, entry: 'openapi.json', created_at: at })

  return { ids: { specSlug, versionId } }
}

const described: Call = fresh(world => spec(world))
const published: Call = fresh(world => spec(world, 'public'))

/** OpenAPI specs. */
export const openapi: Calls = {
  createOpenAPISpec: fresh(() => ({ body: { slug: another('new'), source: { text } } })),
  getOpenAPISpecBySlug: described,
  createOrUpdateOpenAPISpecBySlug: fresh(() => ({
    ids: { specSlug: another('put') },
    body: { source: { text } },
  })),
  updateOpenAPISpecBySlug: fresh(async world => ({
    ...(await spec(world, 'public')),
    body: { visibility: 'private' },
  })),
  'updateOpenAPISpecBySlug@publish': fresh(async world => ({
    ...(await spec(world)),
    body: { visibility: 'public' },
  })),
  deleteOpenAPISpecBySlug: described,
  listOpenAPISpecVersions: described,
  getLatestOpenAPISpecVersion: described,
  getOpenAPISpecVersionById: described,
  getLatestOpenAPISpecVersionContent: described,
  getOpenAPISpecVersionContentById: described,
  getLatestOpenAPISpecVersionRaw: described,
  'getLatestOpenAPISpecVersionRaw@public': published,
  getOpenAPISpecVersionRawById: described,
  'getOpenAPISpecVersionRawById@public': published,
}
