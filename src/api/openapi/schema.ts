import { z } from 'zod'
import { listOf } from '../../http/list.ts'
import { OrganizationPath } from '../organizations/schema.ts'

export const SpecPath = OrganizationPath.extend({
  specSlug: z.string().meta({ description: 'The slug of the description, such as `pets`; not its id.' }),
})
export const VersionPath = SpecPath.extend({
  versionId: z.string().meta({ description: 'The id of the version: of the commit that it is.' }),
})

/** Letters, digits and single hyphens between them; kept in lower case, which is all that the official client knows. */
export const Slug = z
  .string()
  .min(1)
  .max(100)
  .regex(
    /^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/,
    'takes letters, digits and single hyphens between them, 1 to 100 characters',
  )
  .toLowerCase()

const FromUrl = z.strictObject({
  url: z.string().min(1).max(2048).meta({
    description: 'An https address without credentials, from which it is fetched now.',
  }),
})

const FromText = z.strictObject({
  text: z.string().min(1).meta({ description: 'The description itself, as JSON or YAML, of up to 10 MB.' }),
})

const Source = z
  .union([FromUrl, FromText], { error: 'takes {"url": …} or {"text": …}, one of them, not empty' })
  .meta({ description: 'Where the description comes from.' })

export type SourceBody = z.output<typeof Source>

export const SpecBody = z.strictObject({ slug: Slug, source: Source })
export const SpecUpdate = z.strictObject({ source: Source })
export const SpecPatch = z.strictObject({ visibility: z.enum(['private', 'public']) })

export const OpenAPISpec = z
  .object({
    object: z.literal('openapi-spec'),
    id: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    slug: z.string(),
    sourceURL: z.string().optional(),
    processingState: z.enum(['pending', 'progress', 'complete']).meta({
      description:
        '`pending`: a source waits to be read (also for another try); `progress`: it is being read; `complete`: nothing waits.',
    }),
    visibility: z.enum(['private', 'public']),
    lastVersion: z.string().optional(),
    lastProcessedAt: z.string().optional(),
    lastProcessErrorCode: z
      .enum(['FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR'])
      .optional()
      .meta({ description: 'Why the last source made no version; the last good version stays.' }),
    lastProcessedErrors: z.array(z.object({ message: z.string(), code: z.string() })).meta({
      description:
        'What was wrong the last time: why there is no version, or (without `lastProcessErrorCode`) what of it departs from the standard (`INVALID`) and which references lead nowhere (`UNRESOLVED_REF`).',
    }),
    permissions: z.object({ view: z.boolean(), edit: z.boolean() }),
    urls: z.object({ location: z.string(), app: z.string(), published: z.string().optional() }),
  })
  .meta({ id: 'OpenAPISpec' })

export const OpenAPISpecs = listOf(OpenAPISpec)

export const OpenAPISpecVersion = z
  .object({
    object: z.literal('openapi-spec-version'),
    id: z.string(),
    createdAt: z.string(),
    url: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'OpenAPISpecVersion' })

export const OpenAPISpecVersions = listOf(OpenAPISpecVersion)

export const OpenAPISpecContent = z
  .object({
    filesystem: z.record(z.string(), z.string()).meta({
      description: 'The text of each file, by its path; the file that it begins with is the first.',
    }),
    url: z.string().meta({ description: 'Where that first file is, as it came.' }),
  })
  .meta({ id: 'OpenAPISpecContent' })

export const RawDescription = z
  .unknown()
  .meta({ description: 'The file, as application/json or application/yaml.' })
