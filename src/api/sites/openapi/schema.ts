import { z } from 'zod'
import { OrganizationPath } from '../../base/organizations/schema.ts'

export const SpecPath = OrganizationPath.extend({
  specSlug: z
    .string()
    .meta({ description: 'The slug of the OpenAPI spec, such as `pets`; not its id.' }),
})
export const VersionPath = SpecPath.extend({
  versionId: z.string().meta({ description: 'The id of the version, which is a commit id.' }),
})

/**
 * Letters, digits and single hyphens between them. Stored in lower case, as the official client
 * expects.
 */
export const Slug = z
  .string()
  .min(1)
  .max(100)
  .regex(
    /^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/,
    'must be 1 to 100 letters, digits and single hyphens between them',
  )
  .toLowerCase()
  .meta({
    description: 'Its name in paths and pages: letters, digits and single hyphens, in lower case.',
  })

const FromUrl = z.strictObject({
  url: z.string().min(1).max(2048).meta({
    description: 'An https URL without credentials, from which the spec is fetched.',
  }),
})

const FromText = z.strictObject({
  text: z.string().min(1).meta({ description: 'The spec itself, as JSON or YAML, up to 10 MB.' }),
})

const Source = z
  .union([FromUrl, FromText], {
    error: 'must be {"url": …} or {"text": …}, with a value that is not empty',
  })
  .meta({ description: 'The source of the spec.' })

export type SourceBody = z.output<typeof Source>

export const SpecBody = z.strictObject({ slug: Slug, source: Source })
export const SpecUpdate = z.strictObject({ source: Source })
export const SpecPatch = z.strictObject({
  visibility: z.enum(['private', 'public']).meta({
    description:
      '`public`: everyone may read it. `private`: members, and readers of sites that show it.',
  }),
})

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
        '`pending`: a source is waiting to be read or retried; `progress`: a source is being read; `complete`: no source is waiting.',
    }),
    visibility: z.enum(['private', 'public']),
    lastVersion: z.string().optional(),
    lastProcessedAt: z.string().optional(),
    lastProcessErrorCode: z.enum(['FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR']).optional().meta({
      description: 'Why the last source did not become a version; the last good version stays.',
    }),
    lastProcessedErrors: z.array(z.object({ message: z.string(), code: z.string() })).meta({
      description:
        'The errors of the last processing: why there is no version, or, without `lastProcessErrorCode`, violations of the standard (`INVALID`) and references that cannot be resolved (`UNRESOLVED_REF`).',
    }),
    lastProcessedErrorCount: z.int(),
    permissions: z.object({ view: z.boolean(), edit: z.boolean() }),
    urls: z.object({ location: z.string(), app: z.string(), published: z.string().optional() }),
  })
  .meta({
    id: 'OpenAPISpec',
    description: 'An OpenAPI description that pages of an organization embed, with its versions.',
    sentences: {
      slug: 'Its name in paths and pages, in lower case.',
      sourceURL: 'The address from which it is fetched; left out if it was sent as text.',
      visibility:
        '`public`: everyone may read it. `private`: members, and readers of sites that show it.',
      lastVersion: 'The id of the current version; left out before the first one.',
      lastProcessedAt: 'The time at which a source was last read.',
      'lastProcessedErrors.message': 'What is wrong and where, as a sentence.',
      'lastProcessedErrors.code': 'The kind of error.',
      lastProcessedErrorCount: 'The number of all errors, including those that are not listed.',
      'urls.published': 'Where everyone can read it; left out for a private spec.',
    },
  })

export const OpenAPISpecVersion = z
  .object({
    object: z.literal('openapi-spec-version'),
    id: z.string(),
    createdAt: z.string(),
    url: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'OpenAPISpecVersion',
    description: 'One state of an OpenAPI spec.',
    sentences: {
      id: 'The id of the commit that holds it.',
      url: 'The address of the entry file, byte for byte.',
    },
  })

export const OpenAPISpecContent = z
  .object({
    filesystem: z.record(z.string(), z.string()).meta({
      description: 'The text of each file by its path. The entry file comes first.',
    }),
    url: z.string().meta({ description: 'The URL of the entry file, byte for byte.' }),
    urls: z.object({
      source: z.string().meta({ description: 'The same URL.' }),
      public: z.string().nullable().meta({ description: 'The same URL for a public spec.' }),
    }),
  })
  .meta({ id: 'OpenAPISpecContent', description: 'The files of one version of an OpenAPI spec.' })

export const RawSpec = z
  .unknown()
  .meta({ description: 'The file, as application/json or application/yaml.' })
