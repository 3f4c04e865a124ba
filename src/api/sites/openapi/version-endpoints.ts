import { namedSpec, publicSpec, readSpec } from '../../../access/guards/openapi.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import type { Bytes } from '../../../http/endpoint.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { parseOid } from '../../../lib/oid.ts'
import { findVersion, listVersions } from '../../../store/openapi/versions.ts'
import type { OpenapiSpecRow, OpenapiVersionRow } from '../../../store/tables/rows.ts'
import { findSpecFor } from './find-for-reader.ts'
import { presentVersion } from './present.ts'
import { sendContent, sendRaw } from './read-version.ts'
import { OpenAPISpecContent, OpenAPISpecVersion, RawSpec, SpecPath, VersionPath } from './schema.ts'

export const listOpenAPISpecVersions = listing({
  operationId: 'listOpenAPISpecVersions',
  summary: 'List the versions of an OpenAPI spec, newest first',
  description:
    'Returns the versions. A version is created whenever the source differs from the last version.',
  params: SpecPath,
  item: OpenAPISpecVersion,
  access: namedSpec('view'),
  list: ({ ctx, spec }) => ({
    name: `openapi-versions ${spec.id}`,
    rows: (limit, before) => listVersions(ctx.store, spec.id, limit, before),
    show: rows => rows.map(row => presentVersion(spec, row, ctx.publicUrl())),
  }),
})

const files = 'Returns the entry file and the files that it refers to, as they were read.'
const forReaders =
  'A reading token is accepted as long as its reader may see a page that uses the spec.'

export const getLatestOpenAPISpecVersion = endpoint({
  operationId: 'getLatestOpenAPISpecVersion',
  summary: 'Get the latest version of an OpenAPI spec',
  description: `Returns the current version: its time, and the address of its entry file. ${forReaders}`,
  params: SpecPath,
  reply: OpenAPISpecVersion,
  readers: true,
  access: readSpec,
  handle: async asked => {
    const { ctx } = asked
    const spec = await findSpecFor(asked)
    return presentVersion(spec, latestOf(ctx, spec), ctx.publicUrl())
  },
})

export const getOpenAPISpecVersionById = endpoint({
  operationId: 'getOpenAPISpecVersionById',
  summary: 'Get a version of an OpenAPI spec',
  description:
    'Returns the time of the version and the address of its entry file. `GET …/content` returns its files.',
  params: VersionPath,
  reply: OpenAPISpecVersion,
  access: namedSpec('view'),
  handle: ({ ctx, spec, params }) =>
    presentVersion(spec, versionOf(ctx, spec, params.versionId), ctx.publicUrl()),
})

export const getLatestOpenAPISpecVersionContent = endpoint({
  operationId: 'getLatestOpenAPISpecVersionContent',
  summary: 'Get the files of the latest version of an OpenAPI spec',
  description: `${files} ${forReaders}`,
  params: SpecPath,
  reply: OpenAPISpecContent,
  readers: true,
  access: readSpec,
  handle: async asked => {
    const spec = await findSpecFor(asked)
    return sendContent(asked.ctx, spec, latestOf(asked.ctx, spec))
  },
})

export const getOpenAPISpecVersionContentById = endpoint({
  operationId: 'getOpenAPISpecVersionContentById',
  summary: 'Get the files of a version of an OpenAPI spec',
  description: files,
  params: VersionPath,
  reply: OpenAPISpecContent,
  access: namedSpec('view'),
  handle: ({ ctx, spec, params }) => sendContent(ctx, spec, versionOf(ctx, spec, params.versionId)),
})

const raw =
  'Returns the file byte for byte, as it was received. A version never changes. While the spec is public, no token is needed.'

export const getLatestOpenAPISpecVersionRaw = endpoint({
  operationId: 'getLatestOpenAPISpecVersionRaw',
  summary: 'Get the entry file of the latest version of an OpenAPI spec',
  description: raw,
  params: SpecPath,
  reply: RawSpec,
  access: publicSpec,
  handle: ({ ctx, spec }): Promise<Bytes> => sendRaw(ctx, spec, latestOf(ctx, spec)),
})

export const getOpenAPISpecVersionRawById = endpoint({
  operationId: 'getOpenAPISpecVersionRawById',
  summary: 'Get the entry file of a version of an OpenAPI spec',
  description: raw,
  params: VersionPath,
  reply: RawSpec,
  access: publicSpec,
  handle: ({ ctx, spec, params }): Promise<Bytes> =>
    sendRaw(ctx, spec, versionOf(ctx, spec, params.versionId)),
})

function versionOf(ctx: Context, spec: OpenapiSpecRow, id: string): OpenapiVersionRow {
  const oid = parseOid(id)
  const version = oid && findVersion(ctx.store, spec.id, oid)
  if (!version) throw missing('version', id)
  return version
}

const latestOf = (ctx: Context, spec: OpenapiSpecRow): OpenapiVersionRow =>
  versionOf(ctx, spec, spec.last_version ?? 'latest')
