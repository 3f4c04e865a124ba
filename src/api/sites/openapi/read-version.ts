import { specsRepository } from '../../../actions/repositories/specs-repository.ts'
import { listSpecFiles } from '../../../actions/specs/read-spec.ts'
import { decode } from '../../../content/text/bytes.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { readBlob, unreadable } from '../../../git/objects/objects.ts'
import type { TreeFile } from '../../../git/trees/tree-files.ts'
import type { Bytes } from '../../../http/endpoint.ts'
import type { OpenapiSpecRow, OpenapiVersionRow } from '../../../store/tables/rows.ts'
import { rawAddress } from './present.ts'

/** The characters of a text that are converted to JSON at once, which blocks the event loop. */
const pieceLength = 64 * 1024

/**
 * Returns the files of a version as a JSON body: the entry file first, the others sorted by path.
 */
export async function sendContent(
  ctx: Context,
  spec: OpenapiSpecRow,
  version: OpenapiVersionRow,
): Promise<Bytes> {
  const files = await filesOf(ctx, spec, version)
  const source = rawAddress(spec, version.id, ctx.publicUrl())
  const urls = { source, public: spec.visibility === 'public' ? source : null }
  return {
    bytes: jsonOf(ctx, spec, files, urls),
    etag: `${version.id}-${spec.visibility}`,
    cacheControl: 'private, no-cache',
  }
}

/** Returns the entry file of a version, byte for byte. */
export async function sendRaw(
  ctx: Context,
  spec: OpenapiSpecRow,
  version: OpenapiVersionRow,
): Promise<Bytes> {
  const [file] = await filesOf(ctx, spec, version)
  if (!file) throw missing('file of the version', version.id)
  const isJson = file.path.endsWith('.json')
  const isPublic = spec.visibility === 'public'

  return {
    bytes: whole(ctx, spec, file),
    etag: file.oid,
    type: isJson ? 'application/json; charset=utf-8' : 'application/yaml; charset=utf-8',
    cacheControl: isPublic ? 'no-cache' : 'private, no-cache',
    headers: {
      // Pages on other sites fetch it in the browser.
      ...(isPublic && { 'Access-Control-Allow-Origin': '*' }),
      'Content-Security-Policy': "sandbox; default-src 'none'",
      Vary: 'Authorization',
    },
  }
}

/** Reads the file only when the body is consumed, which it is not for a 304. */
async function* whole(
  ctx: Context,
  spec: OpenapiSpecRow,
  { oid }: TreeFile,
): AsyncGenerator<Buffer, void, undefined> {
  const bytes = await readBlob(specsRepository(ctx, spec.organization_id), oid)
  if (!bytes) throw unreadable(oid)
  yield bytes
}

async function filesOf(
  ctx: Context,
  spec: OpenapiSpecRow,
  version: OpenapiVersionRow,
): Promise<TreeFile[]> {
  const files = await listSpecFiles(ctx, spec, version)
  const isEntry = ({ path }: TreeFile) => path === version.entry
  return [...files.filter(isEntry), ...files.filter(file => !isEntry(file))]
}

async function* jsonOf(
  ctx: Context,
  spec: OpenapiSpecRow,
  files: readonly TreeFile[],
  urls: { source: string; public: string | null },
): AsyncGenerator<Buffer, void, undefined> {
  const repo = specsRepository(ctx, spec.organization_id)
  const head = JSON.stringify({ url: urls.source, urls }).slice(0, -1)
  yield Buffer.from(`${head},"filesystem":{`)

  for (const [at, { path, oid }] of files.entries()) {
    const bytes = await readBlob(repo, oid)
    if (!bytes) throw unreadable(oid)
    const { text } = decode(bytes)
    yield Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(path)}:"`)
    // A surrogate pair that is split becomes two escapes, which are the same pair when parsed.
    for (let from = 0; from < text.length; from += pieceLength)
      yield Buffer.from(JSON.stringify(text.slice(from, from + pieceLength)).slice(1, -1))
    yield Buffer.from('"')
  }

  yield Buffer.from('}}')
}
