import type { z } from 'zod'
import type { OpenapiSpecRow, OpenapiVersionRow } from '../../store/tables/rows.ts'
import type { OpenAPISpec, OpenAPISpecVersion } from './schema.ts'

type Resource = z.input<typeof OpenAPISpec>

const locationOf = (spec: OpenapiSpecRow, base: string): string =>
  `${base}/v1/orgs/${encodeURIComponent(spec.organization_id)}/openapi/${spec.slug}`

/** Where the first file of a version is, as it came; of the latest one when no version is given. */
export const rawAddress = (spec: OpenapiSpecRow, versionId: string, base: string): string =>
  `${locationOf(spec, base)}/versions/${versionId}/content/raw`

/** A description as the API shows one to somebody who may edit it, or only look at it. */
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
    lastProcessedErrors: JSON.parse(spec.errors) as Resource['lastProcessedErrors'],
    permissions: { view: true, edit: mayEdit },
    urls: {
      location,
      app: location,
      ...(isPublished && { published: rawAddress(spec, 'latest', base) }),
    },
  }
}

/** A version of a description as the API shows one. */
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
