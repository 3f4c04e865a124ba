import { type Fields, pick } from '../../../access/fields.ts'
import type { OpenContent } from '../../../actions/audience/open-content.ts'
import type { ContentTree, FileNode } from '../../../content/tree/build.ts'
import { missing } from '../../../errors.ts'
import { fileAddresses } from '../../../files/address.ts'
import { loadMedia } from '../../../files/load-media.ts'
import type { Bytes } from '../../../http/endpoint.ts'
import { jsonArray } from '../../../http/json-text.ts'
import { answerList } from '../../../http/list.ts'
import { answer, until } from '../answer.ts'
import { presentFile } from './present.ts'
import { RevisionFile, RevisionFiles } from './schema.ts'

type FilesQuery = {
  page?: string | undefined
  limit?: number | undefined
  metadata?: boolean | undefined
}

/**
 * Returns files as the API shows them now. Bytes are looked at for the fields that come from them; by
 * default, all fields are wanted.
 */
export async function presentFiles(
  open: OpenContent,
  files: readonly FileNode[],
  metadata: boolean | undefined,
  fields?: Fields,
) {
  const { ctx, space, repo } = open
  const addresses = fileAddresses(ctx, space, open)
  const wantsMedia = !fields || fields.has('size') || fields.has('dimensions')
  const media = await loadMedia(ctx, repo, wantsMedia ? files : [])

  return files.map(file =>
    presentFile(file, {
      media: media.get(file.oid),
      downloadURL: addresses.of(file),
      metadata: metadata !== false,
    }),
  )
}

/** The number of files between yields to the event loop. */
const portion = 500

/** Returns the same list, with the wanted fields alone, as JSON text; yields to the event loop between portions. */
export function filesAsJson(
  open: OpenContent,
  files: readonly FileNode[],
  { metadata, signal }: { metadata: boolean | undefined; signal: AbortSignal },
): Promise<Buffer[]> {
  const fields = open.fields?.of('files')
  const starts = files.map((_, at) => at).filter(at => at % portion === 0)
  const textOf = async (at: number) => {
    const shown = await presentFiles(open, files.slice(at, at + portion), metadata, fields)
    return [Buffer.from(JSON.stringify(pick(fields, shown)).slice(1, -1))]
  }

  return jsonArray(starts, textOf, signal)
}

/** Answers with a page of the list of files, sorted by path. */
export async function answerFiles(open: OpenContent, query: FilesQuery): Promise<Bytes> {
  const { ctx, space } = open
  const { stamp, seconds, reader } = fileAddresses(ctx, space, open)
  const key = `files ${reader} ${query.metadata !== false} ${query.limit ?? ''} ${query.page ?? ''}`

  return answer(open, { key, schema: RevisionFiles, holds: until(stamp, seconds) }, async () => {
    return answerList(ctx, query, {
      name: `files ${space.id} ${open.pinned ? open.view.oid : open.scope}`,
      rows: sortedFiles(open.shown.content),
      key: file => file.path,
      show: files => presentFiles(open, files, query.metadata, open.fields?.of('items')),
    })
  })
}

/** Answers with one file. Throws 'missing'. */
export async function answerFile(
  open: OpenContent,
  id: string,
  metadata: boolean | undefined,
): Promise<Bytes> {
  const file = open.shown.content.fileById.get(id)
  if (!file) throw missing('file', id)
  const { stamp, seconds, reader } = fileAddresses(open.ctx, open.space, open)
  const options = {
    key: `file ${id} ${reader} ${metadata !== false}`,
    schema: RevisionFile,
    holds: until(stamp, seconds),
    ownTag: true,
  }

  return answer(open, options, async () => (await presentFiles(open, [file], metadata))[0])
}

const sorted = new WeakMap<ContentTree, FileNode[]>()

function sortedFiles(content: ContentTree): FileNode[] {
  const known = sorted.get(content)
  if (known) return known
  const files = [...content.files].sort((a, b) => (a.path < b.path ? -1 : 1))
  sorted.set(content, files)
  return files
}
