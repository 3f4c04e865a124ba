import type { SpecProblem } from '../../content/openapi/files.ts'
import type { ReadInput, ReadOutput } from '../../content/openapi/read.ts'
import type { Context } from '../../context.ts'
import { runThread, ThreadError } from '../../lib/thread.ts'
import { FetchError } from '../../net/fetch-error.ts'
import { type FetchLimits, fetchUrl } from '../../net/fetch-url.ts'
import type { Route } from '../../net/public-connection.ts'

/** The most bytes that the files of a spec may have together. */
export const mostSpecBytes = 10 * 1024 * 1024

/** A spec that was read: its files, and the data derived from them as JSON. */
export type Gathered = {
  files: SpecFile[]
  entry: string
  outline: string
  pieces: Uint8Array
  problems: SpecProblem[]
}

/** A file of a spec. References in it are relative to its address. */
export type SpecFile = { address: string; bytes: Uint8Array }

/** The reason why a spec was not read. With `again`, another attempt may succeed. */
export type Unread = {
  code: 'FETCH_TIMEOUT' | 'FETCH_ERROR' | 'PARSE_ERROR'
  message: string
  again: boolean
  /** Reading was aborted, as on an overloaded machine: nothing is known about the spec. */
  unfinished?: boolean
}

const mostFiles = 50
/** The most rounds of fetching files that other files refer to. */
const mostRounds = 10
const fetchTimes = { headersMs: 10_000, allMs: 30_000 }
/** The time limit for all fetches together, in milliseconds. */
const gatherMs = 120_000
/** YAML of 10 MB takes ten seconds, and several times that on a busy machine. */
const threadLimits = { ms: 60_000, megabytes: 512 }

/** Fetches another file of a spec; undefined for a spec that was sent as text. */
type Fetch = ((address: string) => Promise<{ bytes: Buffer; url: string }>) | undefined

/**
 * Fetches and reads the spec at an address and the files of the same origin that it refers to: at
 * most 50 files, 10 MB together. A referenced file that cannot be read becomes a problem of the
 * spec. Throws the reason of `stop` when aborted.
 */
export async function gatherFrom(
  ctx: Context,
  address: string,
  route: Route,
  stop: AbortSignal,
  times = fetchTimes,
): Promise<Gathered | Unread> {
  const until = performance.now() + gatherMs
  const limits: FetchLimits = {
    ...times,
    mostBytes: mostSpecBytes,
    budget: { left: mostSpecBytes },
    stop,
  }

  const fetch = (from: string) => {
    const left = until - performance.now()
    if (left <= 0)
      throw new FetchError('Fetching all files together took too long.', { code: 'FETCH_TIMEOUT' })
    return fetchUrl(from, route, { ...limits, allMs: Math.min(times.allMs, left) })
  }

  try {
    const { bytes, url } = await fetch(address)
    return await gatherWith(ctx, { address: url, bytes }, fetch, stop)
  } catch (error) {
    stop.throwIfAborted()
    if (!(error instanceof FetchError)) throw error
    return { code: error.code, message: error.message, again: error.again }
  }
}

/** Reads a spec that was sent as text. */
export const gatherText = (
  ctx: Context,
  bytes: Uint8Array,
  stop: AbortSignal,
): Promise<Gathered | Unread> =>
  gatherWith(
    ctx,
    { address: `text:///openapi.${looksLikeJson(bytes) ? 'json' : 'yaml'}`, bytes },
    undefined,
    stop,
  )

/** Reads a stored spec again. Its files have addresses below `text:///`, and none is fetched. */
export const readAgain = (
  ctx: Context,
  files: SpecFile[],
  entry: string,
  stop: AbortSignal,
): Promise<Gathered | Unread> => readFiles(ctx, { files, entry, unavailable: [] }, undefined, stop)

/** Returns whether the first bytes of a file look like JSON. */
export const looksLikeJson = (bytes: Uint8Array): boolean =>
  /^\ufeff?\s*[{[]/.test(Buffer.from(bytes.subarray(0, 200)).toString())

/** Reads a spec and the files that it refers to, which `fetch` returns by their addresses. */
export const gatherWith = (
  ctx: Context,
  first: SpecFile,
  fetch: Fetch,
  stop: AbortSignal,
): Promise<Gathered | Unread> =>
  readFiles(ctx, { files: [first], entry: first.address, unavailable: [] }, fetch, stop)

async function readFiles(
  ctx: Context,
  input: ReadInput,
  fetch: Fetch,
  stop: AbortSignal,
): Promise<Gathered | Unread> {
  const { files, entry } = input
  for (let rounds = 0; ; rounds++) {
    const output = await parse(ctx, input, stop)
    if (output.result === 'unfinished')
      return { code: 'PARSE_ERROR', message: output.message, again: false, unfinished: true }
    if (output.result === 'bad')
      return { code: 'PARSE_ERROR', message: output.message, again: false }

    if (output.result === 'read') {
      const { outline, pieces, problems } = output
      return { files, entry, outline, pieces, problems }
    }

    for (const address of output.addresses) {
      const why =
        files.length >= mostFiles || rounds >= mostRounds
          ? `a spec can have at most ${mostFiles} files.`
          : await fetchInto(files, address, fetch)
      if (why !== undefined) input.unavailable.push([address, why])
    }
  }
}

/** Fetches a file and adds it to `files`. Returns the reason when that is not possible. */
async function fetchInto(
  files: SpecFile[],
  address: string,
  fetch: Fetch,
): Promise<string | undefined> {
  if (!fetch) return 'it does not exist.'
  try {
    const { bytes, url } = await fetch(address)
    if (new URL(url).origin !== new URL(address).origin) return 'it is on another host.'
    files.push({ address, bytes })
    return undefined
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return error.message
  }
}

/** Parses in a thread, one spec at a time: each may take half a gigabyte of memory. */
const parse = (
  ctx: Context,
  input: ReadInput,
  signal: AbortSignal,
): Promise<ReadOutput | { result: 'unfinished'; message: string }> =>
  ctx.locks.run('parse-openapi', async () => {
    try {
      return await runThread<ReadOutput>('parse-openapi', input, { ...threadLimits, signal })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ThreadError)) throw error
      if (error.why === 'broken')
        ctx.log.error({ err: error.message }, 'an OpenAPI spec could not be read')
      return { result: 'unfinished', message: sentences[error.why] }
    }
  })

const sentences: Record<ThreadError['why'], string> = {
  timeout: `The spec takes more than ${threadLimits.ms / 1000} seconds to read.`,
  memory: `The spec takes more than ${threadLimits.megabytes} MB of memory to read.`,
  aborted: 'The server is stopping.',
  broken: 'The spec could not be read.',
}
