import type { ChangedFile } from '../../../actions/audience/compare.ts'
import type { OpenContent } from '../../../actions/audience/open-content.ts'
import type { OpenRequest } from '../../../actions/reviewing/open-request.ts'
import {
  type SpecDifference,
  type SpecDifferences,
  specDifferences,
} from '../../../actions/reviewing/spec-differences.ts'
import { baseName } from '../../../content/files.ts'
import { contentTypeOf } from '../../../content/media.ts'
import { missing } from '../../../errors.ts'
import { fileAddresses } from '../../../files/address.ts'
import { loadMedia } from '../../../files/load-media.ts'
import type { Hold } from '../../../http/limits/admission.ts'
import type { RequestPage } from '../load-request.ts'
import { compareTexts, readTexts, type Source, type TextPair } from '../source/load-source.ts'
import { loadViewed, type Viewed } from '../viewed.tsx'

/** A version of a file: where it is sent from, its size in bytes, and that of an image in pixels. */
export type FileVersion = {
  href: string
  size: number | undefined
  width: number | null
  height: number | null
}

/** A difference of a spec with the lines that readers see differently. */
export type ShownDifference = SpecDifference & { source: Source | undefined }

/** In what a spec differs, or why that is not shown. */
export type ShownSpec = { rows: readonly ShownDifference[]; more: boolean } | { why: string }

/** A changed file with what is shown of it. */
export type ShownFile = {
  file: ChangedFile
  before: FileVersion | undefined
  after: FileVersion | undefined
  isImage: boolean
  spec: ShownSpec | undefined
  source: Source | undefined
}

export type FilesPage = RequestPage & {
  files: readonly ChangedFile[]
  shown: readonly ShownFile[]
  /** It shows one file alone. */
  isAlone: boolean
  from: number
  viewed: Viewed
  /** The id of a file for marks; undefined for what the content has no entry for. */
  idOf: (file: ChangedFile) => string | undefined
}

type FilesQuery = { file?: string | undefined; from: number }
type Reading = { hold: Hold; request: { signal: AbortSignal } }

/** How many files a part of the page has. */
export const filesOfPart = 20

/** The most bytes of a text, and of all texts of a page, that are compared unless a file is shown alone. */
const longestInList = 200_000
const mostInList = 800_000

/** The most specs that are read for a page: each may take seconds. */
const mostSpecs = 3

const opensAlone = 'It is large: open the file alone to compare it.'

/** Loads the files that a change request changes: one of them, or a part. Throws 'missing'. */
export async function loadFiles(
  data: RequestPage,
  asked: FilesQuery,
  { hold, request }: Reading,
): Promise<FilesPage> {
  const { place } = data
  const files = place.compared?.files ?? []
  const alone = asked.file === undefined ? undefined : files.find(each => each.path === asked.file)
  if (asked.file !== undefined && !alone) throw missing('changed file', asked.file)
  const listed = alone ? [alone] : files.slice(asked.from, asked.from + filesOfPart)
  const reader = new FileReader({ place, hold, signal: request.signal }, alone !== undefined)
  const versions = await versionsOf(place, listed)
  const shown: ShownFile[] = []

  for (const file of listed) {
    const { before, after } = versions(file)
    const isImage = contentTypeOf(file.path).startsWith('image/')
    const size = Math.max(before?.size ?? 0, after?.size ?? 0)
    const read = await reader.read(file, size)
    shown.push({ file, before, after, isImage, ...read })
  }

  return {
    ...data,
    ...{ files, shown, from: asked.from },
    isAlone: alone !== undefined,
    viewed: await loadViewed(place),
    idOf: idsOf(place),
  }
}

/** Returns a function that returns the id of a file or of reusable content. */
function idsOf({ open, compared }: OpenRequest): FilesPage['idOf'] {
  const idIn = (version: OpenContent | undefined) => {
    const content = version?.shown.content
    const includes = new Map(content?.includes.map(({ path, id }) => [path, id]))
    return (path: string) => content?.fileByPath.get(path)?.id ?? includes.get(path)
  }
  const [before, now] = [idIn(compared?.before), idIn(open)]
  return ({ path, mark }) => (mark === 'removed' ? before : now)(path)
}

/** Returns a function that returns the versions of a file. */
async function versionsOf({ open }: OpenRequest, files: readonly ChangedFile[]) {
  const { ctx, space, user, repo } = open
  const addresses = fileAddresses(ctx, space, { user })
  const blobs = files.flatMap(({ path, oid, former }) =>
    [oid, former].flatMap(each => (each ? [{ path, oid: each }] : [])),
  )
  const media = await loadMedia(ctx, repo, blobs)
  const versionOf = (path: string, oid: ChangedFile['oid']): FileVersion | undefined => {
    if (!oid) return undefined
    const { size, width = null, height = null } = media.get(oid) ?? {}
    return { href: addresses.of({ name: baseName(path), oid }), size, width, height }
  }

  return ({ path, oid, former }: ChangedFile) => ({
    before: versionOf(path, former),
    after: versionOf(path, oid),
  })
}

/** A bitmap is no text; an SVG image is one, too. */
const isText = (path: string): boolean =>
  !/^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip))/.test(
    contentTypeOf(path),
  )

/** Reads texts and specs within what one page may show. */
class FileReader {
  readonly #place: OpenRequest
  readonly #reading: { hold: Hold; signal: AbortSignal }
  readonly #isAlone: boolean
  #left = mostInList
  #specs = 0

  constructor(
    { place, ...reading }: { place: OpenRequest; hold: Hold; signal: AbortSignal },
    isAlone: boolean,
  ) {
    this.#place = place
    this.#reading = reading
    this.#isAlone = isAlone
  }

  async read(file: ChangedFile, size: number): Promise<Pick<ShownFile, 'source' | 'spec'>> {
    if (!isText(file.path)) return { source: undefined, spec: undefined }
    if (!this.#isAlone && (size > longestInList || size > this.#left))
      return { source: { why: opensAlone }, spec: undefined }
    this.#left -= size
    const texts = await readTexts(this.#place.open.repo, { before: file.former, after: file.oid })
    if ('why' in texts) return { source: texts, spec: undefined }

    return {
      source: await compareTexts(texts, this.#reading),
      spec: isSpec(file.path, texts) ? await this.#specOf(file) : undefined,
    }
  }

  async #specOf(file: ChangedFile): Promise<ShownSpec> {
    if (++this.#specs > mostSpecs && !this.#isAlone)
      return { why: 'Open the file alone to compare its operations.' }
    const { open, compared } = this.#place
    const found = await specDifferences(
      open.ctx,
      {
        before: versionIn(compared?.before, file.path, file.former),
        after: versionIn(open, file.path, file.oid),
      },
      this.#reading.signal,
    )
    return shownSpec(found, this.#reading)
  }
}

/** Returns a version of a spec with the other files of its revision. */
const versionIn = (
  open: OpenContent | undefined,
  path: string,
  oid: ChangedFile['oid'],
): Parameters<typeof specDifferences>[1]['before'] =>
  open &&
  oid && {
    place: { spaceId: open.space.id, content: open.view.content },
    file: { path, oid },
  }

/** Returns whether a file looks like an OpenAPI spec. */
const isSpec = (path: string, { before, after }: TextPair): boolean =>
  /\.(?:ya?ml|json)$/i.test(path) &&
  [before, after].some(text =>
    /(?:^|[{,])[ \t\r\n]{0,200}["']?(?:openapi|swagger)["']?[ \t]{0,20}:/m.test(text),
  )

async function shownSpec(
  found: SpecDifferences,
  reading: { hold: Hold; signal: AbortSignal },
): Promise<ShownSpec> {
  if ('why' in found) {
    const which = found.version === 'before' ? 'The published version' : 'The new version'
    return { why: `${which} cannot be read as a spec: ${found.why}` }
  }
  const rows: ShownDifference[] = []
  for (const row of found.rows)
    rows.push({ ...row, source: row.texts && (await compareTexts(row.texts, reading)) })
  return { rows, more: found.more }
}
