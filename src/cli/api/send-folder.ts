import { readFile } from 'node:fs/promises'
import { Failure } from '../output/failure.ts'
import type { FlagNames } from '../output/in-flags.ts'
import { callApi } from './call-api.ts'

/**
 * A file to send: its Git mode, the id that Git gives to its content, where the content is, and its
 * last change in the history of the folder; null if that is not known.
 */
type File = {
  mode: string
  oid: string
  file: string
  size: number
  change?: string | null | undefined
}

/** The result of an import of a folder, as the API returns it. */
export type FolderImport = {
  revision?: string
  missing: string[]
  filesAdded?: number
  filesChanged?: number
  filesRemoved?: number
  /** What readers are not shown, in sentences. */
  findings?: string[]
}

type FolderOptions = {
  message: string
  /** The commit that the files are from. */
  commit?: string | undefined
  force?: true | undefined
  replace?: true | undefined
}

/** The most bytes of contents in a request, and the most files and contents together. */
const mostBytes = 19_000_000
const mostValues = 19_900

const flags: FlagNames = { force: '--force', replace: '--replace', message: '--message' }

/**
 * Sends the files of a folder into a space or change request, whose path in the API is `into`, as
 * one commit with the contents that the server lacks.
 * What is too large for one request is sent in parts before, images and other files first. Throws
 * Failure if files change meanwhile.
 */
export async function sendFolder(
  into: string,
  files: ReadonlyMap<string, File>,
  { message, commit, ...options }: FolderOptions,
): Promise<FolderImport> {
  const send = async (body: object): Promise<FolderImport> =>
    (await callApi('POST', `${into}/git/folder`, { ...options, ...body }, flags))
      .body as FolderImport
  const listed = (some: Iterable<readonly [string, File]>) =>
    Object.fromEntries([...some].map(([path, { mode, oid }]) => [path, `${mode} ${oid}`]))
  const dated = [...files].filter(([, { change }]) => change !== undefined)
  // More of them have requests of their own.
  const sent = files.size + dated.length <= mostValues / 2 ? dated : []
  const history = { ...(commit && { commit }), changes: changesOf(sent) }
  const all = { files: listed(files), message, ...((commit || sent.length > 0) && { history }) }
  const asked = await send(all)
  const parts = partsOf(files, new Set(asked.missing), mostValues - files.size - sent.length)
  const last = parts.pop() ?? []
  const before: FolderImport[] = []

  for (const [i, part] of parts.entries()) {
    const said = `${message} (part ${i + 1} of ${parts.length + 1})`
    const body = {
      files: listed(part),
      contents: await contentsOf(part),
      message: said,
      keep: true,
    }
    before.push(settled(await send(body)))
  }

  const outcome =
    asked.missing.length === 0
      ? asked
      : settled(await send({ ...all, contents: await contentsOf(last) }))

  for (let at = sent.length; at < dated.length; at += datesAtOnce) {
    const part = dated.slice(at, at + datesAtOnce)
    const changes = changesOf(part)
    settled(await send({ files: listed(part), message, keep: true, history: { changes } }))
  }

  return withCounts(outcome, before)
}

const counts = ['filesAdded', 'filesChanged', 'filesRemoved'] as const

/** Returns the result of the last request, with the files that others have brought before. */
function withCounts(outcome: FolderImport, before: readonly FolderImport[]): FolderImport {
  const sum = { ...outcome }
  for (const name of counts)
    for (const part of before) if (sum[name] !== undefined) sum[name] += part[name] ?? 0
  return sum
}

/** The number of files in a request that only brings their dates. */
const datesAtOnce = mostValues / 4

const changesOf = (some: readonly [string, File][]) =>
  Object.fromEntries(some.map(([path, { change }]) => [path, change]))

/**
 * Returns the files whose contents are missing, each content once, in parts that fit into a
 * request. The last part, of at most `most`, is sent with the list of all files.
 */
function partsOf(
  files: ReadonlyMap<string, File>,
  missing: Set<string>,
  most: number,
): [string, File][][] {
  const wanted = [...files].filter(([, { oid }]) => missing.delete(oid))
  const isPage = ([path]: [string, File]) => /\.(?:md|yaml)$/i.test(path)

  const parts: [string, File][][] = [[]]
  let bytes = 0

  for (const entry of [...wanted.filter(each => !isPage(each)), ...wanted.filter(isPage)]) {
    const { size } = entry[1]
    const part = parts.at(-1) as [string, File][]
    if (
      part.length > 0 &&
      (bytes + size > mostBytes || part.length >= Math.min(most, mostValues / 2))
    ) {
      parts.push([entry])
      bytes = size
    } else {
      part.push(entry)
      bytes += size
    }
  }

  return parts
}

const contentsOf = (part: readonly [string, File][]): Promise<string[]> =>
  Promise.all(part.map(async ([, { file }]) => (await readFile(file)).toString('base64')))

function settled(outcome: FolderImport): FolderImport {
  if (outcome.missing.length > 0)
    throw new Failure('Files changed while they were being read. Run the command again.')
  return outcome
}
