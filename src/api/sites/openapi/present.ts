import type { z } from 'zod'
import type { OpenapiSpecRow, OpenapiVersionRow } from '../../../store/tables/rows.ts'
import type { OpenAPISpec, OpenAPISpecVersion } from './schema.ts'

type Resource = z.input<typeof OpenAPISpec>

const locationOf = (spec: OpenapiSpecRow, base: string): string =>
  `${base}/v1/orgs/${encodeURIComponent(spec.organization_id)}/openapi/${spec.slug}`

/** Returns the address of the entry file of a version; `latest` is the latest one. */
export const rawAddress = (spec: OpenapiSpecRow, versionId: string, base: string): string =>
  `${locationOf(spec, base)}/versions/${versionId}/content/raw`

/** Returns a spec as the API resource; `mayEdit` is the permission of the user. */
export function presentSpec(spec: OpenapiSpecRow, mayEdit: boolean, base: string): Resource {
  const location = locationOf(spec, base)
  const isPublished = spec.visibility === 'public' && spec.last_version !== null
  return {
    object: 'openapi-spec',
    id: spec.id,
    createdAt: spec.created_at,
    updatedAt: spec.updated_at,
    slug: spec.slug,
    ...(spec.source_url !== null && { sourceURL: spec.source_url }),
    processingState: spec.state,
    visibility: spec.visibility,
    ...(spec.last_version !== null && { lastVersion: spec.last_version }),
    ...(spec.last_processed_at !== null && { lastProcessedAt: spec.last_processed_at }),
    ...(spec.error_code !== null && { lastProcessErrorCode: spec.error_code }),
    lastProcessedErrors: spec.errors,
    lastProcessedErrorCount: spec.errors.length,
    permissions: { view: true, edit: mayEdit },
    urls: {
      location,
      app: location,
      ...(isPublished && { published: rawAddress(spec, 'latest', base) }),
    },
  }
}

/** Returns a version of a spec as the API resource. */
export const presentVersion = (
  spec: OpenapiSpecRow,
  version: OpenapiVersionRow,
  base: string,
): z.input<typeof OpenAPISpecVersion> => ({
  object: 'openapi-spec-version',
  id: version.id,
  createdAt: version.created_at,
  url: rawAddress(spec, version.id, base),
  urls: { location: `${locationOf(spec, base)}/versions/${version.id}` },
})
